/** A plain agent: it asks its model, calls the tools that the model wants, and stops when the model only talks. Nothing in it knows of Reflex. */
import type { ChatRequest, Message } from './conversation.ts'
import type { ChatReply } from './model.ts'
import { SCHEMAS } from './tools.ts'

export interface AgentParts {
  readonly llm: (request: ChatRequest) => Promise<ChatReply>
  readonly tools: readonly { readonly name: string; run(args: unknown, ...rest: unknown[]): unknown }[]
}

const SYSTEM =
  'You work at the support desk of a shop. Read before you change anything, change only what was asked for, and answer in one or two sentences.'
const MOST_ROUNDS = 40

export async function supportAgent(text: string, { llm, tools }: AgentParts): Promise<string> {
  const messages: Message[] = [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: text },
  ]
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { choices } = await llm({ messages, tools: SCHEMAS })
    const message = choices[0]?.message as Message | undefined
    if (message === undefined) break
    messages.push(message)
    if (message.tool_calls === undefined) return String(message.content)
    for (const {
      id,
      function: { name, arguments: args },
    } of message.tool_calls)
      messages.push({ role: 'tool', tool_call_id: id, content: JSON.stringify(await called(tools, name, args)) })
  }
  return 'I do not get on with this.'
}

/** A failed call is a result that the model reads. */
async function called(tools: AgentParts['tools'], name: string, args: string): Promise<unknown> {
  try {
    return await tools.find((tool) => tool.name === name)?.run(JSON.parse(args))
  } catch (thrown) {
    return { error: thrown instanceof Error ? thrown.message : String(thrown) }
  }
}
