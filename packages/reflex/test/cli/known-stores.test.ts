import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findStore } from '../../src/app/home.ts'
import { KnownStores } from '../../src/app/known-stores.ts'
import { openSqlite } from '../../src/store/index.ts'
import { makeFirstLayout } from '../store/first-layout.ts'
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
  expect(err).toMatch(/^error R5030 [^]*made[^]*you[^]*--store\s/)
}

describe('a store in a folder above', () => {
  test('is used if this user made it, also from a folder below', async () => {
    const folder = workFolder()
    const run = as(folder, folder)
    expect((await run('run', 'refund.workflow.json', '--id', 'otter')).code).toBe(75)
    mkdirSync(join(folder, 'deep/er'), { recursive: true })
    expect((await as(folder, join(folder, 'deep/er'))('runs')).out).toContain('otter')
  })

  test('is refused if a command created it, until the user names it once', async () => {
    const [user, attacker] = [workFolder(), workFolder()]
    await as(attacker, attacker)('run', 'refund.workflow.json', '--id', 'otter')
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

  test('is refused if it replaced a known store, was moved, or was copied', async () => {
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
    rmSync(home, { recursive: true })
    expect(await mine('run', 'refund.workflow.json', '--id', 'heron')).toMatchObject({ code: 75 })
    expect((await mine('runs')).out).toContain('heron')
  })

  test('is refused and left unchanged if another file has replaced it, whatever is beside it', async () => {
    const [user, attacker] = [workFolder(), workFolder()]
    const mine = as(user, user)
    await mine('run', 'refund.workflow.json', '--id', 'otter')
    await as(attacker, attacker)('run', 'refund.workflow.json', '--id', 'eve')
    const store = join(user, '.reflex/reflex.db')
    cpSync(join(attacker, '.reflex/reflex.db'), store)
    const forged = readFileSync(store)
    for (const argv of [['runs'], ['answer', 'eve', 'yes'], ['run', 'refund.workflow.json'], ['doctor']])
      expect((await mine(...argv)).code).toBe(3)
    await refuses(mine('runs'))
    expect(readFileSync(store)).toEqual(forged)
    expect(readdirSync(join(user, '.reflex')).sort()).toEqual(['.gitignore', 'reflex.db'])
    expect((await mine('runs', '--store', store)).out).toContain('eve')
    expect((await mine('runs')).out).toContain('eve')
  })

  test('is refused if an older release without identities made it, until the user names it once', async () => {
    const folder = workFolder()
    const mine = as(folder, folder)
    await mine('run', 'refund.workflow.json', '--id', 'otter')
    const store = join(folder, '.reflex/reflex.db')
    makeFirstLayout(store)
    await refuses(mine('runs'))
    expect((await mine('runs', '--store', store)).out).toContain('otter')
    expect((await mine('runs')).out).toContain('otter')
  })

  test('can be named by REFLEX_STORE, and is known to this user only', async () => {
    const [ana, bo] = [workFolder(), workFolder()]
    await as(ana, ana)('run', 'refund.workflow.json', '--id', 'otter')
    const store = join(ana, '.reflex/reflex.db')
    await refuses(as(bo, ana)('runs'))
    expect((await as(bo, ana, { REFLEX_STORE: store })('runs')).out).toContain('otter')
    expect((await as(bo, ana)('runs')).out).toContain('otter')
  })

  test('is used without a check of its origin if nothing can be remembered, and doctor reports that', async () => {
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

  test('leaves no incomplete file', async () => {
    const folder = workFolder()
    await as(folder, folder)('run', 'refund.workflow.json', '--id', 'otter')
    expect(readdirSync(join(folder, 'state/reflex/stores'))).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.json$/)])
    expect(readdirSync(join(folder, '.reflex')).sort()).toEqual(['.gitignore', 'reflex.db'])
  })
})

describe('a folder .reflex without a store', () => {
  test.each([
    ['an empty folder', (path: string) => mkdirSync(path)],
    [
      'a folder with an id',
      (path: string) => {
        mkdirSync(path)
        writeFileSync(join(path, 'id'), 'guessed\n')
      },
    ],
    ['a folder with the folders of runs', (path: string) => mkdirSync(join(path, 'runs/otter'), { recursive: true })],
    ['a file', (path: string) => writeFileSync(path, '')],
    ['a link to another folder', (path: string) => symlinkSync(workFolder(), path)],
    ['a link to nothing', (path: string) => symlinkSync('nothing', path)],
  ])('is refused if somebody else made it: %s', async (_, plant) => {
    const folder = workFolder()
    const mine = as(folder, folder)
    const home = join(folder, '.reflex')
    plant(home)
    await refuses(mine('run', 'refund.workflow.json'))
    expect(existsSync(join(home, 'reflex.db'))).toBe(false)
    expect((await mine('doctor', '--json')).out).toContain('R5030')
    rmSync(home, { recursive: true, force: true })
    expect(await mine('run', 'refund.workflow.json', '--id', 'otter')).toMatchObject({ code: 75 })
    expect((await mine('runs')).out).toContain('otter')
  })

  test('is used once the user has named a store in it, with the command that the refusal prints', async () => {
    const folder = workFolder()
    const mine = as(folder, folder)
    mkdirSync(join(folder, '.reflex'))
    const { err } = await mine('run', 'refund.workflow.json')
    const printed = /reflex (worker --once --store \S+)/.exec(err.replace(/\s+/g, ' '))?.[1] ?? ''
    expect(await mine(...printed.split(' '))).toMatchObject({ code: 0 })
    expect(await mine('run', 'refund.workflow.json', '--id', 'otter')).toMatchObject({ code: 75 })
    expect((await mine('runs')).out).toContain('otter')
  })

  test('is used again after its store was removed, and if it contains the secret of the user', async () => {
    const folder = workFolder()
    const mine = as(folder, folder, { HOME: folder })
    mkdirSync(join(folder, '.reflex'))
    writeFileSync(join(folder, '.reflex/secret'), 'hush')
    expect(await mine('run', 'refund.workflow.json', '--id', 'otter')).toMatchObject({ code: 75 })
    for (const [id, removed] of [
      ['heron', '.reflex/reflex.db'],
      ['vole', '.reflex'],
    ] as const) {
      rmSync(join(folder, removed), { recursive: true })
      expect(await mine('run', 'refund.workflow.json', '--id', id)).toMatchObject({ code: 75 })
      expect((await mine('runs')).out).toContain(id)
    }
  })

  test('does not hide a store above it', async () => {
    const folder = workFolder()
    await as(folder, folder)('run', 'refund.workflow.json', '--id', 'otter')
    mkdirSync(join(folder, 'deep/.reflex'), { recursive: true })
    expect((await as(folder, join(folder, 'deep'))('runs')).out).toContain('otter')
  })
})

test('processes that create a store at the same time agree on its identity', () => {
  const folder = workFolder()
  const path = join(folder, '.reflex/reflex.db')
  const lists = [1, 2, 3].map(() => new KnownStores({ environment: { XDG_STATE_HOME: join(folder, 'state') } }))
  const found = lists.map((list) => ({ list, ...findStore(folder, list) }))
  expect(found.map(({ identity }) => identity)).toEqual([undefined, undefined, undefined])
  const ids = found.map(({ list }) => list.reserve(path))
  expect(new Set(ids).size).toBe(1)
  const stores = ids.map((identity) => openSqlite(path, { identity }))
  expect(stores.map(({ identity }) => identity)).toEqual(ids)
  for (const store of stores) void store.close()
})
