import type { MakeMessage } from '../dialects/chat-model.ts'
import { type Fields, fieldsOf, textOf } from '../dialects/loose.ts'
import { currentSession } from '../session/context.ts'
import { type AnyFunction, cannotIntercept, intercept, originalOf } from '../session/intercept.ts'
import type { DeclareTool, NoteRestore } from './contract.ts'
import { recordedResult, revivedResult, toolArguments } from './tool-messages.ts'

interface ChatToolParts {
  /** Returns what makes messages as the model of the agent does; undefined if the model is not known. */
  readonly messages: () => MakeMessage | undefined
  readonly declare: DeclareTool
  readonly note: NoteRestore
}

/**
 * Replaces in place the function by which LangChain calls a tool, and declares the tool. A tool without one is performed by the provider and
 * stays as it is. Throws `R2150` for a tool that is frozen.
 */
export function wrapChatTool(tool: unknown, { messages, declare, note }: ChatToolParts): void {
  const { name, invoke } = fieldsOf(tool)
  if (typeof tool !== 'object' || tool === null || typeof invoke !== 'function') return
  const own = textOf(name)
  if (own === '') throw cannotIntercept('tools', 'one of them has no name')
  const original = originalOf(invoke as AnyFunction)
  declare({
    name: own,
    facts: factsOf(tool),
    // Without the id of a call, a tool gives its value, and throws what it throws.
    act: (args, { signal }) => original.call(tool, args, signal === undefined ? {} : { signal }),
  })
  note(intercept(tool, 'invoke', (before) => invokeFunction(own, before, messages)))
}

/** What a tool says of itself; LangChain keeps other fields of a tool under `metadata`. */
function factsOf(tool: object): Fields {
  return { ...fieldsOf(fieldsOf(tool)['metadata']), ...tool }
}

/** `invoke(call or arguments, config)`. What the config has differs from run to run. */
function invokeFunction(name: string, original: AnyFunction, messages: ChatToolParts['messages']): AnyFunction {
  return async function (this: unknown, ...args: unknown[]) {
    const session = currentSession()
    if (session === undefined) return original.apply(this, args)
    const [input] = args
    let output: { readonly value: unknown } | undefined
    const recorded = await session.tool(name, [toolArguments(input)], async () => {
      output = { value: await original.apply(this, args) }
      return recordedResult(output.value)
    })
    // Without an output of this process, the call was answered from the record.
    return output === undefined ? revivedResult(recorded, input, messages()) : output.value
  }
}
