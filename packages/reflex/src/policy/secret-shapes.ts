import { digest, type TextRedaction } from '../kernel/index.ts'

/**
 * Characters of a secret by shape after which it is decided: what is held back of a stream is bounded. Keys of services
 * are shorter; of a longer run the rest is dropped with it.
 */
const LONGEST_KEY = 512
const LONGEST_TOKEN = 16_384

/** The place behind a run that may be a secret, and the judgement. */
interface Extent {
  readonly end: number
  readonly secret: boolean
}

/** A form that secrets have. */
interface Shape {
  /** The beginnings, each at the beginning of a word where it is one itself. */
  readonly prefixes: readonly string[]
  /**
   * Judges what begins at a place of a text. Undefined while more of the text may decide, never if it is `whole`. The first
   * `seen` characters behind the place were looked at before.
   */
  readonly extent: (text: string, at: number, whole: boolean, seen: number) => Extent | undefined
  /** The end of what is dropped behind a secret that was cut at its greatest length. */
  readonly restEnd: (text: string, at: number) => number
  readonly longest: number
}

// The first character that no longer belongs to a run: one search each, over the run alone.
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

/** Returns a text with `‹secret 4f1c›` in place of all that looks like a secret. */
export function redactSecretShapes(text: string): string {
  return shapeRedaction().redactAll(text)
}

/** Begins the redaction of one text that comes in parts; the parts together become what `redactSecretShapes` makes of the whole. */
export function shapeRedaction(): TextRedaction & { redactAll(text: string): string } {
  const stages = SHAPES.map((shape) => new ShapeRedaction(shape))
  const take = (more: string): string => stages.reduce((text, stage) => stage.take(text), more)
  const end = (): string => stages.reduce((text, stage) => stage.take(text) + stage.end(), '')
  return { take, end, redactAll: (text) => take(text) + end() }
}

/** Takes the secrets of one shape out of one text. */
class ShapeRedaction implements TextRedaction {
  readonly #shape: Shape
  readonly #begins: RegExp
  readonly #longestBegin: number
  /** A secret may begin here; how much of it was looked at. */
  #pending = ''
  #seen = 0
  /** The last character before what is held. */
  #before = ''
  /** The rest of a secret that was too long is being dropped. */
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

  /** The place where a secret begins, or may begin with what is still to come; the length of the text if there is none. */
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

  /** A beginning that is a word stands at the beginning of a word. */
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

/** A beginning with a run of characters behind it: a secret if the run is long enough, and if it holds what `holds` looks for. */
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
      // A full stop ends a sentence, not a token.
      while (end > behind && text[end - 1] === '.') end--
      if (end - behind < least) return { end: behind, secret: false }
      return { end, secret: test?.(text.slice(at, end)) ?? true }
    },
  }
}

const KEY_HEAD = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,5}PRIVATE KEY(?: BLOCK)?-----/y
const KEY_HEAD_START = /^-----BEGIN [A-Z0-9 -]{0,140}$/
const KEY_FOOT = /-----END [A-Z0-9 ]{0,120}PRIVATE KEY(?: BLOCK)?-----/g
/** The longest end of a private key. */
const FOOT_LENGTH = 150

/** A private key, up to its end; without one, all that could be of the key. */
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

/** The key of a service has a long part of letters and digits: words with hyphens between them are a name. */
function isServiceKey(run: string): boolean {
  return /[A-Za-z0-9_]{20}/.test(run) || (run.length >= 40 && /\d/.test(run) && /[A-Z]/.test(run))
}

/** A signed token has a head and a body, which are objects, and a signature. */
function isSignedToken(run: string): boolean {
  const parts = run.split('.')
  return parts.some((part, i) => {
    const [body = '', signature = ''] = parts.slice(i + 1)
    return [part, body].every((one) => one.includes('eyJ') && one.length >= 13) && signature.length >= 10
  })
}
