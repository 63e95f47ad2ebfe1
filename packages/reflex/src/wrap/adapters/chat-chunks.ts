import { type Fields, fieldsOf, textOf } from '../dialects/loose.ts'
import { faults } from '../session/faults.ts'

/** The classes of chunks of LangChain. Nothing at hand in a resumed turn leads to them. */
export interface ChunkClasses {
  readonly AIMessageChunk: new (fields: Fields) => object
  readonly ChatGenerationChunk: new (fields: Fields) => object
}

// Not literals: a host without LangChain must not need it to load this file.
const MESSAGES: string = '@langchain/core/messages'
const OUTPUTS: string = '@langchain/core/outputs'

/** Returns the classes of chunks of the LangChain of the host; undefined if it cannot be loaded from here. */
export async function chunkClasses(): Promise<ChunkClasses | undefined> {
  try {
    const [messages, outputs] = (await Promise.all([import(MESSAGES), import(OUTPUTS)])) as [Partial<ChunkClasses>, Partial<ChunkClasses>]
    const { AIMessageChunk } = messages
    const { ChatGenerationChunk } = outputs
    return AIMessageChunk === undefined || ChatGenerationChunk === undefined ? undefined : { AIMessageChunk, ChatGenerationChunk }
  } catch {
    return undefined
  }
}

/** Returns a function that makes a chunk of its JSON. It throws `R2163` without the classes. */
export function chunkMaker(classes: ChunkClasses | undefined): (chunk: Fields) => Fields {
  return (chunk) => {
    if (classes === undefined)
      throw faults.make('R2163', 'the chunks of a recorded reply need the package @langchain/core, which cannot be loaded', {
        fix: 'npm install @langchain/core, beside reflex-runtime',
      })
    const message = fieldsOf(chunk['message'])
    const { content, ...fields } = message
    return fieldsOf(
      new classes.ChatGenerationChunk({
        ...chunk,
        text: plainText(content),
        message: new classes.AIMessageChunk({ ...fields, content: content ?? '' }),
      }),
    )
  }
}

/** Passes the chunks of a model on, each with the JSON that a record has of it: what it says, once. */
export async function* recordable(chunks: AsyncIterable<unknown>): AsyncGenerator<Fields> {
  for await (const chunk of chunks) {
    const fields = fieldsOf(chunk)
    if (Object.isExtensible(fields)) Object.defineProperty(fields, 'toJSON', { value: () => chunkJson(fields), configurable: true })
    yield fields
  }
}

function chunkJson({ message, generationInfo }: Fields): Fields {
  const { content, id, tool_call_chunks, usage_metadata, response_metadata, additional_kwargs } = fieldsOf(message)
  const said = { id, usage_metadata, tool_call_chunks, response_metadata, additional_kwargs, content }
  const filled = Object.entries(said).filter(([, value]) => value !== undefined && !isEmpty(value))
  return { ...(isEmpty(generationInfo) ? {} : { generationInfo }), message: Object.fromEntries(filled) }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
}

function plainText(content: unknown): string {
  if (!Array.isArray(content)) return textOf(content)
  return content.map((part) => textOf(fieldsOf(part)['text'])).join('')
}
