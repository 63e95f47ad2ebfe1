import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { chooseStore } from '../../src/app/home.ts'
import { Reflex } from '../../src/index.ts'
import { KnownStores } from '../../src/app/known-stores.ts'
import { KINDS } from '../../src/app/kinds.ts'
import { workflowReader } from '../../src/kinds/workflow/face/reader.ts'
import { Kinds } from '../../src/programs/kinds.ts'
import { Library } from '../../src/programs/library.ts'
import { readText } from '../../src/programs/read-text.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'reflex-library-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function workflow(id: string, ...calls: readonly string[]): string {
  const names = calls.length === 0 ? ['only'] : calls
  const nodes = names.map((name): [string, unknown] => [
    name,
    { id: name, spec: { complete: 'DONE' }, ...(calls.length === 0 ? {} : { invokes: { workflowId: name, returnMap: [] } }) },
  ])
  const edges = names.slice(1).map((to, i) => ({ id: `e${i}`, from: names[i], to, event: 'DONE' }))
  return JSON.stringify({ id, entry: names[0], nodes: Object.fromEntries<unknown>(nodes), edges })
}

/** A module that exports a program, and leaves a mark when it runs. */
function program(path: string, id: string, ...calls: readonly string[]): void {
  const mark = `(await import('node:fs')).writeFileSync(${JSON.stringify(`${path}.ran`)}, '')`
  writeFileSync(path, `${mark}\nexport const made = ${workflow(id, ...calls)}\n`)
}

async function libraryOf(workdir: string): Promise<{ reflex: Reflex; knows: (name: string) => boolean }> {
  const reflex = new Reflex({ store: 'memory:', workdir })
  onTestFinished(() => reflex.close())
  return { reflex, knows: (name) => reflex.runtime.programs.find(name) !== undefined }
}

describe('a module runs only when a person named it', () => {
  it('not as what a JSON program calls, by its name or another, and not as a member of its folder', async () => {
    const work = folder()
    writeFileSync(join(work, 'm.workflow.json'), workflow('m', 'kid', 'other'))
    program(join(work, 'kid.workflow.ts'), 'kid')
    program(join(work, 'beside.workflow.mjs'), 'other')
    const { reflex, knows } = await libraryOf(work)
    for (const path of ['m.workflow.json', '']) expect((await reflex.library.load(join(work, path))).program.name).toBe('workflow:m')
    await reflex.library.checkCalls(work)
    expect([knows('workflow:kid'), knows('workflow:other')]).toEqual([false, false])
    expect([existsSync(join(work, 'kid.workflow.ts.ran')), existsSync(join(work, 'beside.workflow.mjs.ran'))]).toEqual([false, false])
  })

  it('a folder of modules asks for the name of one', async () => {
    const work = folder()
    program(join(work, 'kid.workflow.mjs'), 'kid')
    const { reflex } = await libraryOf(work)
    await expect(reflex.library.load(work)).rejects.toMatchObject({ code: 'R1021', fix: 'name the module: kid.workflow.mjs' })
    expect(existsSync(join(work, 'kid.workflow.mjs.ran'))).toBe(false)
  })

  it('the one that is named may call those of its folder by name, and no others', async () => {
    const [work, elsewhere] = [folder(), folder()]
    program(join(work, 'm.workflow.mjs'), 'm', 'kid', 'far')
    program(join(work, 'kid.workflow.mjs'), 'kid')
    program(join(elsewhere, 'far.workflow.mjs'), 'far')
    const reflex = new Reflex({ store: 'memory:', workdir: work, programs: [elsewhere] })
    onTestFinished(() => reflex.close())
    await reflex.library.load(join(work, 'm.workflow.mjs'))
    expect(['workflow:kid', 'workflow:far'].map((name) => reflex.runtime.programs.find(name) !== undefined)).toEqual([true, false])
  })

  it('and not for ever: R1023', async () => {
    const work = folder()
    writeFileSync(join(work, 'kid.workflow.mjs'), 'await new Promise(() => {})\n')
    const { reflex } = await libraryOf(work)
    const host = { now: () => 0, at: (_time: number, late: () => void) => (setImmediate(late), () => undefined) }
    const library = new Library(reflex.runtime.programs, reflex.kinds, { folders: [] }, host)
    await expect(library.load(join(work, 'kid.workflow.mjs'))).rejects.toMatchObject({ code: 'R1023' })
  })
})

describe('proofs', () => {
  const loose = { id: 'm', entry: 'a', nodes: { a: { id: 'a', spec: {} }, b: { id: 'b', spec: {} } }, edges: [] as object[] }
  const guard = { type: 'equals', key: 'way', value: 1 }

  it('are made when a program is validated, and not when it is run', async () => {
    const work = folder()
    const path = join(work, 'm.workflow.json')
    writeFileSync(path, JSON.stringify({ ...loose, edges: [{ id: 'e', from: 'a', to: 'b', event: 'B', guard }] }))
    const { reflex } = await libraryOf(work)
    let asked = 0
    const library = new Library(
      reflex.runtime.programs,
      new Kinds(KINDS, new Map([['workflow', workflowReader({ effects: () => void asked++ })]])),
      { folders: [] },
    )
    expect((await library.load(path)).findings).toEqual([])
    expect(asked).toBe(0)
    expect((await library.checkCalls(path)).findings).toEqual([expect.objectContaining({ code: 'R1061' })])
    expect(asked).toBe(2)
  })

  it('that refuse a program refuse its run: R1066', async () => {
    const work = folder()
    writeFileSync(join(work, 'm.workflow.json'), workflow('m', 'm'))
    const { reflex } = await libraryOf(work)
    await expect(reflex.library.load(join(work, 'm.workflow.json'))).rejects.toMatchObject({ code: 'R1066' })
  })

  it('guess at a call among the programs of the folder', async () => {
    const work = folder()
    writeFileSync(join(work, 'm.workflow.json'), workflow('m', 'ticktes', 'nottify'))
    writeFileSync(join(work, 'other.workflow.json'), workflow('tickets'))
    program(join(work, 'notify.workflow.mjs'), 'notify')
    const { reflex } = await libraryOf(work)
    const { findings } = await reflex.library.checkCalls(join(work, 'm.workflow.json'))
    expect(findings.map(({ code, fix }) => [code, fix])).toEqual([
      ['R1053', 'write "tickets"'],
      ['R1053', 'write "notify"'],
    ])
    expect(existsSync(join(work, 'notify.workflow.mjs.ran'))).toBe(false)
  })
})

describe('a file beside a program', () => {
  const BESIDE: Readonly<Record<string, (path: string) => void>> = {
    'a dangling link': (path) => symlinkSync('nowhere', path),
    'a link to itself': (path) => symlinkSync(path, path),
    'a folder': (path) => mkdirSync(path),
    'a pipe': (path) => execFileSync('mkfifo', [path]),
    'a device': (path) => symlinkSync('/dev/zero', path),
  }
  it.each(Object.entries(BESIDE))('that is %s is left alone, unless it bears the name that is called', async (_what, make) => {
    const work = folder()
    writeFileSync(join(work, 'm.workflow.json'), workflow('m', 'kid'))
    make(join(work, 'b.workflow.json'))
    const { reflex } = await libraryOf(work)
    for (const path of ['m.workflow.json', '']) expect((await reflex.library.load(join(work, path))).program.name).toBe('workflow:m')
    make(join(work, 'kid.workflow.json'))
    await expect(reflex.library.load(join(work, 'm.workflow.json'))).rejects.toMatchObject({
      code: expect.stringMatching(/^R102[14]$/) as string,
    })
  })
})

describe('a path that the system refuses', () => {
  it.each([
    ['a link to itself', (work: string) => (symlinkSync(join(work, 'a.workflow.json'), join(work, 'a.workflow.json')), 'a.workflow.json')],
    ['a name that is too long', () => `${'a'.repeat(300)}.workflow.json`],
  ])('%s: R1024', async (_what, make) => {
    const work = folder()
    const path = join(work, make(work))
    const { reflex } = await libraryOf(work)
    await expect(reflex.library.load(path)).rejects.toMatchObject({ code: 'R1024' })
    expect(() => readText(path)).toThrow(expect.objectContaining({ code: 'R1024' }))
  })
})

it('a folder in which no store can be made: R5023', () => {
  const work = folder()
  writeFileSync(join(work, '.reflex'), '')
  const stores = new KnownStores({ environment: {} })
  expect(() => chooseStore(undefined, work, stores)).toThrow(expect.objectContaining({ code: 'R5023' }))
  // The system says so in another way there.
  if (process.platform === 'linux')
    expect(() => chooseStore(undefined, '/proc/self', stores)).toThrow(expect.objectContaining({ code: 'R5023' }))
})

describe('an id with a colon', () => {
  it('is called by its exact id, from files', async () => {
    const work = folder()
    writeFileSync(join(work, 'm.workflow.json'), workflow('m', 'pay:refund'))
    writeFileSync(join(work, 'pay.workflow.json'), workflow('pay:refund'))
    const { reflex } = await libraryOf(work)
    expect((await reflex.library.checkCalls(join(work, 'm.workflow.json'))).findings).toEqual([])
    const handle = await reflex.run(join(work, 'm.workflow.json'))
    expect(handle.status).toBe('completed')
  })
})
