import { faults } from './faults.ts'
import { tooLarge } from './limits.ts'

/**
 * The most bytes of one body, unpacked. A whole conversation with its images is smaller; a larger body is a mistake or
 * an attack.
 */
const MOST_BYTES = 32_000_000
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/**
 * `fetch` as provider packages get it. A request goes only to the configured address: redirects are not followed,
 * because keys in headers and the whole prompt would be sent along. A body is cut when it exceeds 32 MB unpacked,
 * whatever its header states. Both are `R4007` and are not retried.
 */
export const guardedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' })
  if (REDIRECTS.includes(response.status)) {
    await response.body?.cancel()
    throw redirectFault(response)
  }
  if (response.body === null) return response
  const body = response.body.pipeThrough(sizeLimit())
  const isStream = response.ok && isStreamAsked(init?.body)
  return new Response(isStream ? body.pipeThrough(eventStream()) : body, response)
}

/** The error for a response without a stream of events: a page, or an object that describes an error. */
export class NoStreamError extends Error {
  override readonly name = 'NoStream'
  readonly body: string

  constructor(body: string) {
    super('the server sent no stream')
    this.body = body
  }
}

/** The most characters of such a response: enough for its message. */
const MOST_SAID = 20_000

function isStreamAsked(body: unknown): boolean {
  return typeof body === 'string' && /"stream"\s*:\s*true/.test(body)
}

/**
 * Passes a stream of events through. A response that starts with `<` or `{` is not one: its text is thrown as a
 * `NoStreamError`.
 */
function eventStream(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  let begin: string | undefined = ''
  let isPage = false
  return new TransformStream({
    transform(chunk, to) {
      if (begin === undefined) return to.enqueue(chunk)
      // White space before the first event or the page is ignored.
      begin = (begin + decoder.decode(chunk, { stream: true })).trimStart()
      isPage = begin.startsWith('<') || begin.startsWith('{')
      if (isPage && begin.length > MOST_SAID) throw new NoStreamError(begin.slice(0, MOST_SAID))
      if (isPage || begin === '') return
      to.enqueue(new TextEncoder().encode(begin))
      begin = undefined
    },
    flush() {
      if (isPage && begin !== undefined) throw new NoStreamError(begin)
    },
  })
}

function sizeLimit(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, to) {
      bytes += chunk.byteLength
      if (bytes > MOST_BYTES) throw tooLarge(`the body of the answer is larger than ${MOST_BYTES / 1_000_000} MB`)
      to.enqueue(chunk)
    },
  })
}

/** Names only the server: the rest of an address can contain a secret. */
function redirectFault({ status, url, headers }: Response): Error {
  const to = headers.get('location') ?? ''
  const host = URL.canParse(to, url) ? new URL(to, url).host.slice(0, 200) : ''
  return faults.make('R4007', `the server answered ${status} and redirects to ${host || 'another address'}; nothing was sent there`, {
    data: { status },
    fix: 'if the model is there, make that address the base URL',
  })
}
