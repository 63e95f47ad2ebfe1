import { faults } from './faults.ts'
import { tooLarge } from './limits.ts'

/** Bytes of one body, unpacked. A whole conversation with its pictures is less; what is more is a mistake or an attack. */
const MOST_BYTES = 32_000_000
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/**
 * `fetch` as the packages of providers get it. What is sent goes to the address that was set and nowhere else: a
 * redirect is not followed, since keys in headers and the whole prompt would go along. A body is cut off when it is
 * larger than 32 MB unpacked, whatever it says of its length. Both are `R4007`, and not tried again.
 */
export const guardedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' })
  if (REDIRECTS.includes(response.status)) {
    await response.body?.cancel()
    throw redirected(response)
  }
  return response.body === null ? response : new Response(response.body.pipeThrough(limited()), response)
}

function limited(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, to) {
      bytes += chunk.byteLength
      if (bytes > MOST_BYTES) throw tooLarge(`the body of the answer is larger than ${MOST_BYTES / 1_000_000} MB`)
      to.enqueue(chunk)
    },
  })
}

/** Names the server alone: a secret may stand in the rest of an address. */
function redirected({ status, url, headers }: Response): Error {
  const to = headers.get('location') ?? ''
  const host = URL.canParse(to, url) ? new URL(to, url).host.slice(0, 200) : ''
  return faults.make('R4007', `the server answered ${status} and redirects to ${host || 'another address'}; nothing was sent there`, {
    data: { status },
    fix: 'if the model is there, make that address the base URL',
  })
}
