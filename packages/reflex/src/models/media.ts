import { isUtf8 } from 'node:buffer'

/** The first bytes of a format, from the offset `at`; `*` stands for any byte. */
interface Signature {
  readonly media: string
  readonly at?: number
  readonly bytes: string
}

/** The formats that providers accept, by their first bytes (in Latin-1). */
const SIGNATURES: readonly Signature[] = [
  { media: 'image/png', bytes: '\x89PNG\r\n\x1a\n' },
  { media: 'image/jpeg', bytes: '\xff\xd8\xff' },
  { media: 'image/gif', bytes: 'GIF87a' },
  { media: 'image/gif', bytes: 'GIF89a' },
  { media: 'image/webp', bytes: 'RIFF****WEBP' },
  { media: 'image/avif', at: 4, bytes: 'ftypavif' },
  { media: 'image/heic', at: 4, bytes: 'ftypheic' },
  { media: 'application/pdf', bytes: '%PDF-' },
  { media: 'audio/wav', bytes: 'RIFF****WAVE' },
  { media: 'audio/mpeg', bytes: 'ID3' },
  { media: 'audio/mpeg', bytes: '\xff\xfb' },
  { media: 'audio/mpeg', bytes: '\xff\xf3' },
  { media: 'audio/mpeg', bytes: '\xff\xf2' },
  { media: 'audio/ogg', bytes: 'OggS' },
  { media: 'audio/flac', bytes: 'fLaC' },
  { media: 'audio/mp4', at: 4, bytes: 'ftypM4A' },
  { media: 'video/mp4', at: 4, bytes: 'ftyp' },
  { media: 'video/webm', bytes: '\x1aE\xdf\xa3' },
]

/** The media types of texts by file extension; their bytes do not distinguish them. */
const TEXTS: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  htm: 'text/html',
  json: 'application/json',
  xml: 'application/xml',
}

/** The media types that are text although not all of them start with `text/`. */
const TEXT_MEDIA = /^(?:text\/|application\/(?:json|xml|yaml|javascript|x-ndjson)\b|[^;]*\+(?:json|xml)\b|image\/svg)/

/** Returns the media type of a file by its content, and of a text by its name; undefined for an unknown format. */
export function mediaOf(bytes: Uint8Array, name = ''): string | undefined {
  const found = SIGNATURES.find((signature) => matches(bytes, signature))
  if (found !== undefined) return found.media
  if (bytes.includes(0) || !isUtf8(bytes)) return undefined
  const ending = /\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(TEXTS, ending) ? TEXTS[ending] : 'text/plain'
}

/** True for a media type whose content is read as text. */
export function isText(media: string): boolean {
  return TEXT_MEDIA.test(media)
}

/** True if content of the media type `found` may be sent as `stated`: the same type, or two names of one format. */
export function isSameMedia(stated: string, found: string): boolean {
  const [one, other] = [plainMedia(stated), plainMedia(found)]
  if (isText(one)) return isText(other)
  const [kind, format] = one.split('/')
  return one === other || (kind === other.split('/')[0] && (format === undefined || format === '*' || kind === 'audio' || kind === 'video'))
}

function plainMedia(media: string): string {
  const plain = (media.split(';')[0] ?? '').trim().toLowerCase()
  return plain === 'image/jpg' ? 'image/jpeg' : plain
}

function matches(bytes: Uint8Array, { at = 0, bytes: wanted }: Signature): boolean {
  if (bytes.length < at + wanted.length) return false
  return Array.from(wanted).every((char, i) => bytes[at + i] === char.charCodeAt(0) || char === '*')
}
