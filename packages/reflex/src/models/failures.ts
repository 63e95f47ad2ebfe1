import { type Fault, isFault } from '../kernel/index.ts'
import { type Access, advised, BROKEN_OFF } from './advice.ts'
import { faults } from './faults.ts'
import { NoStream } from './http.ts'

/** What the errors of the AI SDK and of `fetch` carry, as far as it is read. */
interface Trouble {
  readonly name: string
  readonly message: string
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
  readonly url: string
  readonly code: string
  readonly retryable: boolean
  readonly cause: unknown
}

/** Whom the failure is of. */
interface Asked {
  readonly name: string
  /** Cleans every word of a provider. */
  readonly scrub: (text: string) => string
  readonly access: Access | undefined
}

const UNREADABLE = /JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody|NoContentGenerated/
const UNREACHABLE = /^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR|CERT_|ERR_TLS)/
const TOO_LONG =
  /context.{0,3}(?:length|window|size)|maximum context|prompt is too long|too many tokens|exceeds? the (?:model'?s? )?(?:max|limit|context)/i
const SPENT = /insufficient_quota|billing|credit balance/i
/** Errors that caused one another, looked at. */
const MOST_CAUSES = 8
const FILTERED = /content_filter|content management policy|safety system/i

/**
 * What a provider package threw, as a fault that says who may retry: 408, 409, 429, 5xx, broken connections, cut streams
 * and answers that make no sense may pass; 400, 401, 403, 404 and the like will not. It says what can be done about it.
 */
export function failureOf(thrown: unknown, asked: Asked): Fault {
  return advised(faultWithin(thrown) ?? classified(thrown, asked), asked.access)
}

/** A fault of our own, which a package may have wrapped. */
function faultWithin(thrown: unknown): Fault | undefined {
  let next = thrown
  for (let depth = 0; depth < MOST_CAUSES; depth++) {
    if (isFault(next)) return next
    next = next instanceof Error ? next.cause : undefined
  }
  return undefined
}

function classified(thrown: unknown, { name: model, scrub }: Asked): Fault {
  const page = noStream(thrown)
  if (page !== undefined) return saidInstead(page, model, scrub)
  const trouble = troubleOf(thrown)
  const words = scrub(wordsOf(trouble))
  if (trouble.status !== undefined && trouble.status >= 400) return refused(trouble, trouble.status, model, words)
  const chain = causes(thrown)
  if (chain.some(({ code }) => UNREACHABLE.test(code))) return unreachable(scrub(addressOf(trouble.url)), model, scrub(lastWords(chain)))
  if (chain.some(({ name }) => UNREADABLE.test(name)))
    return trouble.message.includes('without a finish reason')
      ? faults.make('R4011', `${model} ended its stream before the answer was whole`, { fix: BROKEN_OFF })
      : faults.make('R4012', `${model} answered with something else than an answer: ${words}`)
  if (trouble.name === 'AI_LoadAPIKeyError' || trouble.name === 'AI_LoadSettingError') return faults.make('R4004', `${model}: ${words}`)
  if (trouble.name === 'AI_UnsupportedFunctionalityError' && /media|file|image|audio|pdf/i.test(trouble.message))
    return faults.make('R4030', `${model} does not take a file of the message: ${words}`, {
      fix: 'name another model, or convert the file',
    })
  // An answer that had begun and could not be read to its end.
  if (trouble.status !== undefined || /terminated|other side closed|premature/i.test(trouble.message))
    return trouble.status !== undefined && trouble.cause === undefined
      ? faults.make('R4012', `${model} answered with something else than an answer: ${words}`)
      : faults.make('R4011', `the connection to ${model} broke before the answer was whole: ${words}`, { fix: BROKEN_OFF })
  if (trouble.retryable || trouble.message === 'fetch failed') return unreachable(scrub(addressOf(trouble.url)), model, words)
  // Servers report errors inside a stream as plain objects.
  if (!(thrown instanceof Error)) return streamed(thrown, model, words)
  return faults.make('R4007', `${model} cannot answer: ${words}`, { cause: scrub(`${trouble.name}: ${trouble.message}`) })
}

function noStream(thrown: unknown): NoStream | undefined {
  let next = thrown
  for (let depth = 0; depth < MOST_CAUSES && next instanceof Error; depth++, next = next.cause) if (next instanceof NoStream) return next
  return undefined
}

/** A server answered with success and said in place of a stream what is wrong. */
function saidInstead({ body }: NoStream, model: string, scrub: (text: string) => string): Fault {
  const object = fieldsOf(parsed(body))
  const error = typeof object.error === 'object' ? fieldsOf(object.error) : object
  const said = wordsOf({ ...troubleOf(undefined), message: pageText(body), body })
  return error.message === undefined && typeof object.error !== 'string'
    ? faults.make('R4012', `${model} answered with something else than a stream: ${scrub(said)}`)
    : streamed(error, model, scrub(said))
}

/** The text of a page without its markup. */
function pageText(body: string): string {
  return body.replace(/<(?:style|script)\b[^<>]*>[^<]*/gi, ' ').replace(/<[^<>]*>?/g, ' ')
}

function refused(trouble: Trouble, status: number, model: string, words: string): Fault {
  const said = `${model} answered ${status}${words === '' ? '' : `: ${words}`}`
  const data = { model, status }
  const all = `${trouble.message} ${trouble.body}`
  if (status === 401 || status === 403) return faults.make('R4006', said, { data })
  if (status === 429) {
    if (SPENT.test(all))
      return faults.make('R4009', said, { data, verdict: 'fail', fix: 'add credit to the account, or name another model' })
    const retryAfter = retryAfterOf(trouble.headers)
    return faults.make('R4009', said, { data: { ...data, ...retryAfter } })
  }
  if (status === 408 || status === 409 || status >= 500)
    return faults.make('R4010', said, { data: { ...data, ...retryAfterOf(trouble.headers) } })
  if (status === 413 || TOO_LONG.test(all)) return faults.make('R4008', said, { data })
  if (FILTERED.test(all)) return faults.make('R4014', said, { data })
  return faults.make('R4007', said, { data })
}

function unreachable(address: string, model: string, words: string): Fault {
  return faults.make('R4011', `${model} cannot be reached${address === '' ? '' : ` at ${address}`}: ${words}`)
}

function streamed(thrown: unknown, model: string, words: string): Fault {
  const { code, type } = fieldsOf(thrown)
  const said = `${model} broke its answer off: ${words}`
  const kind = `${String(code)} ${String(type)}`
  if (/rate_limit/.test(kind)) return faults.make('R4009', said, { data: { model } })
  if (/authentication|permission|api_key/.test(kind)) return faults.make('R4006', said, { data: { model } })
  if (/invalid_request|not_found/.test(kind)) return faults.make(TOO_LONG.test(words) ? 'R4008' : 'R4007', said, { data: { model } })
  return faults.make('R4010', said, { data: { model } })
}

/**
 * How long the provider asks to wait: seconds, or a date. A date stays one, since only a host knows the time; the reply's
 * own date, if there is one, makes it a length whatever the clocks say.
 */
function retryAfterOf(headers: Trouble['headers']): { readonly retryAfter?: number; readonly retryAt?: number } {
  const milliseconds = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return { retryAfter: Math.ceil(milliseconds) }
  const after = headers['retry-after']
  if (typeof after !== 'string' || after.trim() === '') return {}
  const seconds = Number(after)
  if (Number.isFinite(seconds)) return seconds < 0 ? {} : { retryAfter: Math.ceil(seconds * 1000) }
  const until = Date.parse(after)
  if (!Number.isFinite(until)) return {}
  const sent = Date.parse(typeof headers['date'] === 'string' ? headers['date'] : '')
  return Number.isFinite(sent) ? { retryAfter: Math.max(0, until - sent) } : { retryAt: until }
}

/** The provider's own sentence, which most of them put in the same place of the body. */
function wordsOf({ message, body }: Trouble): string {
  const { error, message: own, detail } = fieldsOf(parsed(body))
  const said = typeof error === 'string' ? error : (fieldsOf(error).message ?? own ?? detail)
  return typeof said === 'string' && said !== '' ? said : message
}

function lastWords(chain: readonly Trouble[]): string {
  return chain.findLast(({ message }) => message !== '')?.message ?? 'no connection'
}

/** An error and what caused it, outermost first. */
function causes(thrown: unknown): readonly Trouble[] {
  const chain: Trouble[] = []
  let next = thrown
  while (typeof next === 'object' && next !== null && chain.length < MOST_CAUSES) {
    const trouble = troubleOf(next)
    chain.push(trouble)
    next = trouble.cause
  }
  return chain
}

function troubleOf(thrown: unknown): Trouble {
  const own = fieldsOf(thrown)
  const message = thrown instanceof Error ? thrown.message : typeof thrown === 'string' ? thrown : textOf(own.message)
  return {
    name: thrown instanceof Error ? thrown.name : '',
    message: message === '' && !(thrown instanceof Error) ? (JSON.stringify(thrown) ?? '') : message,
    status: typeof own.statusCode === 'number' ? own.statusCode : undefined,
    headers: fieldsOf(own.responseHeaders),
    body: textOf(own.responseBody),
    url: textOf(own.url),
    code: textOf(own.code),
    retryable: own.isRetryable === true,
    cause: thrown instanceof Error ? thrown.cause : undefined,
  }
}

/** An address without what may be secret in it: a user, and everything behind the path. */
function addressOf(url: string): string {
  if (!URL.canParse(url)) return ''
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
