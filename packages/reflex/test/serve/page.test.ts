import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { readTokens, startServer } from '../../src/serve/index.ts'
import { newFolder } from '../app/folders.ts'
import { missingBrowser, openBrowser, type OpenPage, openPage } from './browser.ts'
import { POOR_CONTRASTS } from './page-contrast.ts'
import { ask, HOSTILE } from './page-programs.ts'
import { served, type Served } from './served.ts'

describe('the files of the inbox page', () => {
  test.each([
    ['/', 'text/html; charset=utf-8'],
    ['/page/main.js', 'text/javascript; charset=utf-8'],
    ['/page/page.css', 'text/css; charset=utf-8'],
    ['/page/icon.svg', 'image/svg+xml'],
  ])('%s needs no token, allows nothing from elsewhere, and is sent once', async (path, type) => {
    const { url } = await served()
    const first = await fetch(`${url}${path}`)
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'content-type': type,
      'content-security-policy': expect.stringMatching(/^default-src 'self'; (?!.*unsafe)/) as unknown,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    })
    const tag = first.headers.get('etag') ?? ''
    const second = await fetch(`${url}${path}`, { headers: { 'if-none-match': tag } })
    expect({ status: second.status, text: await second.text() }).toEqual({ status: 304, text: '' })
  })

  test.each([
    'documents.ts',
    'tsconfig.json',
    'index.html',
    'nothing.js',
    '..%2fapp.ts',
    '%2e%2e%2f%2e%2e%2fpackage.json',
    'main.js%00.css',
  ])('%s is no file of the page', async (file) => {
    const { send } = await served()
    const { status, json } = await send('GET', `/page/${file}`)
    expect([400, 404]).toContain(status)
    expect(json).toMatchObject({ v: 1, error: { code: expect.stringMatching(/^R600[67]$/) as unknown } })
    expect(JSON.stringify(json)).not.toContain('/src/')
  })

  test('a page of another site or of another name gets nothing', async () => {
    const { send } = await served()
    expect(await send('GET', '/', undefined, { origin: 'http://evil.example' })).toMatchObject({ status: 403 })
    expect(await send('GET', '/', undefined, { 'sec-fetch-site': 'cross-site' })).toMatchObject({ status: 403 })
  })
})

const why = missingBrowser === undefined ? '' : ` (skipped: ${missingBrowser})`

describe.skipIf(missingBrowser !== undefined)(`the inbox page in a browser${why}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  async function open(server: Served, options?: BrowserContextOptions): Promise<OpenPage> {
    const opened = await openPage(browser, server, options)
    onTestFinished(() => opened.page.context().close())
    return opened
  }

  test('questions are answered by keyboard alone, with a reason, and the focus is never lost', async () => {
    const server = await served()
    await ask(server, 'refund', 'otter')
    await ask(server, 'review', 'wren')
    const { page, offences } = await open(server)
    await row(page, 'Merge').waitFor()
    // What is due first is first, and is shown.
    expect(await page.locator('#questions button').allInnerTexts()).toEqual([
      expect.stringContaining('Refund'),
      expect.stringContaining('Merge'),
    ])
    await page.keyboard.press('j')
    expect(await focused(page)).toContain('Merge this change?')
    await page.keyboard.press('k')
    await page.keyboard.press('Enter')
    expect(await focused(page)).toBe('Refund €42.00 to the card ending 9021?')
    await page.keyboard.press('2')
    expect(await page.getByRole('radio', { name: 'Reject' }).isChecked()).toBe(true)
    await page.keyboard.press('1')
    await page.getByRole('button', { name: 'Answer: Approve' }).waitFor()
    await page.keyboard.press('r')
    await page.keyboard.type('lost by the carrier, jk?1')
    await page.keyboard.press('Control+Enter')
    await row(page, 'Refund').waitFor({ state: 'detached' })
    expect(await focused(page)).toContain('Merge this change?')
    expect(await trace(server, 'otter')).toContain('ana')
    expect(await trace(server, 'otter')).toContain('lost by the carrier, jk?1')

    await page.keyboard.press('1')
    await page.keyboard.press('Enter')
    await page.getByText('No open questions').waitFor()
    expect(await focused(page)).toContain('Open questions')
    expect(await page.title()).toBe('Inbox · Reflex')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    expect(await page.getByRole('dialog').isVisible()).toBe(false)
    expect(offences).toEqual([])
  })

  test('a question arrives and goes by itself, and the page says so to those who hear it', async () => {
    const server = await served()
    const { page, offences } = await open(server)
    await page.getByText('No open questions').waitFor()
    await ask(server, 'review', 'wren')
    await page.getByText('New question: Merge this change?').waitFor()
    await row(page, 'Merge').focus()
    await ask(server, 'refund', 'otter')
    // It is due earlier, so it is first in the list; what is shown and what has the focus stay.
    await row(page, 'Refund').waitFor()
    expect(await page.title()).toBe('(2) Inbox · Reflex')
    expect(await focused(page)).toContain('Merge this change?')
    expect(await page.getByRole('article').getByRole('heading', { level: 2 }).innerText()).toBe('Merge this change?')

    await row(page, 'Merge').press('Enter')
    await page.keyboard.press('1')
    await server.reflex.answer('wren/q1', 'reject', { by: 'ben', reason: 'no tests' })
    await page.getByRole('article').getByText('ben answered “reject”, because: no tests.').waitFor()
    expect(await focused(page)).toContain('ben answered')
    await row(page, 'Merge').waitFor({ state: 'detached' })
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.getByRole('article').getByRole('heading', { level: 2 }).innerText()).toContain('Refund')
    expect(await focused(page)).toContain('Refund')

    expect(offences).toEqual([])
  })

  test('the page waits for a server that stops, and then hears what happened in the meantime', async () => {
    const file = join(newFolder(), 'tokens.json')
    writeFileSync(file, JSON.stringify({ tokens: [{ name: 'ana', token: 'a-token-that-outlives-it', scopes: ['admin'] }] }), {
      mode: 0o600,
    })
    const tokens = readTokens(file)
    const first = await served({ tokens })
    const { reflex, url } = first
    await ask(first, 'refund', 'otter')
    await ask(first, 'review', 'wren')
    const { page, offences } = await open({ ...first, token: 'a-token-that-outlives-it' })
    await row(page, 'Refund').press('Enter')
    await page.keyboard.press('r')
    await page.keyboard.type('half a reason')
    await first.stop()
    await page.getByText('Offline: the server cannot be reached').waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByRole('alert').getByText('Choose an answer first.').waitFor()
    await page.keyboard.press('1')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('The answer was not sent; it is still here.').waitFor()
    await reflex.answer('wren/q1', 'approve', { by: 'ben' })
    await page.getByRole('button', { name: 'Try now' }).click()

    const second = await startServer(reflex, { version: '0.0.0', port: Number(new URL(url).port), work: false, tokens })
    onTestFinished(() => second.stop())
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('region', { name: 'Closed just now' }).getByText('ben answered “approve”.').waitFor()
    await page.getByRole('button', { name: 'Answer: Approve' }).click()
    await page.getByText('You answered “approve”.').first().waitFor()
    expect(JSON.stringify((await reflex.trace('otter')).lines)).toContain('half a reason')
    expect(offences).toEqual([])
  })

  test('a form is made from the schema; the server says at each field what does not fit', async () => {
    const server = await served()
    await ask(server, 'payout', 'lark')
    const { page, offences } = await open(server)
    const form = page.getByRole('form', { name: 'Your answer' })
    await form.getByRole('button', { name: 'Send the answer' }).click()
    const amount = form.getByRole('textbox', { name: 'Amount in euros' })
    await expectProblem(amount, 'Fill this in.')
    await amount.fill('100')
    await form.getByRole('combobox', { name: 'method' }).selectOption('transfer')
    await form.getByRole('group', { name: 'Tell the customer' }).getByRole('radio', { name: 'No' }).check()
    await form.getByRole('button', { name: 'Add to tags' }).click()
    await page.keyboard.type('much longer than ten')
    await form.getByRole('textbox', { name: 'extra' }).fill('{')
    // What was typed survives a reload.
    await page.reload()
    expect(await amount.inputValue()).toBe('100')
    await form.getByRole('button', { name: 'Send the answer' }).click()
    const extra = form.getByRole('textbox', { name: 'extra' })
    await expectProblem(extra, 'This is not JSON')
    await extra.fill('{"a": 1}')
    await form.getByRole('button', { name: 'Send the answer' }).click()
    await expectProblem(amount, 'Must be at most 84.')
    const tag = form.getByRole('group', { name: 'tags' }).getByRole('textbox')
    await expectProblem(tag, 'ten characters|10 characters')
    await amount.fill('84')
    await form.getByRole('button', { name: 'Remove item 1 of tags' }).click()
    await form.getByRole('button', { name: 'Send the answer' }).click()
    await page.getByText('You answered').first().waitFor()
    const value = { amount: 84, method: 'transfer', notify: false, extra: { a: 1 } }
    expect(await trace(server, 'lark')).toContain(JSON.stringify({ payout: value }))
    expect(offences).toEqual([])
  })

  test('of two people who answer at once, the second one sees who was first', async () => {
    const server = await served()
    await ask(server, 'refund', 'otter')
    const { page, offences } = await open(server)
    await page.getByRole('radio', { name: 'Approve' }).check()
    await page.route('**/answer', async (route) => {
      await server.reflex.answer('otter/q1', 'reject', { by: 'ben' })
      await route.continue()
    })
    await page.getByRole('button', { name: 'Answer: Approve' }).click()
    await page
      .getByRole('article')
      .getByText(/Your answer was not used. The question was already closed: ben was first, with reject/)
      .waitFor()
    expect(await page.locator('#closed li').count()).toBe(1)
    expect(await focused(page)).toContain('Your answer was not used')
    expect(offences).toEqual([])
  })

  test('the token leaves the address at once, is in no request line, and can be pasted after it has expired', async () => {
    const server = await served()
    await ask(server, 'refund', 'otter')
    const lines: string[] = []
    const { page, offences } = await open(server)
    page.on('request', (request) => lines.push(request.url()))
    expect(page.url()).toBe(`${server.url}/`)
    await row(page, 'Refund').waitFor()
    await page.reload()
    await row(page, 'Refund').waitFor()
    await page.goto(`${server.url}/#token=of-a-server-that-has-stopped`)
    await page.getByRole('heading', { name: 'This page needs a token' }).waitFor()
    await page.getByText('The token is not valid').waitFor()
    expect(await focused(page)).toBe('Token or address')
    await page.keyboard.type(`${server.url}/#token=${server.token}`)
    await page.keyboard.press('Enter')
    await row(page, 'Refund').waitFor()
    expect(page.url()).toBe(`${server.url}/`)
    expect(lines.filter((line) => line.includes(server.token))).toEqual([])
    expect(offences).toEqual([])
  })

  test('text of a run is text, whatever it says', async () => {
    const server = await served()
    await ask(server, 'hostile', 'viper', { note: HOSTILE.image })
    const { page, offences } = await open(server)
    await page.locator('.story li').first().waitFor()
    const made = 'document.querySelectorAll("img, a, script:not([type=module]), [onerror]").length'
    expect(await page.evaluate(made)).toBe(0)
    for (const text of [HOSTILE.image, HOSTILE.script, HOSTILE.link])
      await page.getByRole('article').getByText(text, { exact: true }).first().waitFor()
    await page.getByText('safe\ufffdtxt.exe').first().waitFor()
    await page.getByRole('radio').first().check()
    await page.getByRole('article').getByRole('button', { name: 'Answer' }).click()
    await page.getByText('You answered').first().waitFor()
    expect(await page.evaluate(made)).toBe(0)
    expect(await page.title()).toBe('Inbox · Reflex')
    expect(offences).toEqual([])
  })

  test('on a phone nothing is wider than the screen, in light and dark with contrast enough', async () => {
    const server = await served()
    await ask(server, 'refund', 'otter')
    await ask(server, 'review', 'a-run-with-a-name-that-is-as-long-as-a-name-may-be')
    await ask(server, 'payout', 'lark')
    const { page, offences } = await open(server, { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true })
    await row(page, 'Refund').waitFor()
    await expectFits(page)
    for (const text of ['Refund', 'Merge', 'How much']) {
      await row(page, text).click()
      await page.locator('.story li').first().waitFor()
      expect(await row(page, text).isVisible()).toBe(false)
      await expectFits(page)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        expect(await page.evaluate(POOR_CONTRASTS)).toEqual({ seen: expect.any(Number) as unknown, poor: [] })
      }
      await page.getByRole('button', { name: 'Back to the list' }).click()
      await row(page, text).waitFor()
      expect(await focused(page)).toContain(text)
    }
    const light = await background(page, 'light')
    expect(light).not.toBe(await background(page, 'dark'))
    expect(offences).toEqual([])
  })

  test('a screen reader hears what a person sees', async () => {
    const server = await served()
    await ask(server, 'refund', 'otter', { order_id: 'A-1042' })
    await ask(server, 'review', 'wren')
    const { page, offences } = await open(server)
    await row(page, 'Merge').waitFor()
    await page.locator('.story li').first().waitFor()
    const heard = (await page.locator('body').ariaSnapshot())
      .replaceAll(/\d+ (?:s|min) ago/g, '0 s ago')
      .replaceAll(/(?:\d+ \w+(?: \d+)?, )?\d\d:\d\d/g, '14:02')
    await expect(heard).toMatchFileSnapshot(join(import.meta.dirname, 'page.heard.txt'))
    expect(offences).toEqual([])
  })
})

function row(page: Page, text: string): Locator {
  return page.locator('#questions button', { hasText: text })
}

/** Returns the name or the text of the element that has the focus. */
async function focused(page: Page): Promise<string> {
  const text = await page.evaluate(
    '(() => { const at = document.activeElement; return at === document.body ? "nothing" : (at.labels?.[0] ?? at).innerText })()',
  )
  return String(text)
}

/** Waits until a control is marked as wrong, with a reason that is read with it. */
async function expectProblem(control: Locator, text: string): Promise<void> {
  await control.and(control.page().locator('[aria-invalid=true]')).waitFor()
  const ids = (await control.getAttribute('aria-describedby')) ?? ''
  const texts = await control
    .page()
    .locator(
      ids
        .split(' ')
        .map((id) => `#${id}`)
        .join(', '),
    )
    .allInnerTexts()
  expect(texts.join(' ')).toMatch(new RegExp(text))
}

async function expectFits(page: Page): Promise<void> {
  expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(320)
}

async function background(page: Page, colorScheme: 'light' | 'dark'): Promise<unknown> {
  await page.emulateMedia({ colorScheme })
  return page.evaluate('getComputedStyle(document.body).backgroundColor')
}

async function trace({ send }: Served, run: string): Promise<string> {
  return JSON.stringify((await send('GET', `/v1/runs/${run}/trace`)).json)
}
