import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Ended, start } from '../cli/worlds.ts'
import { noSandbox } from '../tools/workshop.ts'

const example = resolve(import.meta.dirname, '../../../../examples/07-guarded-release')
const HERE = 'examples/07-guarded-release'
const POLICY = ['--policy', `${HERE}/release.policy.json`]

/** True if this machine can make a sandbox; a test that needs one states so. */
const sandboxed = (await noSandbox()) === undefined

let folder = ''

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-release-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'examples'))
  cpSync(example, join(folder, HERE), { recursive: true, filter: (path) => !/\/(out|published)$/.test(path) })
})

const PATH = process.env['PATH'] ?? ''
const reflex = (...words: readonly string[]): Promise<Ended> => start(words, { folder, environment: { PATH, RELEASE_TOKEN: 'hush' } }).ended

describe('example 07, a guarded release', () => {
  test('has nothing to find', async () => {
    const { out, code } = await reflex('validate', HERE)
    expect(out).not.toMatch(/^(error|warning)/m)
    expect(code).toBe(0)
  })

  test('simulated: every stage, and not one command', async () => {
    const asked = await reflex('run', HERE, '--simulate', '--answers', 'none')
    expect(asked.code).toBe(75)
    expect(asked.err).toContain('simulated: nothing leaves this machine')
    expect(asked.err).toContain('checks: 3 branches')
    expect(existsSync(join(folder, HERE, 'out'))).toBe(false)

    const answered = await reflex('answer', 'last', 'Release')
    expect(answered.code).toBe(0)
    expect(existsSync(join(folder, HERE, 'published'))).toBe(false)
  })

  test.skipIf(!sandboxed)('asks with what the checks have seen, publishes, and is refused the network (needs bubblewrap)', async () => {
    const asked = await reflex('run', HERE, ...POLICY, '--answers', 'none')
    expect(asked.code).toBe(75)
    expect(asked.err).toContain('Release greet 1.4.0?')
    const { board } = JSON.parse((await reflex('show', 'last', '--json')).out) as { board: { key: string; value: unknown }[] }
    expect(board.find(({ key }) => key === 'tests')?.value).toBe(
      '2 tests passed\nhome: 0 files\nnetwork: 0 interfaces\nsystem: read-only\nkeys in the environment: 0\n',
    )

    const answered = await reflex('answer', 'last', 'r', ...POLICY)
    expect(answered.code).toBe(0)
    expect(answered.err).toMatch(
      /failed\s+announce: .*arbor:\/\/net\/chat\.example\.com is not granted \(.*release\.policy\.json denies it\)/,
    )
    expect(answered.err).toContain('→ by_hand')
    expect(JSON.parse(answered.out)).toMatchObject({ version: '1.4.0', left_to_do: 'tell the others: greet-1.4.0.tar is out\n' })
    expect(existsSync(join(folder, HERE, 'published/greet-1.4.0.tar'))).toBe(true)
  })

  test.skipIf(!sandboxed)('a version that looks like a command is only a strange name (needs bubblewrap)', async () => {
    writeFileSync(join(folder, HERE, 'app/VERSION'), '1;touch${IFS}owned')
    const { err } = await reflex('run', HERE, ...POLICY, '--answers', 'none')
    expect(err).toContain('Release greet 1;touch${IFS}owned?')
    expect(existsSync(join(folder, HERE, 'app/owned'))).toBe(false)
    expect(existsSync(join(folder, HERE, 'out/greet-1;touch${IFS}owned.tar'))).toBe(true)
  })

  test.skipIf(!sandboxed)('a test that fails leads to the end, and nothing is packed (needs bubblewrap)', async () => {
    const file = join(folder, HERE, 'app/greet.sh')
    writeFileSync(file, readFileSync(file, 'utf8').replace('Hello', 'Goodbye'))
    const { err, code } = await reflex('run', HERE, ...POLICY)
    expect(err).toContain('failed    checks/tests: exited with code 1')
    expect(err).toContain('decided   good: rules → the checks failed')
    expect(existsSync(join(folder, HERE, 'out'))).toBe(false)
    expect([code, err]).toEqual([0, expect.stringContaining('partial success')])
  })
})
