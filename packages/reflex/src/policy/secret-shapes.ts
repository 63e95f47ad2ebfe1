import { digest, type TextRedaction } from '../kernel/index.ts'

/**
 * The limits of characters after which a possible secret is decided, so that a bounded part of a stream is held back. Keys of
 * services are shorter; the rest of a longer run of characters is dropped with it.
 */
const LONGEST_KEY = 512
const LONGEST_TOKEN = 16_384

/** The end of a run of characters that may be a secret, and the decision. */
interface Extent {
  readonly end: number
  readonly secret: boolean
}

/** A shape of secrets. */
interface Shape {
  /** The prefixes. A prefix that begins with a word character must be at the start of a word. */
  readonly prefixes: readonly string[]
  /**
   * Decides about the text at a position. Undefined if more text is needed, never if the text is `whole`. The first `seen`
   * characters after the position were checked before.
   */
  readonly extent: (text: string, at: number, whole: boolean, seen: number) => Extent | undefined
  /** Returns the end of the text to drop after a secret that was cut at its maximum length. */
  readonly restEnd: (text: string, at: number) => number
  readonly longest: number
}

// The first character that ends a run: one search per run.
const NO_NAME = /[^A-Za-z0-9_-]/g
const NO_WORD = /[^A-Za-z0-9_]/g
const NO_ALPHANUMERIC = /[^A-Za-z0-9]/g
const NO_HYPHENATED = /[^A-Za-z0-9-]/g
const NO_TOKEN = /[^A-Za-z0-9_.-]/g
const NO_KEY_TEXT = /[^A-Za-z0-9+/=\s\\,:-]/g

const SHAPES: readonly Shape[] = [
  tokenShape(['sk-', 'rk-', 'pk-'], NO_NAME, 20, isServiceKey),
  tokenShape(['eyJ'], NO_TOKEN, 10, isSignedToken, LONGEST_TOKEN),
  tokenShape(['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], NO_ALPHANUMERIC, 30),
  tokenShape(['github_pat_'], NO_WORD, 30),
  tokenShape(['glpat-'], NO_NAME, 20),
  tokenShape(['AKIA', 'ASIA'], NO_WORD, 16, (run) => /^[A-Z0-9]{20}$/.test(run)),
  tokenShape(['xoxa-', 'xoxb-', 'xoxp-', 'xoxr-', 'xoxs-'], NO_HYPHENATED, 10),
  tokenShape(['AIza'], NO_NAME, 35),
  { prefixes: ['-----BEGIN '], extent: privateKey, restEnd: (text, at) => endOf(NO_KEY_TEXT, text, at), longest: LONGEST_TOKEN },
]

/** Returns a text in which `‹secret 4f1c›` replaces everything that looks like a secret. */
export function redactSecretShapes(text: string): string {
  return ANY_PREFIX.test(text) ? shapeRedaction().redactAll(text) : text
}

/** A text without any of the prefixes has no secret. */
const ANY_PREFIX = new RegExp(SHAPES.flatMap(({ prefixes }) => prefixes).join('|'))

/** Starts the redaction of a text that comes in parts. The joined parts equal the result of `redactSecretShapes` for the whole text. */
export function shapeRedaction(): TextRedaction & { redactAll(text: string): string } {
  const stages = SHAPES.map((shape) => new ShapeRedaction(shape))
  const take = (more: string): string => stages.reduce((text, stage) => stage.take(text), more)
  const end = (): string => stages.reduce((text, stage) => stage.take(text) + stage.end(), '')
  return { take, end, redactAll: (text) => take(text) + end() }
}

/** Redacts the secrets of one shape in one text. */
class ShapeRedaction implements TextRedaction {
  readonly #shape: Shape
  readonly #begins: RegExp
  readonly #longestBegin: number
  /** The text that may be the start of a secret; `#seen` is the number of checked characters. */
  #pending = ''
  #seen = 0
  /** The last character before the pending text. */
  #before = ''
  /** True while the rest of a secret that was too long is dropped. */
  #dropping = false

  constructor(shape: Shape) {
    this.#shape = shape
    this.#begins = prefixPattern(shape)
    this.#longestBegin = Math.max(...shape.prefixes.map(({ length }) => length))
  }

  take(more: string): string {
    return more === '' ? '' : this.#redact(this.#pending + more, false)
  }

  end(): string {
    const rest = this.#redact(this.#pending, true)
    ;[this.#pending, this.#seen, this.#before, this.#dropping] = ['', 0, '', false]
    return rest
  }

  #redact(text: string, whole: boolean): string {
    const { extent, restEnd } = this.#shape
    let [out, at] = ['', this.#dropping ? restEnd(text, 0) : 0]
    if (at < text.length) this.#dropping = false
    for (;;) {
      const begin = this.#next(text, at, whole)
      out += text.slice(at, begin)
      const found =
        begin === text.length || !this.#hasPrefix(text, begin) ? undefined : extent(text, begin, whole, begin === 0 ? this.#seen : 0)
      if (found === undefined) return this.#keepPending(text, begin, out)
      const run = text.slice(begin, found.end)
      out += found.secret ? `‹secret ${digest(run).slice(0, 4)}›` : run
      at = found.end
      if (!found.secret || run.length < this.#shape.longest) continue
      at = restEnd(text, at)
      this.#dropping = at === text.length
    }
  }

  #keepPending(text: string, begin: number, out: string): string {
    this.#before = text[begin - 1] ?? this.#before
    this.#pending = text.slice(begin)
    this.#seen = this.#pending.length
    return out
  }

  /** Returns the position at which a secret starts or may start with the following text; the length of the text if there is none. */
  #next(text: string, from: number, whole: boolean): number {
    this.#begins.lastIndex = from
    for (let found = this.#begins.exec(text); found !== null; found = this.#begins.exec(text)) {
      if (this.#isWordStart(text, found.index)) return found.index
      this.#begins.lastIndex = found.index + 1
    }
    if (whole) return text.length
    for (let at = Math.max(from, text.length - this.#longestBegin + 1); at < text.length; at++) {
      const tail = text.slice(at)
      if (this.#shape.prefixes.some((begin) => begin.startsWith(tail)) && this.#isWordStart(text, at)) return at
    }
    return text.length
  }

  #hasPrefix(text: string, at: number): boolean {
    return this.#shape.prefixes.some((begin) => text.startsWith(begin, at))
  }

  /** True if a prefix that begins with a word character is at the start of a word. */
  #isWordStart(text: string, at: number): boolean {
    return !isWord(text[at] ?? '') || !isWord(at === 0 ? this.#before : (text[at - 1] ?? ''))
  }
}

const patterns = new WeakMap<Shape, RegExp>()

function prefixPattern(shape: Shape): RegExp {
  const known = patterns.get(shape)
  if (known !== undefined) return known
  const made = new RegExp(shape.prefixes.join('|'), 'g')
  patterns.set(shape, made)
  return made
}

/** Returns the shape of a prefix followed by a run of characters: a secret if the run is long enough and passes `test`. */
function tokenShape(
  prefixes: readonly string[],
  stop: RegExp,
  least: number,
  test?: (run: string) => boolean,
  longest = LONGEST_KEY,
): Shape {
  const rest = (text: string, at: number): number => endOf(stop, text, at)
  return {
    prefixes,
    longest,
    restEnd: rest,
    extent(text, at, whole, seen) {
      const begin = prefixes.find((one) => text.startsWith(one, at)) ?? ''
      const behind = at + begin.length
      let end = Math.min(endOf(stop, text, Math.max(behind, at + seen)), at + longest)
      if (end === text.length && !whole && end < at + longest) return undefined
      // A full stop at the end belongs to the sentence, not to the token.
      while (end > behind && text[end - 1] === '.') end--
      if (end - behind < least) return { end: behind, secret: false }
      return { end, secret: test?.(text.slice(at, end)) ?? true }
    },
  }
}

const KEY_HEAD = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,5}PRIVATE KEY(?: BLOCK)?-----/y
const KEY_HEAD_START = /^-----BEGIN [A-Z0-9 -]{0,140}$/
const KEY_FOOT = /-----END [A-Z0-9 ]{0,120}PRIVATE KEY(?: BLOCK)?-----/g
/** The maximum length of the last line of a private key. */
const FOOT_LENGTH = 150

/** Returns the extent of a private key: up to its end, or without one, everything that may belong to the key. */
function privateKey(text: string, at: number, whole: boolean, seen: number): Extent | undefined {
  KEY_HEAD.lastIndex = at
  if (!KEY_HEAD.test(text)) {
    const isOpen = !whole && text.length - at < FOOT_LENGTH && KEY_HEAD_START.test(text.slice(at))
    return isOpen ? undefined : { end: at + '-----BEGIN '.length, secret: false }
  }
  const behind = KEY_HEAD.lastIndex
  const end = Math.min(endOf(NO_KEY_TEXT, text, Math.max(behind, at + seen)), at + LONGEST_TOKEN)
  KEY_FOOT.lastIndex = Math.max(behind, at + seen - FOOT_LENGTH)
  const foot = KEY_FOOT.exec(text.slice(0, end))
  if (foot !== null) return { end: KEY_FOOT.lastIndex, secret: true }
  if (end === text.length && !whole && end < at + LONGEST_TOKEN) return undefined
  return { end, secret: true }
}

function endOf(stop: RegExp, text: string, from: number): number {
  stop.lastIndex = from
  return stop.exec(text)?.index ?? text.length
}

function isWord(character: string): boolean {
  return /\w/.test(character)
}

/** True if a run looks like the key of a service: it has a long part of letters and digits. Words with hyphens are a name. */
function isServiceKey(run: string): boolean {
  return /[A-Za-z0-9_]{20}/.test(run) || (run.length >= 40 && /\d/.test(run) && /[A-Z]/.test(run))
}

/** True if a run looks like a signed token: a head and a body, which are objects, and a signature. */
function isSignedToken(run: string): boolean {
  const parts = run.split('.')
  return parts.some((part, i) => {
    const [body = '', signature = ''] = parts.slice(i + 1)
    return [part, body].every((one) => one.includes('eyJ') && one.length >= 13) && signature.length >= 10
  })
}
