import { faults } from '../session/faults.ts'
import type { Json } from '../../kernel/index.ts'
import type { MakeMessage } from '../dialects/chat-model.ts'
import { type Fields, fieldsOf, jsonOf } from '../dialects/loose.ts'

/** A call as LangChain hands it to a tool; otherwise a tool is given its arguments alone. */
export function isToolCall(input: unknown): input is Fields {
  const { type, name, args } = fieldsOf(input)
  return type === 'tool_call' && typeof name === 'string' && typeof args === 'object'
}

/** Returns the arguments of a call of a tool of LangChain. Its id differs from run to run. */
export function toolArguments(input: unknown): unknown {
  return isToolCall(input) ? input['args'] : input
}

/**
 * Returns the result of a tool of LangChain as a record has it: what the tool itself gave, where its message shows that, so that a plan of a
 * skill sees the same. A message with anything besides is kept in LangChain's serialized form.
 */
export function recordedResult(output: unknown): Json {
  const message = fieldsOf(output)
  if (message['type'] !== 'tool' || message['tool_call_id'] === undefined) return jsonOf(output)
  const { content, status, artifact } = message
  const isPlain = typeof content === 'string' && (status ?? 'success') === 'success' && artifact === undefined
  return isPlain ? valueOf(content) : jsonOf(output)
}

/** Returns the value that LangChain has made a text of; the text itself if it was one. */
function valueOf(content: string): Json {
  try {
    const value = JSON.parse(content) as Json
    return typeof value !== 'string' && JSON.stringify(value) === content ? value : content
  } catch {
    return content
  }
}

/**
 * Returns the result of a recorded call as the tool gives it: a command to its graph, a message for a call, the value for arguments alone.
 * Throws `R2163` for a command if LangGraph cannot be loaded.
 */
export async function revivedResult(recorded: unknown, input: unknown, make: MakeMessage | undefined): Promise<unknown> {
  if (fieldsOf(recorded)['lg_name'] === 'Command') return commandOf(fieldsOf(recorded))
  if (!isToolCall(input) || make === undefined) return recorded
  const call = { tool_call_id: input['id'], name: input['name'] }
  const { lc, kwargs } = fieldsOf(recorded)
  if (lc === 1 && fieldsOf(kwargs)['tool_call_id'] !== undefined) return make({ ...fieldsOf(kwargs), ...call, type: 'tool' })
  return make({ type: 'tool', ...call, status: 'success', content: typeof recorded === 'string' ? recorded : JSON.stringify(recorded) })
}

// Not a literal: a host without LangGraph must not need it to load this file.
const LANGGRAPH: string = '@langchain/langgraph'

async function commandOf(recorded: Fields): Promise<unknown> {
  const { Command } = (await import(LANGGRAPH).catch(() => ({}))) as { readonly Command?: new (fields: Fields) => unknown }
  if (Command === undefined)
    throw faults.make('R2163', 'the recorded command of a tool needs the package @langchain/langgraph, which cannot be loaded', {
      fix: 'npm install @langchain/langgraph, beside reflex-runtime',
    })
  return new Command(recorded)
}
