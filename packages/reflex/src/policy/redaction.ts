import { digest, type Redactor, redactTexts, type TextRedaction } from '../kernel/index.ts'
import { shapeRedaction, redactSecretShapes } from './secret-shapes.ts'
import { MIN_LENGTH } from './secrets.ts'

/** Replaces secrets in texts and values. */
export interface Redaction {
  text(text: string): string
  /** Starts the redaction of a text that comes in parts. */
  begin(): TextRedaction
  readonly value: Redactor
}

/** A redaction that gets more secrets while it is used: those that are read only when a tool needs them. */
export interface GrowingRedaction extends Redaction {
  isEmpty(): boolean
  /** From now on, redacts one more secret. Returns false for one that is too short to be searched for. */
  add(secret: string): boolean
}

/**
 * Replaces each secret by `‹secret 4f1c›`, the same mark for equal secrets (decisions, secrets), also in its JSON, URL, form or
 * base64 encoding. Undefined if there are no secrets. `least`: the characters of the shortest secret that is searched for.
 */
export function redaction(secrets: Iterable<string>, least = MIN_LENGTH): Redaction | undefined {
  const known = growingRedaction(secrets, least)
  return known.isEmpty() ? undefined : known
}

/** Returns the same redaction, also if there are no secrets yet. */
export function growingRedaction(secrets: Iterable<string>, least = MIN_LENGTH): GrowingRedaction {
  const known = new KnownSecrets(least)
  for (const secret of secrets) known.add(secret)
  const text = (given: string): string => known.replaceIn(given)
  const begin = (): TextRedaction => {
    let pending = ''
    const take = (more: string): string => {
      const given = pending + more
      const end = known.decidedEnd(given)
      pending = given.slice(end)
      return text(given.slice(0, end))
    }
    return { take, end: () => text(pending) }
  }
  return {
    text,
    begin,
    value: redactTexts(text, begin),
    isEmpty: () => known.isEmpty,
    add: (secret) => known.add(secret),
  }
}

/** The secrets that are searched for, in all their forms. */
class KnownSecrets {
  readonly #marks = new Map<string, string>()
  readonly #least: number
  #found: Found | undefined

  constructor(least: number) {
    this.#least = least
  }

  get isEmpty(): boolean {
    return this.#marks.size === 0
  }

  /** Returns false for a secret that is too short. */
  add(secret: string): boolean {
    if (secret.length < this.#least) return false
    if (this.#marks.has(secret)) return true
    const mark = `‹secret ${digest(secret).slice(0, 4)}›`
    for (const form of formsOf(secret)) this.#marks.set(form, mark)
    this.#found = undefined
    return true
  }

  replaceIn(given: string): string {
    return this.isEmpty ? given : given.replace(this.#search().any, (one) => this.#marks.get(one) ?? one)
  }

  decidedEnd(given: string): number {
    return this.isEmpty ? given.length : decidedEnd(given, this.#search())
  }

  #search(): Found {
    return (this.#found ??= searchFor([...this.#marks.keys()]))
  }
}

/** What is searched for. */
interface Found {
  readonly any: RegExp
  /** The longest first, because one secret may be a prefix of another. */
  readonly forms: readonly string[]
  readonly longest: number
}

function searchFor(unsorted: readonly string[]): Found {
  const forms = unsorted.toSorted((a, b) => b.length - a.length)
  // The mark of a redacted secret is left unchanged, even if it contains another secret.
  const any = new RegExp([MARK, ...forms.map((form) => form.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'))].join('|'), 'g')
  return { any, forms, longest: forms[0]?.length ?? 0 }
}

/** The redactions of recorded values. */
export interface RunRedaction {
  /** For every input: replaces known secrets; in streams also texts with the shape of a secret. */
  readonly input: Redactor
  /** For replies of models, which only quote: replaces known secrets and texts with the shape of a secret. */
  readonly reply: Redactor
}

/**
 * Returns the redactions of recorded values. Results of other effects keep texts that only have the shape of a secret: a
 * program may need them, such as a token for its next request.
 */
export function runRedaction(known: Redaction | undefined): RunRedaction {
  const values = (given: string): string => known?.text(given) ?? given
  const text = (given: string): string => redactSecretShapes(values(given))
  const begin = (): TextRedaction => {
    const [first, second] = [known?.begin(), shapeRedaction()]
    const take = (more: string): string => second.take(first?.take(more) ?? more)
    return { take, end: () => second.take(first?.end() ?? '') + second.end() }
  }
  return { input: redactTexts(values, begin, text), reply: redactTexts(text) }
}

/**
 * Returns the position after which a text that continues may contain the start of a secret. A complete secret is decided,
 * unless it is a prefix of a longer one.
 */
function decidedEnd(text: string, { any, forms, longest }: Found): number {
  const begins = (at: number): boolean => {
    const length = text.length - at
    return forms.some((form) => form.length > length && form.charCodeAt(0) === text.charCodeAt(at) && form.startsWith(text.slice(at)))
  }
  let at = 0
  const until = (end: number): number | undefined => {
    for (at = Math.max(at, text.length - longest + 1, 0); at < end; at++) if (begins(at)) return at
    return undefined
  }
  for (const { 0: found, index } of text.matchAll(any)) {
    const open = until(index + 1)
    if (open !== undefined) return open
    at = index + found.length
  }
  return until(text.length) ?? text.length
}

const MARK = '‹secret [0-9a-f]{4}›'

/** Returns the forms of a secret: plain, in JSON, in JSON inside JSON, in a URL, in a form, and in base64. */
function formsOf(secret: string): string[] {
  const whole = secret.toWellFormed()
  const json = jsonEscaped(secret)
  const addresses = [encodeURIComponent(whole), new URLSearchParams([['', whole]]).toString().slice(1)]
  const base64 = Buffer.from(secret, 'utf8').toString('base64')
  const bases = [base64, base64.replaceAll('+', '-').replaceAll('/', '_')]
  return [
    secret,
    json,
    jsonEscaped(json),
    ...addresses.flatMap((form) => [form, form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())]),
    ...bases.flatMap((form) => [form, form.replace(/={1,2}$/, '')]),
  ]
}

function jsonEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
