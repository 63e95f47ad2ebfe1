import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Ended, start } from '../cli/worlds.ts'
import { startOpenAi } from '../models/openai-server.ts'
import { noSandbox } from '../tools/workshop.ts'

const HERE = 'examples/06-fix-until-green'
const example = resolve(import.meta.dirname, '../../../..', HERE)
const POLICY = ['--policy', `${HERE}/fix.policy.json`]
const RECORDED = [...POLICY, '--recorded', `${HERE}/by-hand/two-laps.jsonl`]

/** True if this machine can make a sandbox; a test that needs one states so. */
const sandboxed = (await noSandbox()) === undefined

let folder = ''

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-green-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'examples'))
  cpSync(example, join(folder, HERE), { recursive: true, filter: (path) => !path.endsWith('/work') })
})

const PATH = process.env['PATH'] ?? ''
const reflex = (words: readonly string[], environment: Record<string, string> = {}): Promise<Ended> =>
  start(words, { folder, environment: { PATH, ...environment } }).ended

/** Whether the tests of a folder of the example pass, without Reflex. */
const green = (name: string): boolean =>
  spawnSync(process.execPath, ['--test'], { cwd: join(folder, HERE, name), env: { PATH } }).status === 0

/** The nodes of a run that were completed, and how each ended. */
async function stages(): Promise<readonly string[]> {
  const { out } = await reflex(['trace', 'last', '--json'])
  const { lines } = JSON.parse(out) as { lines: { mark: string; node: string }[] }
  return lines.flatMap(({ mark, node }) => (mark === 'done' || mark === 'fail' ? [`${node} ${mark}`] : []))
}

/** The replies that were written by hand. */
const replies = readFileSync(join(example, 'by-hand/two-laps.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('{'))
  .map((line) => (JSON.parse(line) as { reply: { object: unknown } }).reply)

describe('example 06, fix until green', () => {
  test('has nothing to find', async () => {
    const { out, code } = await reflex(['validate', HERE])
    expect(out).not.toMatch(/^(error|warning)/m)
    expect(code).toBe(0)
  })

  test('where commands may not run nothing is run, and it says why', async () => {
    const { err, code } = await reflex(['run', HERE, ...RECORDED, '--trust', 'untrusted'])
    expect(code).toBe(1)
    expect(err.replace(/\s+/g, ' ')).toContain('arbor://shell/exec is not granted (this run is untrusted)')
    expect(existsSync(join(folder, HERE, 'work'))).toBe(false)
  })

  test.skipIf(!sandboxed)('fails before, takes two rounds by hand, passes after (needs bubblewrap)', async () => {
    expect(green('project')).toBe(false)
    const { err, code } = await reflex(['run', HERE, ...RECORDED])
    expect(err).toContain('replies from two-laps.jsonl')
    expect(err).toContain('fix: a reply written by hand')
    expect(err).toContain('note      test: goes back to look')
    expect(code).toBe(0)
    expect(green('work')).toBe(true)
    expect(green('project')).toBe(false)
    const round = ['look done', 'fix done', 'apply done']
    expect(await stages()).toEqual(['copy done', 'before done', ...round, 'test fail', ...round, 'test done'])
    expect((await reflex(['replay', 'last'])).code).toBe(0)
  })

  test.skipIf(!sandboxed)('by a model server: the second round receives what the tests said (needs bubblewrap)', async () => {
    const { environment, server } = await model(...replies)
    const { err, code } = await reflex(['run', HERE, ...POLICY], environment)
    expect(code).toBe(0)
    expect(err).toContain('fix: llama3')
    expect(green('work')).toBe(true)
    const [first, second] = server.requests.map(({ body }) => JSON.stringify(body))
    expect(first).toContain('sum = Number')
    expect(first).toContain('fail 3')
    expect(second).toContain('sum += Number')
    expect(second).toContain('fail 1')
    expect(server.problems).toEqual([])
  })

  test.skipIf(!sandboxed)(
    'changes that mend nothing end at the fourth round, however often tests are taken out (needs bubblewrap)',
    async () => {
      const cheat = {
        object: {
          because: 'No tests, no failures.',
          changes: [{ path: 'span.test.js', old: "import { test } from 'node:test'\n", new: 'const test = () => {}\n' }],
        },
      }
      const { environment, server } = await model(cheat, cheat, cheat, cheat, cheat)
      const { err, code } = await reflex(['run', HERE, ...POLICY], environment)
      expect(code).toBe(1)
      expect(err).toContain('node_visit_limit: look was entered 4 times')
      expect(server.requests.length).toBeLessThanOrEqual(4)
      expect(green('project')).toBe(false)
    },
  )

  test.skipIf(!sandboxed)('stops before a call that the budget does not cover, and goes on with more (needs bubblewrap)', async () => {
    const usages = [900, 400].map((prompt) => ({ prompt, completion: 100 }))
    const { environment, server } = await model(...replies.map((reply, i) => ({ ...reply, usage: usages[i] })))
    const stopped = await reflex(['run', HERE, ...POLICY, '--budget', 'tokens=1000', '--answers', 'none'], environment)
    expect(stopped.code).toBe(75)
    expect(stopped.err).toContain('The budget is spent: raise it, or stop?')
    expect(server.requests).toHaveLength(1)
    expect((await reflex(['answer', 'last', 'raise', ...POLICY], environment)).code).toBe(0)
    expect(green('work')).toBe(true)
  })

  test.skipIf(!sandboxed)('a change of a file elsewhere is not made (needs bubblewrap)', async () => {
    writeFileSync(join(folder, 'notes.txt'), 'mine\n')
    const away = { object: { because: 'Nearby.', changes: [{ path: '../../../../outside.txt', old: 'mine', new: 'yours' }] } }
    const { environment } = await model(away, ...replies)
    const { err, code } = await reflex(['run', HERE, ...POLICY], environment)
    expect(err).toMatch(/failed {4}apply: apply_changes: .*outside\.txt/)
    expect(code).toBe(0)
  })
})

async function model(...answers: readonly object[]) {
  const server = await startOpenAi({ key: 'sk-local-12345678' })
  server.reply(...answers)
  onTestFinished(() => server.close())
  return { server, environment: { REFLEX_BASE_URL: server.url, REFLEX_MODEL: 'llama3', REFLEX_API_KEY: 'sk-local-12345678' } }
}
