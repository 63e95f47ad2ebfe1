import { serveFaults } from '../protocol/faults.ts'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/**
 * Checks that a request was made for this server and by no page of another one. A browser sends the name that the page used
 * in `Host`, so a foreign name that leads here (DNS rebinding) is refused; it sends the page's own address in `Origin` and
 * `Sec-Fetch-Site`. Throws `R6003`.
 */
export function checkOrigin(headers: Headers, names: readonly string[]): void {
  const host = headers.get('host') ?? ''
  const name = host.replace(/:\d+$/, '').toLowerCase()
  if (!LOOPBACK.includes(name) && !names.includes(name))
    throw serveFaults.make('R6003', `the request is for the host ${JSON.stringify(host)}, which is not this server`)
  const origin = headers.get('origin')
  if (origin !== null && origin !== `http://${host}` && origin !== `https://${host}`)
    throw serveFaults.make('R6003', `the request comes from a page of ${JSON.stringify(origin)}`)
  const site = headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin' && site !== 'none')
    throw serveFaults.make('R6003', `the request comes from a page of another site (${site})`)
}
