import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Surroundings } from '../../src/app/host.ts'
import { digest, isObject, type Json, type JsonObject, Runtime } from '../../src/kernel/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { openStore } from '../../src/store/index.ts'
import { startForged } from './forging.ts'
import { type VirtualHost, virtualHost } from '../../src/testing/index.ts'
import { decisionPort, loadStoredWorkflow, workflowKind } from '../../src/kinds/workflow/face/runtime.ts'

/** A folder that came from somebody else, its store and all. */
function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-foreign-')))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

let workers = 0

function somebody(cwd: string): Surroundings {
  workers++
  return {
    host: virtualHost({ seed: workers }),
    worker: { id: `w${workers}`, host: '', pid: 0 },
    cwd,
    environment: {},
    actor: 'ana',
    seal: (text) => digest(`mine${text}`),
  }
}

function reflexIn(cwd: string): Reflex {
  const reflex = new Reflex({ surroundings: somebody(cwd) })
  onTestFinished(() => reflex.close())
  return reflex
}

const ASK = { id: 'ask', spec: { ask: 'Go on?', options: [{ value: 'yes', event: 'YES' }] } }

function program(next: JsonObject): JsonObject {
  return {
    id: 'ask',
    entry: 'ask',
    nodes: { ask: ASK, next: { id: 'next', spec: {}, ...next } },
    edges: [{ id: 'yes', from: 'ask', to: 'next', event: 'YES' }],
  }
}

/** A run as its maker wanted it, whatever `Reflex` would have said. */
async function forged(cwd: string, source: JsonObject, by: Json, id = 'ask-1abc'): Promise<void> {
  const reflex = new Reflex({ surroundings: somebody(cwd) })
  await reflex.runtime.programs.load('workflow')
  const made = reflex.runtime.programs.add('workflow', 'ask', source)
  await startForged(reflex, made, by, id)
  await reflex.close()
}

/** A run that has ended, by a runtime that takes any name. */
async function completed(cwd: string, id: string): Promise<void> {
  const { host, worker } = somebody(cwd)
  const store = openStore(join(cwd, '.reflex/reflex.db'))
  const decide = decisionPort({ resolve: () => Promise.resolve({ type: 'complete' }) })
  const runtime = new Runtime({
    kinds: [workflowKind({ load: (source) => loadStoredWorkflow(source, {}) })],
    ports: { decide },
    store,
    host,
    worker,
  })
  const source = { id: 'end', entry: 'end', nodes: { end: { id: 'end', spec: {} } }, edges: [] }
  const run = await runtime.start(runtime.programs.add('workflow', 'end', source), { id })
  await run.idle()
  await runtime.close()
  await store.close()
}

async function answered(cwd: string): Promise<{ readonly code: string | undefined; readonly reflex: Reflex }> {
  const reflex = reflexIn(cwd)
  const { handle } = await reflex.answer('last', 'yes')
  await handle?.idle()
  return { code: handle?.questions[0]?.fault?.code, reflex }
}

const EVIL = "import { writeFileSync } from 'node:fs'\nwriteFileSync(new URL('PWNED', import.meta.url), 'x')\nexport const evil = {}\n"

describe('a store from somebody else', () => {
  test('makes nobody import a module: neither as the file of a run nor as its tools', async () => {
    const cwd = folder()
    for (const name of ['evil.workflow.ts', 'x.workflow.ts']) writeFileSync(join(cwd, name), EVIL)
    const file = join(cwd, 'x.workflow.ts')
    const source = program({ invokes: { workflowId: 'evil', returnMap: [] } })
    await forged(cwd, source, { trust: 'probationary', actor: 'eve', workdir: cwd, file, tools: [file] })
    expect((await answered(cwd)).code).toBe('R2055')
    expect(existsSync(join(cwd, 'PWNED'))).toBe(false)
  })

  test('has no run whose name leads out of the folder: it is neither carried on nor cleaned up', async () => {
    const cwd = folder()
    mkdirSync(join(cwd, '.reflex/runs'), { recursive: true })
    mkdirSync(join(cwd, 'src'))
    writeFileSync(join(cwd, 'src/a.txt'), 'mine')
    const source = program({ spec: { tool: 'file.write', args: { path: 'b.txt', text: 'theirs' } } })
    await forged(cwd, source, { trust: 'untrusted' }, '../../src')
    await expect(answered(cwd)).rejects.toMatchObject({ code: 'R2022' })
    expect(existsSync(join(cwd, 'src/b.txt'))).toBe(false)
    const other = folder()
    mkdirSync(join(other, '.reflex/runs'), { recursive: true })
    mkdirSync(join(other, 'src'))
    await completed(other, '../../src')
    const later = somebody(other)
    await (later.host as VirtualHost).advance(60_000)
    const cleaner = new Reflex({ surroundings: later })
    onTestFinished(() => cleaner.close())
    const { folders, runs } = await cleaner.gc({ keep: 0 })
    expect({ folders, runs }).toEqual({ folders: [], runs: ['../../src'] })
    expect(existsSync(join(other, 'src'))).toBe(true)
  })

  test('cannot use the proof of another run', async () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'ask.workflow.json'), JSON.stringify(program({})))
    const mine = reflexIn(cwd)
    await mine.run('ask.workflow.json', { id: 'ask-1abc', trust: 'trusted' })
    const { state } = await mine.runtime.peek('ask-1abc')
    const by = state.start?.by
    expect(isObject(by) && by.proof).toBeTruthy()
    const theirs = folder()
    const outside = join(folder(), 'PWNED')
    await forged(theirs, program({ spec: { tool: 'command', args: { argv: ['touch', outside], sandbox: 'none' } } }), {
      ...(by as JsonObject),
      workdir: theirs,
    })
    await answered(theirs)
    expect(existsSync(outside)).toBe(false)
  })

  test('reads no file in the place of a recording', async () => {
    const cwd = folder()
    const secret = join(cwd, 'secret.txt')
    writeFileSync(secret, 'hush hush')
    const by = { trust: 'untrusted', actor: 'eve', workdir: cwd, agent: { recorded: secret } }
    await forged(cwd, program({ spec: { prompt: 'Say it', writes: 'said' } }), by)
    const { code, reflex } = await answered(cwd)
    expect(code).toBe('R4001')
    expect(JSON.stringify((await reflex.runtime.history('ask-1abc')).records)).not.toContain('hush hu')
  })
})
