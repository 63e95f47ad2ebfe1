import { once } from 'node:events'
import { chmodSync, existsSync, lstatSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import * as fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { Journals, Programs, type Rec } from '../../../src/kernel/index.ts'
import { Reflex } from '../../../src/index.ts'
import { HandlerRegistry, run } from '../../../src/kinds/pipeline/index.ts'
import { Chronicle } from '../../../src/kinds/pipeline/folder/chronicle.ts'
import { folderOfRound, safeName } from '../../../src/kinds/pipeline/contract/paths.ts'
import { createEngine } from '../../../src/kinds/pipeline/operations/make-engine.ts'
import { pipelineKind } from '../../../src/kinds/pipeline/face/kind.ts'
import { writeFolder } from '../../../src/kinds/pipeline/folder/writer.ts'
import { loadPipeline } from '../../../src/kinds/pipeline/face/read-pipeline.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { dataIn, filesIn, folder } from './folders.ts'

const rounds = `digraph rounds {
  goal = "three rounds"
  start [shape=Mdiamond, context.rounds=0]
  round [type=transform, transform=increment, source_key="rounds", output_key="rounds"]
  say [prompt="round {ctx.rounds}", simulate="true"]
  fork [shape=component]
  left [prompt="left", simulate="true"]
  right [prompt="right", simulate="true"]
  both [prompt="both", simulate="true"]
  join [shape=tripleoctagon]
  done [shape=Msquare]
  start -> round -> say
  say -> round [condition="context.rounds=1"]
  say -> round [condition="context.rounds=2", loop_restart=true]
  say -> fork
  fork -> left -> both
  fork -> right -> both
  both -> join -> done
}`

// proves: pipeline 12.107, pipeline s3.7a, pipeline s3.7b, pipeline s3.7c, pipeline 3.8b
test('each restart has its own folder, named after the folder before (107)', async () => {
  const logs_root = join(folder(), 'logs')
  const result = await run(rounds, { logs_root })
  expect(result.status).toBe('success')
  expect(dataIn(logs_root, 'checkpoint.json')['completed_nodes']).toEqual(['start', 'round', 'say', 'round', 'say'])
  expect(dataIn(`${logs_root}-v2`, 'checkpoint.json')['completed_nodes']).toEqual(['round', 'say', 'fork', 'join', 'done'])
  expect(dataIn(`${logs_root}-v2`, 'manifest.json')).toMatchObject({ restart_of: logs_root, iteration: 2, run_id: result.run_id })
  expect(folderOfRound('/a/logs', 2)).toBe('/a/logs-v3')
  expect(folderOfRound('/a/logs-v4', 1)).toBe('/a/logs-v5')
})

// proves: pipeline 6.3b, pipeline 6.3c
test('the files of an earlier visit of a stage move away, and branches that share a stage have separate files', async () => {
  const logs_root = join(folder(), 'logs')
  await run(rounds, { logs_root })
  expect(Object.keys(filesIn(logs_root)).filter((file) => file.startsWith('round'))).toEqual([
    'round/attempts/1/status.json',
    'round/status.json',
  ])
  const second = Object.keys(filesIn(`${logs_root}-v2`))
  expect(second).toContain('left/status.json')
  expect(second).toContain('parallel/fork/left/both/prompt.md')
  expect(second).toContain('parallel/fork/right/both/prompt.md')
  expect(second).not.toContain('both/prompt.md')
})

// proves: pipeline 2.6.27
test('a status file has the outcome in both spellings (24)', async () => {
  const logs_root = folder()
  await run(rounds, { logs_root })
  expect(dataIn(logs_root, 'say', 'status.json')).toMatchObject({
    outcome: 'success',
    status: 'success',
    preferred_label: '',
    preferred_next_label: '',
    suggested_next_ids: [],
    context_updates: { last_response: '[Simulated] Response for stage: say' },
    attempt: 1,
    written_by: 'engine',
  })
})

/** The journal of a run, and a chronicle of it with a folder. */
async function journalOf(dot: string): Promise<{ records: readonly Rec[]; chronicle: (root: string) => Chronicle }> {
  const store = memoryStore()
  const { run_id } = await run(dot, { store, logs_root: false })
  const programs = new Programs()
  programs.addKind(pipelineKind({ load: (source) => loadPipeline(source), engine: createEngine() }))
  const records = await new Journals(store, programs).records(run_id)
  const pin = records[0]?.more?.start?.pins[0]
  if (pin === undefined) throw new Error('the journal has no first record')
  programs.restore(pin, { dot })
  return { records, chronicle: (logsRoot) => new Chronicle({ run: run_id, programs, logsRoot }) }
}

// proves: pipeline 6.2a
test('the next process completes the folder of a process that died after any record', async () => {
  const { records, chronicle } = await journalOf(rounds)
  const home = folder()
  const tell = async (root: string, upTo: number, everyBatch: number): Promise<void> => {
    const told = chronicle(root)
    for (const [i, record] of records.slice(0, upTo).entries()) {
      told.take(record)
      if (i % everyBatch === 0 || i + 1 === upTo) await writeFolder(told.changes(i + 1 === upTo))
    }
  }
  const root = join(home, 'logs')
  await tell(root, records.length, records.length)
  const undisturbed = filesIn(home)
  expect(Object.keys(undisturbed).length).toBeGreaterThan(20)
  for (let dies = 1; dies < records.length; dies++) {
    rmSync(home, { recursive: true })
    await tell(root, dies, 1 + (dies % 3))
    // A file that the process was at is half there.
    mkdirSync(root, { recursive: true })
    writeFileSync(join(root, 'events.jsonl'), '{"type":')
    await tell(root, records.length, 7)
    expect(filesIn(home)).toEqual(undisturbed)
  }
})

/** A loop of so many visits of two nodes. */
const loop = (visits: number): string => `digraph loop {
  max_node_visits=100000
  start [shape=Mdiamond, context.rounds=0]
  round [type=transform, transform=increment, source_key="rounds", output_key="rounds"]
  say [prompt="round {ctx.rounds}", simulate="true"]
  done [shape=Msquare]
  start -> round -> say
  say -> done [condition="context.rounds=${visits}"]
  say -> round
}`

test('the final folder does not depend on the batches of records or on interrupted writes', async () => {
  const home = folder()
  const root = join(home, 'logs')
  for (const dot of [rounds, loop(12)]) {
    const { records, chronicle } = await journalOf(dot)
    rmSync(home, { recursive: true, force: true })
    const once = chronicle(root)
    for (const record of records) once.take(record)
    await writeFolder(once.changes(true))
    const atOnce = filesIn(home)
    const batches = fc.array(fc.record({ size: fc.integer({ min: 1, max: 9 }), whole: fc.boolean() }), { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(batches, fc.nat({ max: 200 }), async (cut, stops) => {
        rmSync(home, { recursive: true, force: true })
        const [dies, heir] = [chronicle(root), chronicle(root)]
        let left = stops
        for (let from = 0, i = 0; from < records.length && left > 0; i++) {
          const { size, whole } = cut[i % cut.length] ?? { size: 1, whole: true }
          for (const record of records.slice(from, from + size)) dies.take(record)
          from += size
          const changes = dies.changes(whole || from >= records.length)
          await writeFolder(changes.slice(0, left))
          left -= changes.length
        }
        if (left > 0) expect(filesIn(home)).toEqual(atOnce)
        for (const record of records) heir.take(record)
        await writeFolder(heir.changes(true))
        expect(filesIn(home)).toEqual(atOnce)
      }),
      { numRuns: 15 },
    )
  }
})

test('the checkpoints of a run cost the same for each record, however long it is, and the last one is complete', async () => {
  const costs = async (visits: number): Promise<number> => {
    const { records, chronicle } = await journalOf(loop(visits))
    const told = chronicle('/logs')
    let [characters, last] = [0, '']
    for (const [i, record] of records.entries()) {
      told.take(record)
      for (const { path, text = '' } of told.changes(i + 1 === records.length))
        if (path === 'checkpoint.json') [characters, last] = [characters + text.length, text]
    }
    expect((JSON.parse(last) as { completed_nodes: unknown[] }).completed_nodes).toHaveLength(2 * visits + 2)
    expect(told.isPostponed).toBe(false)
    return characters / records.length
  }
  // Written with each record, it would be 11,000 and 30,000.
  expect(await costs(300)).toBeLessThan(9_000)
  expect(await costs(900)).toBeLessThan(9_000)
})

test('a postponed checkpoint is written and reported before a run is idle', async () => {
  const logs_root = join(folder(), 'logs')
  let saved = 0
  const result = await run(loop(150), { logs_root, on_event: ({ type }) => void (type === 'checkpoint_saved' && saved++) })
  expect([result.status, saved]).toEqual(['success', 302])
  expect(dataIn(logs_root, 'checkpoint.json')['completed_nodes']).toHaveLength(302)
})

test('nothing that a program puts in the place of the folder is followed', async () => {
  const { records, chronicle } = await journalOf(rounds)
  const home = folder()
  const [root, outside] = [join(home, 'logs'), join(home, 'outside')]
  mkdirSync(root)
  mkdirSync(outside)
  writeFileSync(join(outside, 'kept'), 'kept')
  symlinkSync(outside, join(root, 'round'))
  symlinkSync(join(outside, 'kept'), join(root, 'manifest.json'))
  symlinkSync(join(outside, 'kept'), join(root, 'checkpoint.json.tmp'))
  for (const name of ['diagnostics.json', 'checkpoint.json']) mkdirSync(join(root, name))
  const told = chronicle(root)
  for (const record of records) told.take(record)
  await writeFolder(told.changes(true))
  expect(filesIn(outside)).toEqual({ kept: 'kept' })
  for (const name of ['manifest.json', 'diagnostics.json', 'checkpoint.json']) expect(lstatSync(join(root, name)).isFile(), name).toBe(true)
  expect(lstatSync(join(root, 'diagnostics.json.1')).isDirectory()).toBe(true)
  expect([safeName('../x'), safeName('a/b'), safeName('map[0]'), safeName('')]).toEqual(['___x', 'a_b', 'map[0]', '_'])
})

test('a link that a command makes in the path of the folder is not followed, and a warning names it', async () => {
  const [workdir, outside] = [folder(), folder()]
  symlinkSync(outside, join(workdir, '.runs'))
  const result = await run(rounds, { workdir })
  expect(result.status).toBe('success')
  expect(filesIn(outside)).toEqual({})
  expect(result.diagnostics).toContainEqual(expect.objectContaining({ code: 'R2209', file: join(workdir, '.runs') }))
  const reflex = new Reflex({ workdir, store: 'memory:', onTrouble: ({ code, file }) => told.push([code, file]) })
  const told: unknown[] = []
  writeFileSync(join(workdir, 'rounds.dot'), rounds)
  const handle = await reflex.run(join(workdir, 'rounds.dot'), { pipeline: { logs: join(workdir, '.runs', 'mine') } })
  await reflex.close()
  expect([handle.status, told]).toEqual(['completed', [['R2209', join(workdir, '.runs')]]])
  expect(filesIn(outside)).toEqual({})
})

test('a link above the work folder is followed: the user made it', async () => {
  const [real, beside] = [folder(), folder()]
  symlinkSync(real, join(beside, 'link'))
  const result = await run(rounds, { workdir: join(beside, 'link') })
  expect(result.diagnostics).not.toContainEqual(expect.objectContaining({ code: 'R2209' }))
  expect(result.logs_root).toBe(join(realpathSync(real), '.runs', `${result.run_id}-v2`))
  const elsewhere = await run(rounds, { workdir: real, logs_root: join(beside, 'link', '..', 'logs') })
  expect(dataIn(beside, 'logs', 'manifest.json')['run_id']).toBe(elsewhere.run_id)
})

test.each(['events.jsonl', 'stage', 'stage/status.json'])('%s that is repeatedly replaced by a link is never followed', async (name) => {
  const home = folder()
  const [root, outside] = [join(home, 'logs'), join(home, 'outside')]
  for (const path of [root, outside, join(outside, 'inner')]) mkdirSync(path)
  for (const file of ['taken', 'status.json']) writeFileSync(join(outside, file), 'kept')
  await writeFolder([{ folder: root, path: 'events.jsonl', text: '' }])
  const target = name === 'stage' ? outside : join(outside, 'taken')
  const worker = new Worker(exchanging, { eval: true, workerData: { at: join(root, name), target } })
  onTestFinished(() => void worker.terminate())
  await once(worker, 'message')
  for (let i = 0; i < 500; i++)
    try {
      await writeFolder([
        { folder: root, path: 'events.jsonl', text: `${i}\n`, append: true },
        { folder: root, path: 'stage/status.json', text: `${i}` },
      ])
    } catch {
      // Another entry has just taken the name: the files of the run stay behind, and a warning says so.
    }
  await worker.terminate()
  expect(filesIn(outside)).toEqual({ taken: 'kept', 'status.json': 'kept' })
})

/** Puts a link, a folder and nothing in the place of a file, in turn, until it is stopped. */
const exchanging = `
  const { rmSync, symlinkSync, mkdirSync } = require('node:fs')
  const { parentPort, workerData: { at, target } } = require('node:worker_threads')
  const quietly = (act) => { try { act() } catch {} }
  parentPort.postMessage('begun')
  for (;;) {
    quietly(() => symlinkSync(target, at))
    quietly(() => rmSync(at, { force: true }))
    quietly(() => mkdirSync(at, { recursive: true }))
    quietly(() => rmSync(at, { recursive: true, force: true }))
  }`

test('a folder that cannot be written is a warning, and the run continues', async () => {
  const home = folder()
  writeFileSync(join(home, 'logs'), 'a file')
  const result = await run(rounds, { logs_root: join(home, 'logs') })
  expect(result.status).toBe('success')
  expect(result.diagnostics).toContainEqual(expect.objectContaining({ code: 'R2209', severity: 'warning' }))
})

const asks = `digraph asks {
  start [shape=Mdiamond]
  before [prompt="before", simulate="true"]
  ask [shape=hexagon, question="Go on?"]
  yes [prompt="yes", simulate="true"]
  done [shape=Msquare]
  start -> before -> ask
  ask -> yes [label="Yes"]
  ask -> done [label="No"]
  yes -> done
}`

test('a resume completes the folder from the journal, whatever state it was in', async () => {
  const workdir = folder()
  const store = join(workdir, 'runs.db')
  const program = join(workdir, 'asks.dot')
  writeFileSync(program, asks)
  const first = new Reflex({ workdir, store })
  const { id, questions } = await first.run(program)
  const logs = first.runFolder(id)
  expect(questions).toHaveLength(1)
  expect(dataIn(logs, 'checkpoint.json')['current_node']).toBe('before')
  await first.close()
  rmSync(logs, { recursive: true })
  const second = new Reflex({ workdir, store })
  const { handle } = await second.answer(`${id}/q1`, 'Yes')
  await handle?.idle()
  await second.close()
  expect(handle?.status).toBe('completed')
  expect(dataIn(logs, 'checkpoint.json')['completed_nodes']).toEqual(['start', 'before', 'ask', 'yes', 'done'])
  expect(existsSync(join(logs, 'before', 'prompt.md'))).toBe(true)
  const again = new Reflex({ workdir, store })
  const { records } = await again.runtime.history(id)
  const whole = new Chronicle({ run: id, programs: again.runtime.programs, logsRoot: logs })
  for (const record of records) whole.take(record)
  for (const { path, text } of whole.changes(true)) expect(filesIn(logs)[path]).toBe(text)
  await again.close()
})

// proves: pipeline s3.1b
test('a run begins at a checkpoint, uses the given folder, and signs its checkpoints', async () => {
  const workdir = folder()
  const program = join(workdir, 'asks.dot')
  writeFileSync(program, asks)
  writeFileSync(join(workdir, 'secret'), 'hush\n')
  const reflex = new Reflex({ workdir, store: 'memory:' })
  const first = await reflex.run(program, { pipeline: { logs: join(workdir, 'logs'), hmacSecretFile: join(workdir, 'secret') } })
  expect(first.questions).toHaveLength(1)
  const resumeFrom = join(workdir, 'logs', 'checkpoint.json')
  expect(dataIn(resumeFrom)['__hmac']).toMatch(/^[0-9a-f]{64}$/)
  await expect(reflex.run(program, { input: { '#checkpoint': {} }, pipeline: { resumeFrom } })).rejects.toMatchObject({ code: 'R2206' })
  const second = await reflex.run(program, {
    pipeline: { resumeFrom, hmacSecretFile: join(workdir, 'secret'), logs: join(workdir, 'more') },
  })
  const [question] = second.questions
  if (question === undefined) throw new Error('it does not ask')
  await second.answer(question, 'Yes')
  await second.idle()
  expect(second.status).toBe('completed')
  expect(dataIn(workdir, 'more', 'checkpoint.json')['completed_nodes']).toEqual(['start', 'before', 'ask', 'yes', 'done'])
  const text = JSON.stringify(dataIn(resumeFrom)).replace('before', 'ask')
  chmodSync(resumeFrom, 0o600)
  writeFileSync(resumeFrom, text)
  await expect(reflex.run(program, { pipeline: { resumeFrom, hmacSecretFile: join(workdir, 'secret') } })).rejects.toMatchObject({
    code: 'R2202',
  })
  await reflex.close()
})

test('a run in memory has no folder unless it is requested', async () => {
  const workdir = folder()
  writeFileSync(join(workdir, 'asks.dot'), asks)
  const reflex = new Reflex({ workdir, store: 'memory:' })
  await reflex.run(join(workdir, 'asks.dot'))
  await reflex.close()
  expect(existsSync(join(workdir, '.reflex'))).toBe(false)
})

test('handlers and transforms of an application apply to its runs', async () => {
  const workdir = folder()
  const handlers = new HandlerRegistry()
  handlers.register('greet', {
    execute: (node) => ({ status: 'success', context_updates: { said: node.attributes['word'] ?? '' } }),
    idempotency: 'idempotent',
  })
  writeFileSync(
    join(workdir, 'greet.dot'),
    'digraph greet { start [shape=Mdiamond] a [type=greet, word=hello] done [shape=Msquare] start -> a -> done }',
  )
  const reflex = new Reflex({ workdir, store: memoryStore(), pipeline: { handlers } })
  const handle = await reflex.run(join(workdir, 'greet.dot'))
  expect(handle.get('said')).toBe('hello')
  await reflex.close()
})

// proves: pipeline 6.2a
test('each file of a run is written before anything that depends on its records leaves', async () => {
  const workdir = folder()
  const logs = join(workdir, 'logs')
  const handlers = new HandlerRegistry()
  let seen: unknown
  handlers.register('pay', { execute: () => void (seen = dataIn(logs, 'checkpoint.json')['in_flight']) })
  await run('digraph g { start [shape=Mdiamond] pay [type=pay] done [shape=Msquare] start -> pay -> done }', { logs_root: logs, handlers })
  expect(seen).toEqual({ node_id: 'pay', attempt: 1, idempotency: 'side_effecting' })
})
