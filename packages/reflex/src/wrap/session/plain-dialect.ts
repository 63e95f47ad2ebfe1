import type { Dialect } from '../dialects/contract.ts'
import { type Fields, fieldsOf } from '../dialects/loose.ts'
import { partsText } from '../dialects/messages.ts'
import { openAiChat } from '../dialects/openai-chat.ts'

/**
 * The dialect of a plain function: its request may also be a list of messages or a text, its reply also a message or a text. Both keep
 * their form.
 */
export function plainDialect(base: Dialect): Dialect {
  return {
    ...base,
    messages: (given) => base.messages(wholeRequest(given)),
    read: (given) => base.read(wholeRequest(given)),
    inject: (given, injection) => base.inject(wholeRequest(given), injection),
    result: (given, messages) => base.result(wholeRequest(given), messages),
    reply: (raw) => base.reply(wholeResponse(raw)),
    write: (raw, replacement) =>
      likeResponse(raw, base.write(wholeResponse(raw), { ...replacement, rounds: replacement.rounds.map(wholeResponse) })),
  }
}

/** Returns a request in the form in which the agent gave it, with other messages. */
export function plainForm(given: unknown, request: Fields): unknown {
  if (Array.isArray(given)) return request['messages']
  if (typeof given !== 'string') return request
  return openAiChat
    .read(request)
    .messages.map(({ parts }) => partsText(parts))
    .join('\n\n')
}

function wholeRequest(given: unknown): Fields {
  if (typeof given === 'string') return { messages: [{ role: 'user', content: given }] }
  return Array.isArray(given) ? { messages: given as unknown[] } : fieldsOf(given)
}

function wholeResponse(raw: unknown): Fields {
  if (typeof raw === 'string') return { choices: [{ message: { role: 'assistant', content: raw } }] }
  const fields = fieldsOf(raw)
  return isMessage(fields) ? { choices: [{ message: fields }] } : fields
}

/** A message of a chat, and no response of a provider. */
function isMessage(fields: Fields): boolean {
  return 'role' in fields && !('choices' in fields) && !('output' in fields) && fields['type'] !== 'message'
}

/** Returns a written response in the form of the one that the function gave. */
function likeResponse(raw: unknown, written: Fields): Fields {
  if (typeof raw !== 'string' && !isMessage(fieldsOf(raw))) return written
  const [choice] = written['choices'] as readonly unknown[]
  const message = fieldsOf(fieldsOf(choice)['message'])
  return typeof raw === 'string' ? ((message['content'] ?? '') as unknown as Fields) : message
}
