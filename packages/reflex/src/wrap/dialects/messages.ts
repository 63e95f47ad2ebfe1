import { PROTOCOL_TOOLS, type ProtocolTool, protocolCall } from '../../kinds/skill/protocol/native.ts'
import type { CanonicalMessage, CanonicalPart, CanonicalRequest, HiddenRound, Injection } from './contract.ts'
import { type Fields, fieldsOf, jsonOf, listOf, textOf } from './loose.ts'

/** How a dialect says a part of text. */
export type TextPart = (text: string) => Fields

/** Returns the texts of a content that is a text or a list of parts with a `text`. */
export function textsOf(content: unknown, types: readonly string[]): readonly string[] {
  if (typeof content === 'string') return content === '' ? [] : [content]
  return listOf(content).flatMap((part) => {
    const { type, text } = fieldsOf(part)
    return types.includes(textOf(type)) && typeof text === 'string' ? [text] : []
  })
}

/** Returns content with one more part of text. */
export function withPart(content: unknown, text: string, part: TextPart): readonly unknown[] {
  if (typeof content === 'string') return content === '' ? [part(text)] : [part(content), part(text)]
  return [...listOf(content), part(text)]
}

/** Returns content with its text replaced: the first part of text gets it, the others go. An empty text leaves no part of text. */
export function replaceText(content: unknown, text: string, types: readonly string[], part: TextPart): unknown {
  if (!Array.isArray(content)) return text
  let isPlaced = text === ''
  const parts = (content as unknown[]).flatMap((each) => {
    const fields = fieldsOf(each)
    if (!types.includes(textOf(fields['type']))) return [each]
    if (isPlaced) return []
    isPlaced = true
    return [{ ...fields, text }]
  })
  if (isPlaced) return parts
  const firstCall = parts.findIndex((each) => ['tool_use', 'tool-call'].includes(textOf(fieldsOf(each)['type'])))
  const at = firstCall === -1 ? parts.length : firstCall
  return [...parts.slice(0, at), part(text), ...parts.slice(at)]
}

/** Adds a line to a system text. */
export function withGuidance(text: unknown, guidance: string): string {
  return typeof text === 'string' && text !== '' ? `${text}\n\n${guidance}` : guidance
}

/** How a dialect changes a message that a ledger has something for. */
export interface MessageForm {
  /** Returns a message of a user with a further part of text. */
  readonly append: (message: Fields, text: string) => Fields
  /** Returns a message of the assistant with another text; undefined if nothing is left of it. */
  readonly replace: (message: Fields, text: string) => Fields | undefined
  /** Returns the messages of a hidden round. */
  readonly hidden: (round: HiddenRound) => readonly Fields[]
  /** True for a message that belongs to the next one: nothing is put between them. */
  readonly leads?: (message: Fields) => boolean
}

/** Puts bulletins and hidden exchanges into a list of messages. Messages without any are the same objects. */
export function injectMessages(messages: readonly unknown[], { bulletins, splices }: Injection, form: MessageForm): readonly unknown[] {
  let leading: unknown[] = []
  const injected = messages.flatMap((message, index): readonly unknown[] => {
    if (form.leads?.(fieldsOf(message)) === true) {
      leading.push(message)
      return []
    }
    const before = leading
    leading = []
    const splice = splices.get(index)
    if (splice !== undefined) {
      const last = form.replace(fieldsOf(message), splice.text)
      const hidden = splice.rounds.flatMap((round) => form.hidden(round))
      return last === undefined ? hidden : [...hidden, ...before, last]
    }
    const bulletin = bulletins.get(index)
    return [...before, bulletin === undefined ? message : form.append(fieldsOf(message), bulletin)]
  })
  return [...injected, ...leading]
}

/** Returns the tools with those of the protocol after them, once. */
export function withTools(tools: unknown, form: (tool: ProtocolTool) => Fields): readonly unknown[] {
  const others = listOf(tools).filter((tool) => protocolCall(toolName(tool)) === undefined)
  return [...others, ...PROTOCOL_TOOLS.map(form)]
}

function toolName(tool: unknown): string {
  const { name, function: inner } = fieldsOf(tool)
  return textOf(name ?? fieldsOf(inner)['name'])
}

/** Returns the message that opened the turn: the last of a user that has text. */
export function turnOf(messages: readonly CanonicalMessage[]): CanonicalRequest['turn'] {
  const index = messages.findLastIndex(({ role, parts }) => role === 'user' && parts.some((part) => 'text' in part))
  const message = messages[index]
  return message === undefined ? undefined : { index, text: partsText(message.parts) }
}

/** Returns the text of parts, a line for each. */
export function partsText(parts: readonly CanonicalPart[]): string {
  return parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n')
}

/** Builds a canonical request; its turn and what is undefined are left to this function. */
export function canonicalRequest(request: Omit<CanonicalRequest, 'turn' | 'params'> & { readonly params: Fields }): CanonicalRequest {
  const turn = turnOf(request.messages)
  return { ...request, params: jsonOf(request.params) as CanonicalRequest['params'], ...(turn !== undefined && { turn }) }
}

/** Describes a tool as every dialect says it. */
export function canonicalTool(name: unknown, description: unknown, parameters: unknown): CanonicalRequest['tools'][number] {
  return { name: textOf(name), ...(typeof description === 'string' && { description }), parameters: jsonOf(parameters ?? {}) }
}

/** Keeps the own calls of an agent up to a number, and no call of the protocol. Items that are no calls stay. */
export function keepOwnCalls(items: readonly unknown[], nameOf: (item: Fields) => string | undefined, count: number): readonly unknown[] {
  let kept = 0
  return items.filter((item) => {
    const name = nameOf(fieldsOf(item))
    if (name === undefined) return true
    return protocolCall(name) === undefined && kept++ < count
  })
}
