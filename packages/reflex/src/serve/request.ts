import type { z } from 'zod'
import { isFault } from '../kernel/index.ts'
import { serveFaults } from '../protocol/faults.ts'

/** The most levels of a body. */
const MOST_LEVELS = 200

/** Reads a body, at most `most` bytes of it. Throws `R6004` for a longer one, as soon as that is known. */
export async function readBody(request: Request, most: number): Promise<string> {
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > most) throw tooLarge(most)
  const parts: Uint8Array[] = []
  let size = 0
  const body: AsyncIterable<Uint8Array> | null = request.body
  for await (const part of body ?? []) {
    size += part.byteLength
    if (size > most) throw tooLarge(most)
    parts.push(part)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts))
  } catch (cause) {
    throw serveFaults.make('R6005', 'the body is not UTF-8', { cause })
  }
}

function tooLarge(most: number): Error {
  return serveFaults.make('R6004', `the body has more than ${most} bytes`)
}

/** Returns the body of a request as its route takes it: JSON, or the text of another type. Throws `R6005` for another type, and the faults of `parseJson`. */
export function parseBody(text: string, type: string | undefined, takes: readonly string[] = []): unknown {
  const [media = ''] = (type ?? '').toLowerCase().split(';')
  if (takes.includes(media.trim())) return text
  if (media.trim() !== 'application/json') {
    const wanted = ['application/json', ...takes].join(' or ')
    throw serveFaults.make('R6005', `the body is ${media === '' ? 'of no type' : media.trim()}, not ${wanted}`, {
      fix: `send the header Content-Type: ${wanted}`,
    })
  }
  return parseJson(text, mayHavePrototype(text) ? refusePrototype : undefined)
}

/** Returns the value of a text. Throws `R6080` if it is not JSON, or nests deeper than any document of this server. */
export function parseJson(text: string, reviver?: (key: string, value: unknown) => unknown): unknown {
  if (nestsTooDeep(text)) throw serveFaults.make('R6080', `the body nests deeper than ${MOST_LEVELS} levels`)
  try {
    return JSON.parse(text, reviver)
  } catch (cause) {
    if (isFault(cause)) throw cause
    throw serveFaults.make('R6080', `the body is not JSON: ${cause instanceof Error ? cause.message : 'it cannot be parsed'}`)
  }
}

/** False for most texts, which are then parsed without a call for each value. */
function mayHavePrototype(text: string): boolean {
  return text.includes('__proto__') || text.includes('\\u')
}

/** Refuses a key that schemas drop without a word. */
function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw serveFaults.make('R6080', 'the body has the key "__proto__"')
  return value
}

/** True if a text of JSON nests deeper than allowed. One pass without recursion, as a stranger wrote the text. */
function nestsTooDeep(text: string): boolean {
  let depth = 0
  let isInString = false
  for (let i = 0; i < text.length; i++) {
    const sign = text[i]
    if (sign === '"') isInString = !isInString
    else if (isInString) i += sign === '\\' ? 1 : 0
    else if (sign === '[' || sign === '{') depth++
    else if (sign === ']' || sign === '}') depth--
    if (depth > MOST_LEVELS) return true
  }
  return false
}

/** Returns a part of a request as its schema reads it. Throws `R6006` with the path of the first problem. */
export function fit<Schema extends z.ZodType>(schema: Schema, value: unknown, part: 'path' | 'query' | 'body'): z.output<Schema> {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const path = [part, ...(issue?.path ?? [])].join('.')
  throw serveFaults.make('R6006', `${path}: ${issue?.message ?? 'it is not valid'}`, {
    path,
    data: { problems: read.error.issues.slice(0, 20).map((one) => ({ path: [part, ...one.path].join('.'), message: one.message })) },
  })
}
