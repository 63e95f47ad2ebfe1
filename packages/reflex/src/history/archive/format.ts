import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { historyFaults } from '../faults.ts'
import type { Json } from '../../kernel/index.ts'

/**
 * The newest format of an archive: one run as JSON lines. Each line ends with a hash of itself and of all lines before it
 * (docs/archive.md). A run that was never sealed is written in format 1.
 */
export const ARCHIVE = 2

/** A secret. A text stands for its UTF-8 bytes. */
export type ArchiveSecret = string | Uint8Array

/** The maximum size in characters of the part of a large value in one line, so that no line is longer than a text can be. */
export const PART_SIZE = 1_000_000

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const functionPin = z.union([z.tuple([z.string(), z.string()]), z.tuple([z.string(), z.string(), z.string()])])
const plainPin = z.tuple([z.string(), z.string(), z.number().int(), hash])
export const pin = z.union([plainPin, z.tuple([...plainPin.def.items, z.array(functionPin)])])
export const count = z.number().int().nonnegative()
/** The range of times in milliseconds before and after the epoch. */
const END_OF_TIME = 8_640_000_000_000_000
export const time = z.number().int().min(-END_OF_TIME).max(END_OF_TIME)
export const json = z.custom<Json>((value) => value !== undefined)

const header = { run: z.string(), trace: z.string().regex(/^[0-9a-f]{32}$/), program: pin, started: time }

/** The schemas of the lines, by their first key. */
export const LINES = {
  archive: z.discriminatedUnion('archive', [
    z.strictObject({ archive: z.literal(1), ...header }),
    z.strictObject({ archive: z.literal(ARCHIVE), ...header, through: count.min(1).optional() }),
  ]),
  segment: z.union([
    z.strictObject({ segment: count.min(2), at: count.min(1) }),
    z.strictObject({ segment: count.min(1), at: count.min(1), chain: count.optional(), archive: hash.optional(), snapshot: hash }),
  ]),
  program: z.strictObject({ program: hash, kind: z.string(), source: json }),
  blob: z.strictObject({ blob: hash, part: count, of: count, text: z.string() }),
  record: z.strictObject({ record: count, v: count.min(1), row: z.array(json) }),
  message: z.strictObject({
    message: z.string(),
    type: z.enum(['answer', 'message', 'cancel']),
    to: z.string(),
    body: json,
    by: z.string().optional(),
    reason: z.string().optional(),
    at: time,
  }),
  end: z.strictObject({ end: count, lines: count }),
} as const

export type LineType = keyof typeof LINES
export type LineOf<Type extends LineType> = z.infer<(typeof LINES)[Type]>

/** A line of the file in parts: its content, the hash behind it, and the signature, which only the last line has. */
export interface SplitLine {
  readonly content: string
  readonly hash: string
  readonly signature: string | undefined
}

const HASH = /^,"hash":"([0-9a-f]{64})"$/
const SIGNATURE = /^,"signature":"([0-9a-f]{64})"$/
const HASH_LENGTH = 74
const SIGNATURE_LENGTH = 79

/** Splits a line; returns undefined for a line that does not end with a hash. */
export function splitLine(line: string): SplitLine | undefined {
  if (!line.endsWith('}')) return undefined
  const whole = line.length - 1
  const signature = SIGNATURE.exec(line.slice(Math.max(0, whole - SIGNATURE_LENGTH), whole))?.[1]
  const end = signature === undefined ? whole : whole - SIGNATURE_LENGTH
  const found = HASH.exec(line.slice(Math.max(0, end - HASH_LENGTH), end))?.[1]
  return found === undefined ? undefined : { content: `${line.slice(0, end - HASH_LENGTH)}}`, hash: found, signature }
}

/** The chain of hashes through all lines. */
export class Chain {
  /** The hash of the last line. */
  head = ''
  lines = 0

  /** Returns the hash of the next line from its content without the hash. */
  nextHash(content: string): string {
    return createHash('sha256').update(this.head).update('\n').update(content, 'utf8').digest('hex')
  }

  /** Returns a line with its hash and makes it the last line. */
  add(content: object): string {
    const text = JSON.stringify(content)
    this.advance(this.nextHash(text))
    return `${text.slice(0, -1)},"hash":"${this.head}"}`
  }

  advance(nextHead: string): void {
    this.head = nextHead
    this.lines++
  }
}

/** Returns the last line with the signature of the archive: HMAC-SHA-256 over its hash. */
export function signedLine(line: string, head: string, secret: ArchiveSecret): string {
  return `${line.slice(0, -1)},"signature":"${signature(head, secret)}"}`
}

function signature(head: string, secret: ArchiveSecret): string {
  return createHmac('sha256', secret).update(head).digest('hex')
}

/** Returns the secret. Throws `R2088` for an empty secret, because anybody could have made its signature. */
export function checkedSecret(secret: ArchiveSecret | undefined): ArchiveSecret | undefined {
  if (secret?.length === 0) throw historyFaults.make('R2088', 'the secret of an archive is empty')
  return secret
}

/** True if a secret made this signature. The comparison takes constant time. */
export function isSignedBy(value: string, head: string, secret: ArchiveSecret): boolean {
  return timingSafeEqual(Buffer.from(value, 'hex'), Buffer.from(signature(head, secret), 'hex'))
}
