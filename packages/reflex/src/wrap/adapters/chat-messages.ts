import type { MakeMessage } from '../dialects/chat-model.ts'
import { livingMessage } from '../dialects/chat-model.ts'
import { type Fields, fieldsOf, listOf } from '../dialects/loose.ts'

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
