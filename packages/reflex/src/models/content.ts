import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { isObject, type Json } from '../kernel/index.ts'
import { faults } from './faults.ts'
import { isSameMedia, mediaOf } from './media.ts'
import type { FilePart, ModelMessage, ModelRequest } from './types.ts'

/** The most bytes of one file of a message. */
const MOST_BYTES = 16_000_000
/**
 * The most bytes of all files of a request: most providers limit the body of a request to about 32 MB, and base64 adds
 * a third.
 */
const MOST_IN_ALL = 22_000_000
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/
const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*;base64,/

/** The facts of a file that prompts, records and traces show instead of its bytes. */
export interface FileFacts {
  readonly media: string
  readonly bytes: number
  /** SHA-256, in hex. */
  readonly hash: string
  readonly name?: string | undefined
}

/**
 * Creates the file part of a message from its bytes or their base64. The media type is detected from the content;
 * `media` is the stated type. Throws `R4027` for content that is empty, of an unknown format or not of the stated type,
 * `R4028` for more than 16 MB, and `R4029` for content with another hash than `hash`.
 */
export function filePart(content: Uint8Array | string, stated: Partial<Omit<FilePart, 'data' | 'type'>> = {}): FilePart & FileFacts {
  const { name, media: _media, bytes: _bytes, hash: _hash, ...marks } = stated
  const about = name === undefined ? 'a file' : `the file ${JSON.stringify(name)}`
  const bytes = typeof content === 'string' ? decoded(content, about) : content
  if (bytes.length === 0) throw faults.make('R4027', `${about} is empty`, { fix: 'name a file that has content' })
  if (bytes.length > MOST_BYTES) throw tooLarge(`${about} has ${sizeText(bytes.length)}`, `${sizeText(MOST_BYTES)} for one file`)
  const hash = createHash('sha256').update(bytes).digest('hex')
  if (stated.hash !== undefined && stated.hash !== hash)
    throw faults.make(
      'R4029',
      `${about} is not the one that was stored: it has the hash ${shortHash(hash)} instead of ${shortHash(stated.hash)}`,
      {
        fix: 'attach the file again; records do not keep the values of secret variables, so content with such a value changes',
      },
    )
  return {
    type: 'file',
    ...marks,
    ...(name === undefined ? {} : { name }),
    media: checkedMedia(bytes, about, stated),
    bytes: bytes.length,
    hash,
    data: typeof content === 'string' ? plainBase64(content) : Buffer.from(content).toString('base64'),
  }
}

/**
 * Returns the file part of a message for a value: a `data:` URL, or `{data, media?, name?}` as `file.read` returns it
 * with `as: "base64"`. Undefined for any other value, such as a path. Throws the faults of `filePart`.
 */
export function filePartOf(value: Json | undefined): (FilePart & FileFacts) | undefined {
  if (typeof value === 'string') return DATA_URL.test(value) ? filePart(value, mediaIn(value)) : undefined
  if (!isObject(value) || typeof value['data'] !== 'string') return undefined
  const { data, media, name, path, hash } = value
  const named = typeof name === 'string' ? name : typeof path === 'string' ? path : undefined
  return filePart(data, {
    ...mediaIn(data),
    ...(named === undefined ? {} : { name: named }),
    ...(typeof media === 'string' ? { media } : {}),
    ...(typeof hash === 'string' ? { hash } : {}),
  })
}

/** Checks the files of a request and adds the facts found in their content, as `filePart` does. */
export function withCheckedFiles(request: ModelRequest): ModelRequest {
  if (!request.messages.some((message) => 'parts' in message)) return request
  let total = 0
  const messages = request.messages.map((message): ModelMessage => {
    if (message.role !== 'user' || message.parts === undefined) return message
    const parts = message.parts.map((part) => {
      if (part.type !== 'file') return part
      const { type: _, data, ...stated } = part
      const checked = filePart(data, stated)
      total += checked.bytes
      return checked
    })
    return { ...message, parts }
  })
  if (total > MOST_IN_ALL) throw tooLarge(`the files of one request have ${sizeText(total)}`, `${sizeText(MOST_IN_ALL)} in all`)
  return { ...request, messages }
}

/** Returns messages without the bytes of their files, for digests, estimates and people. */
export function withoutBytes(messages: readonly ModelMessage[]): readonly Json[] {
  const plain = JSON.parse(
    JSON.stringify(messages, (key, value: unknown) => (isFile(value) ? { ...value, data: undefined } : value)),
  ) as Json
  return Array.isArray(plain) ? (plain as Json[]) : []
}

/** Describes a file without its bytes: `photo.png, image/png 12 kB sha256:4f1c0a9d2b7e`. */
export function fileText({ name, media = 'a file', bytes, hash }: Pick<FilePart, 'name' | 'media' | 'bytes' | 'hash'>): string {
  const facts = [media, ...(bytes === undefined ? [] : [sizeText(bytes)]), ...(hash === undefined ? [] : [`sha256:${shortHash(hash)}`])]
  return [...(name === undefined ? [] : [name]), facts.join(' ')].join(', ')
}

/** Returns the text of a message for people: its files in brackets, then its text. */
export function messageText(message: ModelMessage): string {
  const parts = message.role === 'user' ? (message.parts ?? []) : []
  const shown = parts.map((part) => (part.type === 'text' ? part.text : `[${fileText(part)}]`))
  return [...shown, message.content ?? ''].filter((text) => text !== '').join('\n')
}

function isFile(value: unknown): value is FilePart & { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'file' && 'data' in value
}

function checkedMedia(bytes: Uint8Array, about: string, { media, name }: Pick<Partial<FilePart>, 'media' | 'name'>): string {
  const found = mediaOf(bytes, name)
  if (found === undefined) {
    throw faults.make('R4027', `${about} does not have a format that a model can read`, {
      fix: 'attach an image, a PDF, a sound or a text; convert other formats first',
    })
  }
  if (media === undefined) return found
  if (!isSameMedia(media, found))
    throw faults.make('R4027', `${about} is ${found} by its content, but is stated to be ${media}`, {
      fix: `write ${found}, or omit it`,
    })
  return media.includes('/') && !media.endsWith('/*') ? media : found
}

function decoded(content: string, about: string): Uint8Array {
  const plain = plainBase64(content)
  if (plain.length > MOST_BYTES * 1.4)
    throw tooLarge(`${about} has about ${sizeText(Math.round(plain.length * 0.75))}`, `${sizeText(MOST_BYTES)} for one file`)
  if (plain.includes('‹secret'))
    throw faults.make('R4029', `${about} is not the one that was stored: the value of a secret variable was removed from it`, {
      fix: 'give that variable a value of another form, or attach the file from an agent in code',
    })
  if (!BASE64.test(plain) || plain.length % 4 === 1)
    throw faults.make('R4027', `${about} is not base64`, { fix: 'write the bytes in base64, or attach the file by its path' })
  return Buffer.from(plain, 'base64')
}

function plainBase64(content: string): string {
  return content.replace(DATA_URL, '')
}

function mediaIn(data: string): Pick<FilePart, 'media'> {
  const [, media = ''] = DATA_URL.exec(data) ?? []
  return media === '' ? {} : { media }
}

function tooLarge(what: string, limit: string): Error {
  return faults.make('R4028', `${what}; the limit is ${limit}`, { fix: 'attach a smaller file: a smaller picture, or fewer pages' })
}

function shortHash(hash: string): string {
  return hash.slice(0, 12)
}

/** Returns a size such as `12 kB` or `1.4 MB`. */
function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
