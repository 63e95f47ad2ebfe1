import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { virtualHost } from '../../src/testing/index.ts'
import { type Ended, start } from '../cli/worlds.ts'
import { type Reply, type Seen, startOpenAi } from '../models/openai-server.ts'
import { noSandbox } from '../tools/workshop.ts'

const HERE = 'examples/05-code-review'
const example = resolve(import.meta.dirname, '../../../..', HERE)
const POLICY = ['--policy', `${HERE}/review.policy.json`]
const recorded = (name: string): readonly string[] => [...POLICY, '--recorded', `${HERE}/by-hand/${name}.jsonl`, '--answers', 'none']

/** True if this machine can make a sandbox; a test that needs one states so. */
const sandboxed = (await noSandbox()) === undefined

let folder = ''

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-review-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'examples'))
  cpSync(example, join(folder, HERE), { recursive: true, filter: (path) => !path.endsWith('/out') })
})

const PATH = process.env['PATH'] ?? ''
const reflex = (words: readonly string[], environment: Record<string, string> = {}): Promise<Ended> =>
  start(words, { folder, environment: { PATH, ...environment } }).ended

const shop = (...words: readonly string[]): string =>
  spawnSync('git', ['-C', join(folder, HERE, 'out/shop'), ...words], { encoding: 'utf8', env: { PATH } }).stdout
const findings = (): string => readFileSync(join(folder, HERE, 'out/REVIEW.md'), 'utf8')

describe('example 05, a code review', () => {
  test('has nothing to find', async () => {
    const { out, code } = await reflex(['validate', HERE])
    expect(out).not.toMatch(/^(error|warning)/m)
    expect(code).toBe(0)
  })

  test('simulated: three branches and a question, and not one command', async () => {
    const { err, code } = await reflex(['run', HERE, ...POLICY, '--simulate', '--answers', 'none'])
    expect(code).toBe(75)
    expect(err).toContain('fan: 3 branches, quorum 2 of 3')
    expect(existsSync(join(folder, HERE, 'out'))).toBe(false)
  })

  test.skipIf(!sandboxed)('by hand: three reviews in one list, a person merges by a key (needs bubblewrap)', async () => {
    const asked = await reflex(['run', HERE, ...recorded('reviews')])
    expect(asked.code).toBe(75)
    expect(asked.err).toContain('replies from reviews.jsonl')
    expect(asked.err).toContain('fan/style: a reply written by hand')
    expect(asked.err).toContain('fan: 3 of 3 succeeded')
    expect(asked.err).toContain('Merge · Send back')
    expect(shop('log', '--format=%s', 'main')).toBe('feat: a cart that adds up\n')

    const answered = await reflex(['answer', 'last', 'm'])
    expect(answered.code).toBe(0)
    expect(shop('log', '--format=%s', '--first-parent', 'main')).toBe('merge after review\nfeat: a cart that adds up\n')
    expect(findings()).toContain('A coupon file is run as code (cart.js:5), by security, style')
    expect(findings()).toContain('3 reviewers, 4 findings')
    expect((await reflex(['replay', 'last'])).code).toBe(0)
  })

  test.skipIf(!sandboxed)('two of three are enough, and what is sent back is not merged (needs bubblewrap)', async () => {
    const asked = await reflex(['run', HERE, ...recorded('one-silent')])
    expect(asked.err).toContain('failed    fan/tests: R4014 LLM call failed: a filter of the provider stopped the answer')
    expect(asked.err).toContain('fan: 2 of 3 succeeded')
    expect(asked.code).toBe(75)
    expect((await reflex(['answer', 'last', 's'])).code).toBe(0)
    expect(shop('log', '--format=%s', 'main')).toBe('feat: a cart that adds up\n')
    expect(findings()).toContain('2 reviewers, 2 findings')
  })

  test.skipIf(!sandboxed)('one is too few: a person is asked, and has all three asked again (needs bubblewrap)', async () => {
    let refusals = 2
    const { environment, server } = await model((seen) =>
      answerTo(seen).object !== undefined && refusals-- > 0 ? { status: 400, error: 'not today' } : answerTo(seen),
    )
    const asked = await reflex(['run', HERE, ...POLICY, '--answers', 'none'], environment)
    expect(asked.err).toContain('failed    fan: 1 of 3 branches succeeded, a share of 0.66 is needed')
    expect(asked.err).toContain('Fewer than two reviews came in. Ask again?')
    expect(asked.code).toBe(75)
    const before = server.requests.length
    const again = await reflex(['answer', 'last', 'a', ...POLICY], environment)
    expect(again.err).toContain('fan: 3 of 3 succeeded')
    expect(server.requests.length - before).toBe(4)
    expect((await reflex(['answer', 'last', 's'])).code).toBe(0)
    expect(shop('log', '--format=%s', 'main')).toBe('feat: a cart that adds up\n')
  })

  test.skipIf(!sandboxed)('at a terminal: what each branch does, what came in, what is still to come (needs bubblewrap)', async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>()
    const host = virtualHost()
    const { environment } = await model((seen) => ({ ...answerTo(seen), ...(isLook(seen) ? { hold: promise } : {}) }))
    const running = start(['run', HERE, ...POLICY, '--budget', 'tokens=1M'], {
      folder,
      host,
      columns: 80,
      environment: { PATH, ...environment },
    })
    // Lines are drawn as the clock of this world goes on.
    const shows = (text: string): Promise<void> =>
      vi.waitFor(
        async () => {
          await host.advance(100)
          expect(running.screen()).toContain(text)
        },
        { timeout: 600_000 },
      )
    await shows('2 of 3 in')
    await shows('ctrl-c leaves it resumable')
    expect(running.screen()).toMatch(/● fan +2 of 3 in, quorum 2 of 3/)
    for (const part of ['▸ fan', '    ✓ style', '    ✓ tests', '    ● security', '○ join', '○ merge, asks a person'])
      expect(running.screen()).toContain(part)
    release()
    await shows('› [M] Merge')
    running.press('s', 'm', 'enter')
    await shows('completed')
    const { code, screen } = await running.ended
    expect(code).toBe(0)
    expect(screen).toMatch(/✓ fan +3 of 3 succeeded/)
    expect(shop('log', '--format=%s', '-1', 'main')).toBe('merge after review\n')
  })

  test.skipIf(!sandboxed)('by a model server: reviewers see the diff, one reads a file first (needs bubblewrap)', async () => {
    const { environment, server } = await model()
    const asked = await reflex(['run', HERE, ...POLICY, '--answers', 'none'], environment)
    expect(asked.code).toBe(75)
    expect(asked.err).toContain('fan: 3 of 3 succeeded')
    const bodies = server.requests.map(({ body }) => JSON.stringify(body))
    expect(bodies).toHaveLength(4)
    for (const body of bodies) expect(body).toContain('+  if (code != null) total = eval(rule(code))')
    // What the tool gave, sent back to the model that asked for it.
    expect(bodies.filter((body) => body.includes('"role":"tool"'))).toEqual([
      expect.stringContaining('export function total(lines) {') as string,
    ])
    expect(server.problems).toEqual([])
    expect((await reflex(['answer', 'last', 'Merge'], environment)).code).toBe(0)
    expect(findings()).toContain('Found by security')
  })
})

const review = (title: string): Reply => ({ object: { blocking: false, findings: [{ title, file: 'cart.js', severity: 'minor' }] } })

/** Answers by what is asked: three come at once, in any order. */
function answerTo({ body }: Seen): Reply {
  const text = JSON.stringify(body)
  if (text.includes('how this change reads')) return review('Found by style')
  if (text.includes('Review the tests')) return review('Found by tests')
  if (text.includes('"role":"tool"')) return review('Found by security')
  return { calls: [{ name: 'file_read', args: { path: `${HERE}/out/shop/cart.js` } }] }
}

/** The request with which a reviewer wants to look at a file. */
function isLook(seen: Seen): boolean {
  return answerTo(seen).calls !== undefined
}

async function model(handler = answerTo) {
  const server = await startOpenAi({ key: 'sk-local-12345678', handler })
  onTestFinished(() => server.close())
  return { server, environment: { REFLEX_BASE_URL: server.url, REFLEX_MODEL: 'llama3', REFLEX_API_KEY: 'sk-local-12345678' } }
}
