import type { Json } from '../../kernel/index.ts'
import type { MakeMessage } from '../dialects/chat-model.ts'
import { livingMessage } from '../dialects/chat-model.ts'
import { compact, type Fields, fieldsOf, jsonOf, listOf } from '../dialects/loose.ts'

/** LangChain's own conversion of what looks like messages: a static method of the class of every chat model. */
type Convert = (this: unknown, input: readonly unknown[]) => { readonly messages?: readonly Fields[] }

/**
 * Returns a function that makes messages of the classes that a chat model of LangChain uses, by the conversion of the model's own class, so
 * that no package of LangChain is imported. Undefined for an object that has no such class.
 */
export function messageMaker(model: object): MakeMessage | undefined {
  const { constructor } = model
  const convert: unknown = Reflect.get(constructor, '_convertInputToPromptValue')
  if (typeof convert !== 'function') return undefined
  return (fields) => fieldsOf((convert as Convert).call(constructor, [fields]).messages?.[0])
}

/** Returns a result of a chat model whose messages are of their classes. Those of a record are in LangChain's serialized form. */
export function livingResult(result: Fields, make: MakeMessage): Fields {
  const generations = listOf(result['generations']).map(fieldsOf)
  if (generations.every(({ message }) => livingMessage(fieldsOf(message), make) === message)) return result
  return { ...result, generations: generations.map((each) => ({ ...each, message: livingMessage(fieldsOf(each['message']), make) })) }
}

/** The fields of a reply. A message says of itself only those with which it was made. */
const FIELDS = ['content', 'tool_calls', 'invalid_tool_calls', 'usage_metadata', 'response_metadata', 'additional_kwargs', 'id', 'name']

/** Returns the JSON of a result of a chat model, from which `livingResult` makes it again. */
export function recordedChat(result: Fields): Json {
  const generations = listOf(result['generations']).map((each) => {
    const message = fieldsOf(fieldsOf(each)['message'])
    const kwargs = compact(Object.fromEntries(FIELDS.map((name) => [name, message[name]])))
    return { ...fieldsOf(each), message: { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'AIMessage'], kwargs } }
  })
  return jsonOf({ ...result, generations })
}
