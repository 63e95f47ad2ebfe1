import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import type { Served } from './served.ts'

const CHROMIUM = '/usr/bin/chromium'
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The reason why no page can be opened; undefined if it can be. */
export const missingBrowser = existsSync(CHROMIUM) ? undefined : `there is no ${CHROMIUM}; install it: apt install chromium`

/** Starts the browser of a test file. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS, timeout: 0 })
}

/** A page of a server, and what it should not have done. */
export interface OpenPage {
  readonly page: Page
  /** Requests to other origins, violations of the policy, and errors of scripts. */
  readonly offences: readonly string[]
}

/** Opens the inbox page in a profile of its own, by the address that the server prints. It waits without a limit. */
export async function openPage(
  browser: Browser,
  { url, token }: Pick<Served, 'url' | 'token'>,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  context.setDefaultTimeout(0)
  const offences: string[] = []
  await context.route('**', async (route) => {
    const request = route.request()
    if (new URL(request.url()).origin === url) return route.continue()
    offences.push(`requests ${request.url()}`)
    return route.abort()
  })
  const page = await context.newPage()
  page.on('pageerror', ({ message }) => offences.push(`throws ${message}`))
  page.on('console', (message) => {
    if (/content security policy|trusted ?types?|refused to/i.test(message.text())) offences.push(`violates ${message.text()}`)
  })
  await page.goto(`${url}/#token=${token}`)
  return { page, offences }
}
