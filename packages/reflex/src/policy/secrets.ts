import { digest, type Redactor, redactTexts, type TextRedaction } from '../kernel/index.ts'
import { shapeRedaction, redactSecretShapes } from './secret-shapes.ts'

/** Words in a variable name that mark its value as a secret. */
const SECRET_WORDS = new Set([
  'KEY',
  'APIKEY',
  'TOKEN',
  'SECRET',
  'PASS',
  'PASSWORD',
  'PASSWD',
  'PASSPHRASE',
  'PGPASSWORD',
  'CREDENTIAL',
  'CREDENTIALS',
  'PAT',
  'JWT',
  'BEARER',
  'MNEMONIC',
  'WEBHOOK',
  'DBPASS',
])
/** Endings of joined words, such as `GITHUBTOKEN`. */
const SECRET_WORD_END = /(?:PASSWORD|PASSWD|PASSPHRASE|TOKEN|SECRET|CREDENTIALS|(?:API|ACCESS|SECRET|PRIVATE|SIGNING|ENCRYPTION)KEY)$/
/** Words that mark a secret at the end of a name, after other words: `PWD` is a folder, `MYSQL_PWD` a password. */
const SECRET_LAST_WORDS = new Set(['PWD', 'AUTH'])
/** A shorter text may occur anywhere by chance. */
const MIN_LENGTH = 8

/**
 * Returns the secrets of an environment: the values of variables whose names mark a secret (`OPENAI_API_KEY`, `DB_PASSWORD`).
 * The path of a file with a secret is not a secret: a value counts as a path if it looks like one and `isPath` confirms that it
 * exists, because a base64 key may begin with a slash.
 */
export function secretsIn(
  environment: Readonly<Record<string, string | undefined>>,
  isPath: (value: string) => boolean = () => false,
): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value === undefined) return []
    const secret = value.length >= MIN_LENGTH && !(/^[/~.]/.test(value) && isPath(value)) && isSecretName(name)
    return [...(secret ? [value, ...longLines(value)] : []), ...secretsInAddress(value), ...secretsInSettings(value)]
  })
}

function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z]+/)
    .filter((word) => word !== '')
  return (
    words.some((word) => SECRET_WORDS.has(word) || SECRET_WORD_END.test(word)) ||
    (words.length > 1 && SECRET_LAST_WORDS.has(words.at(-1) ?? ''))
  )
}

/** Returns the long lines of a key: programs print a key line by line, so each line is a secret. */
function longLines(secret: string): readonly string[] {
  const lines = secret.split('\n').map((line) => line.trim())
  return lines.length < 2 ? [] : lines.filter((line) => line.length >= TOKEN_LENGTH && !line.startsWith('-----'))
}

/**
 * Returns the secrets in a text with settings, such as `AccountName=ana;AccountKey=…`: the whole text, and each value whose
 * name marks a secret.
 */
function secretsInSettings(value: string): readonly string[] {
  const found = value.split(';').flatMap((pair) => {
    const at = pair.indexOf('=')
    const name = pair.slice(0, Math.max(0, at)).trim()
    return at > 0 && (isSecretName(name) || /^pwd$/i.test(name)) ? [pair.slice(at + 1).trim()] : []
  })
  return value.includes(';') && found.length > 0 ? [value, ...found] : []
}

/** A user without a password is a name, unless it is as long as a token. */
const TOKEN_LENGTH = 20

/**
 * Returns the secrets in an address such as `postgres://ana:hunter2@host/db?password=…`, for any name of its variable: the address
 * as a whole, its password, and parameters whose names mark a secret, each as written and decoded.
 */
function secretsInAddress(value: string): readonly string[] {
  const [, rest] = /^(?:jdbc:)?[a-z][a-z0-9+.-]*:\/\/([^]*)$/i.exec(value) ?? []
  if (rest === undefined) return []
  const authority = rest.split(/[/?#]/, 1)[0] ?? ''
  const login = authority.slice(0, Math.max(0, authority.lastIndexOf('@')))
  const colon = login.indexOf(':')
  const password = colon >= 0 ? login.slice(colon + 1) : login.length >= TOKEN_LENGTH ? login : ''
  const query = rest.slice(rest.indexOf('?') + 1 || rest.length).split('#', 1)[0] ?? ''
  const given = query.split('&').flatMap((pair) => (isSecretName(pair.split('=', 1)[0] ?? '') ? [pair.slice(pair.indexOf('=') + 1)] : []))
  const found = [password, ...given].filter((text) => text !== '')
  // A password that is too short to search for alone is searched for together with its user.
  return found.length === 0 ? [] : [value, ...(colon > 0 ? [login] : []), ...found.flatMap((text) => [text, decoded(text)])]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Replaces secrets in texts and values. */
export interface Redaction {
  text(text: string): string
  /** Starts the redaction of a text that comes in parts. */
  begin(): TextRedaction
  readonly value: Redactor
}

/**
 * Replaces each secret by `‹secret 4f1c›`, the same mark for equal secrets (decisions, secrets), also in its JSON, URL, form or
 * base64 encoding. Undefined if there are no secrets.
 */
export function redaction(secrets: Iterable<string>): Redaction | undefined {
  const marks = new Map<string, string>()
  for (const secret of secrets) {
    if (secret.length < MIN_LENGTH) continue
    const mark = `‹secret ${digest(secret).slice(0, 4)}›`
    for (const form of formsOf(secret)) marks.set(form, mark)
  }
  if (marks.size === 0) return undefined
  // The longest first, because one secret may be a prefix of another.
  const forms = [...marks.keys()].sort((a, b) => b.length - a.length)
  // The mark of a redacted secret is left unchanged, even if it contains another secret.
  const any = new RegExp([MARK, ...forms.map((form) => form.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'))].join('|'), 'g')
  const text = (given: string): string => given.replace(any, (found) => marks.get(found) ?? found)
  const longest = forms[0]?.length ?? 0
  const begin = (): TextRedaction => {
    let pending = ''
    const take = (more: string): string => {
      const given = pending + more
      const end = decidedEnd(given, any, forms, longest)
      pending = given.slice(end)
      return text(given.slice(0, end))
    }
    return { take, end: () => text(pending) }
  }
  return { text, begin, value: redactTexts(text, begin) }
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
function decidedEnd(text: string, any: RegExp, forms: readonly string[], longest: number): number {
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
