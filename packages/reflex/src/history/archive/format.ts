import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Json } from '../../kernel/index.ts'

/**
 * The form of an archive: one run as JSON lines, each of which ends with a hash of itself and of all lines before it
 * (docs/archive.md).
 */
export const ARCHIVE = 1

/** A secret: text counts as its UTF-8 bytes. */
export type ArchiveSecret = string | Uint8Array

/** Characters of a large value that stand in one line, so that no line is longer than a text can be. */
export const PART = 1_000_000

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const pin = z.tuple([z.string(), z.string(), z.number().int(), hash])
const count = z.number().int().nonnegative()
const time = z.number().int()
const json = z.custom<Json>((value) => value !== undefined)

/** What the lines say, by their first key. */
export const LINES = {
  archive: z.strictObject({ archive: z.number(), run: z.string(), trace: z.string().regex(/^[0-9a-f]{32}$/), program: pin, started: time }),
  program: z.strictObject({ program: hash, kind: z.string(), source: json }),
  blob: z.strictObject({ blob: hash, part: count, of: count, text: z.string() }),
  record: z.strictObject({ record: count, v: count, row: z.array(json) }),
  message: z.strictObject({
    message: z.string(),
    type: z.enum(['answer', 'message', 'cancel']),
    to: z.string(),
    body: json,
    by: z.string().optional(),
    at: time,
  }),
  end: z.strictObject({ end: count, lines: count }),
} as const

export type LineType = keyof typeof LINES
export type LineOf<Type extends LineType> = z.infer<(typeof LINES)[Type]>

/** A line as it stands in a file: what it says, the hash behind it, and the signature behind that in the last one. */
export interface CutLine {
  readonly content: string
  readonly hash: string
  readonly signature: string | undefined
}

const HASH = /^,"hash":"([0-9a-f]{64})"$/
const SIGNATURE = /^,"signature":"([0-9a-f]{64})"$/
const HASH_LENGTH = 74
const SIGNATURE_LENGTH = 79

/** Takes a line apart; undefined for one that does not end with a hash. */
export function cutLine(line: string): CutLine | undefined {
  if (!line.endsWith('}')) return undefined
  const whole = line.length - 1
  const signature = SIGNATURE.exec(line.slice(Math.max(0, whole - SIGNATURE_LENGTH), whole))?.[1]
  const end = signature === undefined ? whole : whole - SIGNATURE_LENGTH
  const found = HASH.exec(line.slice(Math.max(0, end - HASH_LENGTH), end))?.[1]
  return found === undefined ? undefined : { content: `${line.slice(0, end - HASH_LENGTH)}}`, hash: found, signature }
}

/** The hash that goes from line to line. */
export class Chain {
  /** That of the last line. */
  head = ''
  lines = 0

  /** The hash of the next line, from what it says without its hash. */
  next(content: string): string {
    return createHash('sha256').update(this.head).update('\n').update(content, 'utf8').digest('hex')
  }

  /** A line with its hash, which is the last one from then on. */
  add(content: object): string {
    const text = JSON.stringify(content)
    this.move(this.next(text))
    return `${text.slice(0, -1)},"hash":"${this.head}"}`
  }

  move(to: string): void {
    this.head = to
    this.lines++
  }
}

/** The last line with the signature of all: HMAC-SHA-256 over its hash. */
export function signedLine(line: string, head: string, secret: ArchiveSecret): string {
  return `${line.slice(0, -1)},"signature":"${signature(head, secret)}"}`
}

function signature(head: string, secret: ArchiveSecret): string {
  return createHmac('sha256', secret).update(head).digest('hex')
}

/** Whether this is the signature of a secret. The time that it takes says nothing of where it differs. */
export function isSignedBy(given: string, head: string, secret: ArchiveSecret): boolean {
  return timingSafeEqual(Buffer.from(given, 'hex'), Buffer.from(signature(head, secret), 'hex'))
}

/** A stored start record without the proof of what its operator may claim: that counts where it was made, and for this run alone. */
export function withoutProof(row: readonly Json[]): readonly Json[] {
  return changedStart(row, (start) => {
    const { by } = start
    if (typeof by !== 'object' || by === null || Array.isArray(by) || !('proof' in by)) return start
    const { proof: _, ...rest } = by
    return { ...start, by: rest }
  })
}

/** A stored start record of the same run under another name. */
export function renamed(row: readonly Json[], run: string): readonly Json[] {
  return changedStart(row, (start) => ({ ...start, run }))
}

type Stored = Readonly<Record<string, Json>>

function changedStart(row: readonly Json[], change: (start: Stored) => Stored): readonly Json[] {
  return row.map((part) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    const { start } = part as Stored
    if (typeof start !== 'object' || start === null || Array.isArray(start)) return part
    return { ...(part as Stored), start: change(start as Stored) }
  })
}
