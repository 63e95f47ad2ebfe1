import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openSqlite } from '../../src/store/index.ts'
import { type Ended, reflex, workFolder } from './worlds.ts'

/** Runs a command in `folder` or a part of it, as the user whose state stands beside it. */
function as(user: string, folder: string, environment: Readonly<Record<string, string>> = {}) {
  return (...argv: readonly string[]): Promise<Ended> =>
    reflex(argv, { folder, environment: { XDG_STATE_HOME: join(user, 'state'), ...environment } })
}

/** The store was not opened, and the command says how to accept it. */
async function refuses(ended: Promise<Ended>): Promise<void> {
  const { code, out, err } = await ended
  expect({ code, out }).toEqual({ code: 3, out: '' })
  expect(err).toMatch(/^error R5030 [^]*was neither made nor named by you[^]*reflex runs --store\s/)
}

describe('a store that is found upwards', () => {
  test('is used if it was made here, also from below', async () => {
    const folder = workFolder()
    const run = as(folder, folder)
    expect((await run('run', 'refund.workflow.json', '--id', 'otter')).code).toBe(75)
    mkdirSync(join(folder, 'deep/er'), { recursive: true })
    expect((await as(folder, join(folder, 'deep/er'))('runs')).out).toContain('otter')
  })

  test('is refused if a command has put it there, until it is named once', async () => {
    const [user, attacker] = [workFolder(), workFolder()]
    await as(attacker, attacker)('run', 'refund.workflow.json', '--id', 'otter')
    rmSync(join(user, '.reflex'), { recursive: true })
    cpSync(join(attacker, '.reflex'), join(user, '.reflex'), { recursive: true })
    const mine = as(user, user)
    const store = join(user, '.reflex/reflex.db')
    const before = readFileSync(store)
    for (const argv of [['runs'], ['run', 'refund.workflow.json'], ['answer', 'otter', 'yes'], ['resume', 'otter'], ['gc', '--keep', '0d']])
      await refuses(mine(...argv))
    expect(readFileSync(store)).toEqual(before)
    expect(await mine('doctor', '--json')).toMatchObject({ code: 3, out: expect.stringContaining('R5030') as string })
    expect((await mine('runs', '--store', store)).out).toContain('otter')
    expect((await mine('runs')).out).toContain('otter')
    expect(JSON.parse((await mine('doctor', '--json')).out)).toMatchObject({ works: true })
  })

  test('is refused where it has taken the place of a known one, was moved, or was copied', async () => {
    const folder = workFolder()
    const mine = as(folder, folder)
    await mine('run', 'refund.workflow.json', '--id', 'otter')
    const home = join(folder, '.reflex')
    const store = join(home, 'reflex.db')
    for (const part of ['moved', 'copied']) mkdirSync(join(folder, part))
    cpSync(home, join(folder, 'copied/.reflex'), { recursive: true })
    await refuses(as(folder, join(folder, 'copied'))('runs'))
    renameSync(home, join(folder, 'moved/.reflex'))
    await refuses(as(folder, join(folder, 'moved'))('runs'))
    mkdirSync(home)
    await openSqlite(store).close()
    await refuses(mine('runs'))
    writeFileSync(join(home, 'id'), 'guessed\n')
    await refuses(mine('runs'))
    rmSync(home, { recursive: true })
    expect(await mine('run', 'refund.workflow.json', '--id', 'heron')).toMatchObject({ code: 75 })
    expect((await mine('runs')).out).toContain('heron')
  })

  test('is named by REFLEX_STORE too, and known to this user alone', async () => {
    const [ana, bo] = [workFolder(), workFolder()]
    await as(ana, ana)('run', 'refund.workflow.json', '--id', 'otter')
    const store = join(ana, '.reflex/reflex.db')
    await refuses(as(bo, ana)('runs'))
    expect((await as(bo, ana, { REFLEX_STORE: store })('runs')).out).toContain('otter')
    expect((await as(bo, ana)('runs')).out).toContain('otter')
  })

  test('is used without a check of its origin where nothing can be remembered, and doctor reports it', async () => {
    const folder = workFolder()
    const nowhere = as(folder, folder, { XDG_STATE_HOME: '/dev/null' })
    expect((await nowhere('run', 'refund.workflow.json', '--id', 'otter')).code).toBe(75)
    expect((await nowhere('runs')).out).toContain('otter')
    const { checks } = JSON.parse((await nowhere('doctor', '--json')).out) as {
      checks: readonly { name: string; found: string; text: string }[]
    }
    expect(checks.find(({ name }) => name === 'stores')).toMatchObject({
      found: 'warning',
      text: expect.stringContaining('/dev/null') as string,
    })
    expect(existsSync(join(folder, 'state'))).toBe(false)
  })

  test.each([
    ['a pipe that nobody writes to', (path: string) => void execFileSync('mkfifo', [path])],
    ['a device without an end', (path: string) => symlinkSync('/dev/zero', path)],
    ['a folder', (path: string) => mkdirSync(path)],
    ['a large file', (path: string) => writeFileSync(path, 'x'.repeat(1_000))],
  ])('with %s in the place of its id is refused, and holds up nobody', async (_, make) => {
    const folder = workFolder()
    const mine = as(folder, folder)
    await mine('run', 'refund.workflow.json', '--id', 'otter')
    rmSync(join(folder, '.reflex/id'))
    make(join(folder, '.reflex/id'))
    await refuses(mine('runs'))
  })

  test('leaves no incomplete file', async () => {
    const folder = workFolder()
    await as(folder, folder)('run', 'refund.workflow.json', '--id', 'otter')
    expect(readdirSync(join(folder, 'state/reflex/stores'))).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.json$/)])
    expect(readdirSync(join(folder, '.reflex')).sort()).toEqual(['.gitignore', 'id', 'reflex.db'])
  })
})
