import type { CanonicalMessage, CanonicalPart } from './contract.ts'
import { argumentsOf, CallOrdinals, type Fields, fieldsOf, jsonOf, listOf, textOf, without } from './loose.ts'
import { type MessageForm, replaceText, textsOf, withPart } from './messages.ts'

/** Lists of items, in which messages, calls and results stand side by side: OpenAI's responses and its agents differ in the names of fields alone. */
export interface ItemNames {
  /** The field of the id by which a call and its result belong together. */
  readonly callId: 'call_id' | 'callId'
  /** The type of the result of a call. */
  readonly result: 'function_call_output' | 'function_call_result'
}

const TEXT = ['input_text', 'output_text', 'text']
const inputText = (text: string): Fields => ({ type: 'input_text', text })
const outputText = (text: string): Fields => ({ type: 'output_text', text })

/** Returns an input as a list: a text is a message of the user. */
export function itemsOf(input: unknown): readonly unknown[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input)
}

/** How messages among items are changed; what a hidden round is differs. */
export const ITEM_FORM: Omit<MessageForm, 'hidden'> = {
  append: (item, text) => ({ ...item, content: withPart(item['content'], text, inputText) }),
  replace: (item, text) => {
    if (!isAssistant(item)) return item
    return text === '' ? undefined : { ...item, content: replaceText(item['content'], text, TEXT, outputText) }
  },
  // The interface refuses reasoning that its message or call does not follow.
  leads: (item) => item['type'] === 'reasoning',
}

/** True for a message of the assistant. */
export function isAssistant(item: Fields): boolean {
  return item['role'] === 'assistant' && (item['type'] === 'message' || item['type'] === undefined)
}

/** Returns the texts of a message of the assistant. */
export function assistantTexts(item: Fields): readonly string[] {
  return isAssistant(item) ? textsOf(item['content'], TEXT) : []
}

/** Returns the name of the tool of an item that is a call. */
export function calledTool(item: Fields): string | undefined {
  return item['type'] === 'function_call' ? textOf(item['name']) : undefined
}

/** Replaces the text of an output: the first message gets it, the others go, and without a message one is added. */
export function replaceOutputText(output: readonly unknown[], text: string, message: Fields): readonly unknown[] {
  let isPlaced = text === ''
  const items = output.flatMap((item) => {
    const fields = fieldsOf(item)
    if (assistantTexts(fields).length === 0) return [item]
    if (isPlaced) return []
    isPlaced = true
    return [{ ...fields, content: replaceText(fields['content'], text, TEXT, outputText) }]
  })
  if (isPlaced) return items
  const firstCall = items.findIndex((item) => calledTool(fieldsOf(item)) !== undefined)
  const at = firstCall === -1 ? items.length : firstCall
  return [...items.slice(0, at), { type: 'message', role: 'assistant', ...message, content: [outputText(text)] }, ...items.slice(at)]
}

/** Says items as every dialect says messages: an item is one message. */
export function canonicalItems(items: readonly unknown[], names: ItemNames): CanonicalMessage[] {
  const ordinals = new CallOrdinals()
  return items.map((each) => {
    const item = fieldsOf(each)
    const id = item[names.callId]
    if (item['type'] === 'function_call')
      return {
        role: 'assistant',
        parts: [{ call: ordinals.of(id), name: textOf(item['name']), arguments: argumentsOf(item['arguments']) }],
      }
    if (item['type'] === names.result) return { role: 'tool', parts: [{ result: ordinals.of(id), value: jsonOf(item['output']) }] }
    const role = item['role'] === 'developer' ? 'system' : item['role']
    if (role !== 'user' && role !== 'assistant' && role !== 'system')
      return { role: 'assistant', parts: [{ data: jsonOf(without(item, 'id')) }] }
    return { role, parts: canonicalContent(item['content']) }
  })
}

function canonicalContent(content: unknown): readonly CanonicalPart[] {
  if (typeof content === 'string') return textsOf(content, TEXT).map((text) => ({ text }))
  return listOf(content).map((part) => {
    const { type, text } = fieldsOf(part)
    return TEXT.includes(textOf(type)) ? { text: textOf(text) } : { data: jsonOf(without(part, 'id')) }
  })
}
