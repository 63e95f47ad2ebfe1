import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const COMMAND = join(import.meta.dirname, '../../bin/reflex.js')
const HELLO = {
  id: 'hello',
  entry: 'one',
  nodes: { one: { id: 'one', spec: {} }, two: { id: 'two', spec: {} } },
  edges: [{ id: 'next', from: 'one', to: 'two', event: 'NEXT' }],
}

/** Writes the address of each module that a process loads, and of each path that is resolved with a search, into a file. */
const watching = (file: string): string => `import { registerHooks } from 'node:module'
import { writeFileSync } from 'node:fs'
const [loaded, searched] = [[], []]
registerHooks({
  load: (url, context, next) => (loaded.push(url), next(url, context)),
  resolve: (specifier, context, next) => (specifier.startsWith('./') && searched.push(specifier), next(specifier, context)),
})
process.on('exit', () => writeFileSync(${JSON.stringify(file)}, JSON.stringify({ loaded, searched })))`

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reflex-start-'))
  writeFileSync(join(folder, 'watch.mjs'), watching(join(folder, 'seen.json')))
  writeFileSync(join(folder, 'hello.workflow.json'), JSON.stringify(HELLO))
})
afterAll(() => rmSync(folder, { recursive: true }))

function loadedBy(...words: string[]): { readonly all: readonly string[]; readonly searched: number } {
  const watch = pathToFileURL(join(folder, 'watch.mjs')).href
  const { status, stderr } = spawnSync(process.execPath, ['--import', watch, COMMAND, ...words], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: folder, NODE_DISABLE_COMPILE_CACHE: '1' },
  })
  expect([status, stderr]).toEqual([0, ''])
  const { loaded, searched } = JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8')) as Record<string, string[]>
  const ours = (searched ?? []).filter((one) => one.endsWith('.ts'))
  return { all: (loaded ?? []).filter((url) => url.startsWith('file:')), searched: ours.length }
}

/** A file of each kind that only its programs need. */
const [WORKFLOW, PIPELINE] = ['/kinds/workflow/face/body.ts', '/kinds/pipeline/face/body.ts']
const KINDS = [WORKFLOW, PIPELINE]

/** Modules of a command that loads no kind, and of one that loads pipelines, with some to spare. */
const [LIGHT, WITH_WORKFLOWS, WITH_PIPELINES] = [690, 770, 975]

const has = (urls: readonly string[], part: string): boolean => urls.some((url) => url.includes(part))

test('the version loads no verb', () => {
  const { all } = loadedBy('--version')
  expect(all.length).toBeLessThan(168)
  expect([has(all, '/cli/verbs/'), has(all, '/commander/')]).toEqual([false, false])
})

test('compiled code is kept in the cache folder of the user, and never in the folder for temporary files', () => {
  const at = (name: string): string => join(folder, 'compiled', name)
  for (const name of ['home', 'cache', 'shared']) mkdirSync(at(name), { recursive: true })
  const start = (env: NodeJS.ProcessEnv): readonly string[] => {
    const { status } = spawnSync(process.execPath, [COMMAND, '--version'], { env: { TMPDIR: at('shared'), ...env } })
    expect(status).toBe(0)
    return ['home/.cache/reflex', 'home/Library/Caches/reflex', 'cache/reflex', 'shared'].flatMap((name) =>
      existsSync(at(name)) ? readdirSync(at(name)).map((inner) => `${name}/${inner}`) : [],
    )
  }
  expect(start({})).toEqual([])
  expect(start({ HOME: at('nobody') })).toEqual([])
  const inHome = process.platform === 'darwin' ? 'home/Library/Caches/reflex/compiled' : 'home/.cache/reflex/compiled'
  expect(start({ HOME: at('home') })).toEqual([inHome])
  expect(start({ HOME: at('home'), XDG_CACHE_HOME: at('cache') })).toEqual([inHome, 'cache/reflex/compiled'])
})

test('help and a list of runs load no kind, program, model or tool, and no schemas', () => {
  const others = ['/zod/', ...KINDS, '/src/agents/index.ts', '/src/models/', '/app/reflex.ts']
  for (const words of [['--help'], ['run', '--help'], ['runs']]) {
    const { all } = loadedBy(...words)
    expect(all.length).toBeLessThan(374)
    expect(others.filter((part) => has(all, part))).toEqual([])
  }
})

test('open questions are listed without a kind', () => {
  const { all } = loadedBy('inbox')
  expect(all.length).toBeLessThan(LIGHT)
  expect(KINDS.filter((part) => has(all, part))).toEqual([])
})

test('a program loads its own kind and no other', () => {
  writeFileSync(
    join(folder, 'echo.dot'),
    'digraph echo { start [shape=Mdiamond] a [shape=box, prompt="x"] done [shape=Msquare] start -> a -> done }',
  )
  const workflow = loadedBy('run', 'hello.workflow.json', '--simulate', '--json')
  expect([has(workflow.all, WORKFLOW), has(workflow.all, PIPELINE), workflow.all.length < WITH_WORKFLOWS + 35]).toEqual([true, false, true])
  const shown = loadedBy('show', 'last')
  expect([has(shown.all, WORKFLOW), has(shown.all, PIPELINE)]).toEqual([true, false])
  const pipeline = loadedBy('validate', 'echo.dot')
  expect([has(pipeline.all, WORKFLOW), has(pipeline.all, PIPELINE), has(pipeline.all, '/src/agents/decision-agents.ts')]).toEqual([
    false,
    true,
    false,
  ])
  expect(pipeline.all.length).toBeLessThan(WITH_PIPELINES)
})

test('validate loads no module for replay or export, and searches for no source file', () => {
  const { all, searched } = loadedBy('validate', 'hello.workflow.json')
  expect(all.length).toBeLessThan(WITH_WORKFLOWS)
  expect(searched).toBe(0)
  const others = ['/history/archive/export', '/history/causes', '/history/tables/', '/replaying', '/src/forking.ts', '/src/collecting.ts']
  expect(others.filter((part) => has(all, part))).toEqual([])
})
