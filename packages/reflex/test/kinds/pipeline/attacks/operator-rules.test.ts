import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { thisProcess } from '../../../../src/app/host.ts'
import { Reflex } from '../../../../src/index.ts'
import { carryOn, WHOLE } from './composed.ts'
import { noSandbox } from '../../../tools/workshop.ts'

/** What an operator denies is denied to tools and to commands, by whatever name it is reached. */

const missing = await noSandbox()

const around = (node: string): string => `digraph attack {
  start [shape=Mdiamond] done [shape=Msquare]
  ${node}
  start -> a -> done }`

const command = (text: string): string => around(`a [type=shell, command="${text}"]`)

interface Came {
  readonly work: string
  readonly text: (name: string) => string
  readonly value: string
}

/** Runs a pipeline at probationary trust in a folder with some files, under a policy. */
async function came(program: string, files: Readonly<Record<string, string>>, deny: readonly string[], rules = {}): Promise<Came> {
  const work = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-rules-')))
  for (const [name, text] of Object.entries({ ...files, 'attack.dot': program })) {
    mkdirSync(dirname(join(work, name)), { recursive: true })
    if (text.startsWith('-> ')) symlinkSync(text.slice(3), join(work, name))
    else writeFileSync(join(work, name), text)
  }
  const reflex = new Reflex({
    workdir: work,
    store: join(work, '.reflex/reflex.db'),
    policy: [{ file: 'the operator', allow: [], deny, ...rules }],
    surroundings: { ...thisProcess(), cwd: work, environment: { PATH: '/usr/bin:/bin' }, seal: () => undefined },
  })
  onTestFinished(async () => {
    await reflex.close()
    rmSync(work, { recursive: true, force: true })
  })
  const handle = await reflex.start(join(work, 'attack.dot'), { id: 'attack', trust: 'probationary', pipeline: { validate: false } })
  await carryOn(handle.run, (open) => WHOLE.answer(open))
  return { work, text: (name) => readFileSync(join(work, name), 'utf8'), value: JSON.stringify(handle.run.state.ended ?? null) }
}

const SECRET = 'the-word-inside'

describe.skipIf(missing !== undefined)('a command', () => {
  test.each([
    ['a folder', { 'kept/key.txt': SECRET }, 'arbor://fs/read/{work}/kept/**', 'cat kept/key.txt; ls kept'],
    ['a file', { 'deep/er/key.txt': SECRET }, 'arbor://fs/read/{work}/deep/er/key.txt', 'cat deep/er/key.txt; mv deep d; cat d/er/key.txt'],
    ['a file of any folder', { 'one/.env': SECRET }, 'arbor://fs/read/{work}/*/.env', 'cp one/.env here; cat here'],
    ['a folder that a link names', { 'v1/key.txt': SECRET, now: '-> v1' }, 'arbor://fs/read/{work}/now/**', 'cat v1/key.txt'],
    ['its repository', { '.git/HEAD': SECRET, '.git/refs/x': '', '.git/objects/x': '' }, 'arbor://fs/read/{work}/.git/**', 'cat .git/HEAD'],
  ])('does not read %s that a rule denies', async (_, files, rule, text) => {
    expect((await came(command(text), files, [])).value).toContain(SECRET)
    expect((await came(command(text), files, [rule])).value).not.toContain(SECRET)
  })

  test('does not read what the operator wants to be asked about', async () => {
    const rules = { ask: ['arbor://fs/read/{work}/kept/**'] }
    expect((await came(command('cat kept/key.txt'), { 'kept/key.txt': SECRET }, [], rules)).value).not.toContain(SECRET)
  })

  test('changes and makes nothing where a rule denies it, and is told what it had made', async () => {
    const files = { 'src/lib/a.txt': 'kept', 'src/b.txt': 'kept' }
    const rules = ['arbor://fs/write/{work}/src/lib/**', 'arbor://fs/write/{work}/*/gen/**', 'arbor://fs/write/{work}/new.txt']
    const text =
      'echo x > src/lib/a.txt; echo x > src/b.txt; mv src/lib src/l; mv src s; mkdir -p y/gen; echo x > y/gen/c; echo x > new.txt'
    const { work, text: textOf } = await came(command(text), files, rules)
    expect(textOf('src/lib/a.txt')).toBe('kept')
    expect(textOf('src/b.txt')).toBe('x\n')
    expect(['src/l', 's', 'y/gen', 'new.txt'].filter((name) => existsSync(join(work, name)))).toEqual([])
  })

  test('does not run where a rule keeps the whole work folder from being read', async () => {
    const { value } = await came(command('cat a.txt'), { 'a.txt': SECRET }, ['arbor://fs/**'])
    expect(value).not.toContain(SECRET)
  })
})

test('a file is not read by its own name where a rule denies it by that of a link', async () => {
  const program = around('a [type=read, source=file, path="v1/key.txt", output_key=said]')
  const files = { 'v1/key.txt': SECRET, now: '-> v1' }
  expect((await came(program, files, [])).value).toContain(SECRET)
  expect((await came(program, files, ['arbor://fs/read/{work}/now/**'])).value).not.toContain(SECRET)
})

test('what runs by itself can be granted by name', async () => {
  const program = around('a [type="file.write", output=".envrc", content_key="graph.goal"]').replace('{', '{ goal="x"')
  const { work } = await came(program, {}, [], { allow: ['arbor://fs/autorun/{work}/.envrc'] })
  expect(readFileSync(join(work, '.envrc'), 'utf8')).toBe('x')
})
