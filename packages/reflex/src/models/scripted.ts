import { canonicalJson, isFault } from '../kernel/index.ts'
import { faults } from './faults.ts'
import type { PartialReply } from './request.ts'
import type { Model, ModelCall, ModelRequest, ModelTry } from './types.ts'

/** A text, the relevant parts of a reply, or a failure. */
export type ScriptedReply = string | PartialReply | Error

/**
 * Creates a model that gives scripted replies: a list in order, or a function of the request. Each try takes one reply,
 * so an error in the list is a failed try. Throws `R4020` when the list is exhausted.
 */
export function scriptedModel(
  replies: readonly ScriptedReply[] | ((request: ModelRequest, call: ModelCall) => ScriptedReply | Promise<ScriptedReply>),
  name = 'scripted',
): Model {
  let next = 0
  return {
    name,
    async generate(request, call) {
      const reply = typeof replies === 'function' ? await replies(request, call) : replies[next++]
      if (reply === undefined)
        throw faults.make(
          'R4020',
          `${name} has ${next - 1} replies and got one more request${request.label === undefined ? '' : ` from ${request.label}`}`,
          { fix: 'give the script one more reply' },
        )
      if (reply instanceof Error || isFault(reply)) throw reply
      // A script without token counts used no tokens.
      const whole = complete({ usage: { input: 0, output: 0 }, ...(typeof reply === 'string' ? { text: reply } : reply) })
      if (request.stream === true) streamReply(whole, call)
      return whole
    },
  }
}

/** Completes a written reply with the parts that follow from the others. */
export function complete(reply: PartialReply): ModelTry {
  const { text, object, calls, finish } = reply
  return {
    text: text ?? (object === undefined ? '' : canonicalJson(object)),
    finish: finish ?? (calls === undefined ? 'stop' : 'tools'),
    ...extras(reply),
  }
}

/** Returns the optional parts of an answer, without absent ones: a reply is plain JSON. */
export function extras({ calls, reasoning, usage, native, warnings, by }: PartialReply): Omit<ModelTry, 'text' | 'finish'> {
  return {
    ...(calls === undefined ? {} : { calls }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(usage === undefined ? {} : { usage }),
    ...(native === undefined ? {} : { native }),
    ...(warnings === undefined ? {} : { warnings }),
    ...(by === undefined ? {} : { by }),
  }
}

/** Reports a complete reply as progress, as a stream would. */
export function streamReply({ text, reasoning, calls }: ModelTry, call: ModelCall): void {
  if (reasoning !== undefined) call.part({ reasoning })
  if (text !== '') call.part({ text })
  if (calls !== undefined) call.part({ calls: calls.map(({ id, name }) => ({ id, name })) })
}
