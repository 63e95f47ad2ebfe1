import { type Fault, isFault } from '../kernel/index.ts'
import { type Access, withAdvice, STREAM_CUT_ADVICE } from './advice.ts'
import { faults } from './faults.ts'
import { NoStreamError } from './http.ts'

/** The facts that are read from the errors of the AI SDK and of `fetch`. */
interface ErrorFacts {
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

/** The model that failed. */
interface AskedModel {
  readonly name: string
  /** Removes secrets from any text of a provider. */
  readonly scrub: (text: string) => string
  readonly access: Access | undefined
}

const UNREADABLE = /JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody|NoContentGenerated/
const UNREACHABLE = /^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR|CERT_|ERR_TLS)/
const TOO_LONG =
  /context.{0,3}(?:length|window|size)|maximum context|prompt is too long|too many tokens|exceeds? the (?:model'?s? )?(?:max|limit|context)/i
const QUOTA_SPENT = /insufficient_quota|billing|credit balance/i
/** The most errors of a chain of causes that are examined. */
const MOST_CAUSES = 8
const FILTERED = /content_filter|content management policy|safety system/i

/**
 * Converts what a provider package threw into a fault with a verdict. 408, 409, 429, 5xx, lost connections, cut streams
 * and unreadable answers can be retried; 400, 401, 403, 404 and similar cannot. The fault contains advice.
 */
export function failureOf(thrown: unknown, asked: AskedModel): Fault {
  return withAdvice(wrappedFault(thrown) ?? classify(thrown, asked), asked.access)
}

/** Returns a fault of Reflex that a package may have wrapped. */
function wrappedFault(thrown: unknown): Fault | undefined {
  let next = thrown
  for (let depth = 0; depth < MOST_CAUSES; depth++) {
    if (isFault(next)) return next
    next = next instanceof Error ? next.cause : undefined
  }
  return undefined
}

function classify(thrown: unknown, { name: model, scrub }: AskedModel): Fault {
  const page = noStreamIn(thrown)
  if (page !== undefined) return pageFault(page, model, scrub)
  const trouble = errorFactsOf(thrown)
  const words = scrub(providerMessage(trouble))
  if (trouble.status !== undefined && trouble.status >= 400) return statusFault(trouble, trouble.status, model, words)
  const chain = causeChain(thrown)
  if (chain.some(({ code }) => UNREACHABLE.test(code)))
    return unreachableFault(scrub(addressOf(trouble.url)), model, scrub(lastMessage(chain)))
  if (chain.some(({ name }) => UNREADABLE.test(name)))
    return trouble.message.includes('without a finish reason')
      ? faults.make('R4011', `${model} ended its stream before the answer was complete`, { fix: STREAM_CUT_ADVICE })
      : faults.make('R4012', `${model} sent a response that is not an answer: ${words}`)
  if (trouble.name === 'AI_LoadAPIKeyError' || trouble.name === 'AI_LoadSettingError') return faults.make('R4004', `${model}: ${words}`)
  if (trouble.name === 'AI_UnsupportedFunctionalityError' && /media|file|image|audio|pdf/i.test(trouble.message))
    return faults.make('R4030', `${model} does not take a file of the message: ${words}`, {
      fix: 'name another model, or convert the file',
    })
  // The answer started and could not be read to its end.
  if (trouble.status !== undefined || /terminated|other side closed|premature/i.test(trouble.message))
    return trouble.status !== undefined && trouble.cause === undefined
      ? faults.make('R4012', `${model} sent a response that is not an answer: ${words}`)
      : faults.make('R4011', `the connection to ${model} was lost before the answer was complete: ${words}`, { fix: STREAM_CUT_ADVICE })
  if (trouble.retryable || trouble.message === 'fetch failed') return unreachableFault(scrub(addressOf(trouble.url)), model, words)
  // Servers report errors inside a stream as plain objects.
  if (!(thrown instanceof Error)) return streamFault(thrown, model, words)
  return faults.make('R4007', `${model} cannot answer: ${words}`, { cause: scrub(`${trouble.name}: ${trouble.message}`) })
}

function noStreamIn(thrown: unknown): NoStreamError | undefined {
  let next = thrown
  for (let depth = 0; depth < MOST_CAUSES && next instanceof Error; depth++, next = next.cause)
    if (next instanceof NoStreamError) return next
  return undefined
}

/** Returns the fault for a server that answered with success and sent an error text instead of a stream. */
function pageFault({ body }: NoStreamError, model: string, scrub: (text: string) => string): Fault {
  const object = fieldsOf(parsed(body))
  const error = typeof object.error === 'object' ? fieldsOf(object.error) : object
  const sentence = providerMessage({ ...errorFactsOf(undefined), message: pageText(body), body })
  return error.message === undefined && typeof object.error !== 'string'
    ? faults.make('R4012', `${model} sent a response that is not a stream: ${scrub(sentence)}`)
    : streamFault(error, model, scrub(sentence))
}

/** Returns the text of a page without its markup. */
function pageText(body: string): string {
  return body.replace(/<(?:style|script)\b[^<>]*>[^<]*/gi, ' ').replace(/<[^<>]*>?/g, ' ')
}

function statusFault(trouble: ErrorFacts, status: number, model: string, words: string): Fault {
  const sentence = `${model} answered ${status}${words === '' ? '' : `: ${words}`}`
  const data = { model, status }
  const all = `${trouble.message} ${trouble.body}`
  if (status === 401 || status === 403) return faults.make('R4006', sentence, { data })
  if (status === 429) {
    if (QUOTA_SPENT.test(all))
      return faults.make('R4009', sentence, { data, verdict: 'fail', fix: 'add credit to the account, or name another model' })
    const retryAfter = retryAfterOf(trouble.headers)
    return faults.make('R4009', sentence, { data: { ...data, ...retryAfter } })
  }
  if (status === 408 || status === 409 || status >= 500)
    return faults.make('R4010', sentence, { data: { ...data, ...retryAfterOf(trouble.headers) } })
  if (status === 413 || TOO_LONG.test(all)) return faults.make('R4008', sentence, { data })
  if (FILTERED.test(all)) return faults.make('R4014', sentence, { data })
  return faults.make('R4007', sentence, { data })
}

function unreachableFault(address: string, model: string, words: string): Fault {
  return faults.make('R4011', `${model} cannot be reached${address === '' ? '' : ` at ${address}`}: ${words}`)
}

function streamFault(thrown: unknown, model: string, words: string): Fault {
  const { code, type } = fieldsOf(thrown)
  const sentence = `${model} stopped in the middle of its answer: ${words}`
  const kind = `${String(code)} ${String(type)}`
  if (/rate_limit/.test(kind)) return faults.make('R4009', sentence, { data: { model } })
  if (/authentication|permission|api_key/.test(kind)) return faults.make('R4006', sentence, { data: { model } })
  if (/invalid_request|not_found/.test(kind)) return faults.make(TOO_LONG.test(words) ? 'R4008' : 'R4007', sentence, { data: { model } })
  return faults.make('R4010', sentence, { data: { model } })
}

/**
 * Returns the time that the provider asks to wait: milliseconds, or a date. A date is kept because only a host knows
 * the time; if the reply has its own date, the difference is used, whatever the clocks say.
 */
function retryAfterOf(headers: ErrorFacts['headers']): { readonly retryAfter?: number; readonly retryAt?: number } {
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

/** Returns the provider's message; most providers put it in the same place of the body. */
function providerMessage({ message, body }: ErrorFacts): string {
  const { error, message: ownMessage, detail } = fieldsOf(parsed(body))
  const sentence = typeof error === 'string' ? error : (fieldsOf(error).message ?? ownMessage ?? detail)
  return typeof sentence === 'string' && sentence !== '' ? sentence : message
}

function lastMessage(chain: readonly ErrorFacts[]): string {
  return chain.findLast(({ message }) => message !== '')?.message ?? 'no connection'
}

/** Returns an error and its causes, the outermost first. */
function causeChain(thrown: unknown): readonly ErrorFacts[] {
  const chain: ErrorFacts[] = []
  let next = thrown
  while (typeof next === 'object' && next !== null && chain.length < MOST_CAUSES) {
    const trouble = errorFactsOf(next)
    chain.push(trouble)
    next = trouble.cause
  }
  return chain
}

function errorFactsOf(thrown: unknown): ErrorFacts {
  const ownMessage = fieldsOf(thrown)
  const message = thrown instanceof Error ? thrown.message : typeof thrown === 'string' ? thrown : textOf(ownMessage.message)
  return {
    name: thrown instanceof Error ? thrown.name : '',
    message: message === '' && !(thrown instanceof Error) ? (JSON.stringify(thrown) ?? '') : message,
    status: typeof ownMessage.statusCode === 'number' ? ownMessage.statusCode : undefined,
    headers: fieldsOf(ownMessage.responseHeaders),
    body: textOf(ownMessage.responseBody),
    url: textOf(ownMessage.url),
    code: textOf(ownMessage.code),
    retryable: ownMessage.isRetryable === true,
    cause: thrown instanceof Error ? thrown.cause : undefined,
  }
}

/** Returns an address without its parts that may be secret: the user, and everything after the path. */
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
