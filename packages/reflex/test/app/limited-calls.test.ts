import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../src/app/reflex.ts'
import type { ReflexOptions } from '../../src/app/options.ts'
import { effectsOfPart } from '../../src/history/effects.ts'
import { type Admission, dumpState, loadState, readPart } from '../../src/kernel/index.ts'
import { faults, type Model, scriptedModel } from '../../src/models/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { defineTool } from '../../src/tools/index.ts'
import { newFolder } from './folders.ts'

/** Rooms that are closed until the test opens them, for what begins with one of these words. */
function rooms(...words: readonly string[]): Admission & { readonly seen: string[]; open(): void } {
  const seen: string[] = []
  let isOpen = false
  const waiting: (() => void)[] = []
  return {
    seen,
    isLimited: (use) => words.some((word) => use.startsWith(word)),
    enter: (use, signal) =>
      new Promise((resolve, reject) => {
        seen.push(`asks ${use}`)
        signal.addEventListener('abort', () => {
          seen.push(`gives up ${use}`)
          reject(signal.reason as Error)
        })
        const begin = (): void => {
          seen.push(`enters ${use}`)
          resolve(() => void seen.push(`leaves ${use}`))
        }
        if (isOpen) begin()
        else waiting.push(begin)
      }),
    open() {
      isOpen = true
      for (const begin of waiting.splice(0)) begin()
    },
  }
}

function world(options: ReflexOptions) {
  const host = virtualHost()
  const workdir = newFolder()
  const surroundings = { host, worker: { id: 'one', host: 'test', pid: 2 ** 22 }, cwd: workdir, environment: {}, actor: 'ana' }
  const reflex = new Reflex({ workdir, store: memoryStore(), surroundings, ...options })
  onTestFinished(() => reflex.close())
  const write = (name: string, text: string): string => {
    writeFileSync(join(workdir, name), text)
    return name
  }
  return { host, reflex, write }
}

test('a tool of which an operator limits the calls: what waits is shown, and the node begins once', async () => {
  const charge = defineTool({ name: 'charge', description: 'Charges.', repeat: 'ask', leaves: true, run: () => ({ paid: true }) })
  const { host, reflex, write } = world({ tools: [charge] })
  const limit = rooms('tool:')
  reflex.limitCalls(limit)
  const file = write(
    'pay.workflow.json',
    JSON.stringify({ id: 'pay', entry: 'pay', nodes: { pay: { id: 'pay', spec: { tool: 'charge', args: {} } } }, edges: [] }),
  )
  const lines: string[] = []
  const handle = await reflex.start(file, {
    id: 'otter',
    prepare: (made) => void made.onLine(({ event }) => lines.push(`${event.mark} ${event.text ?? ''}`)),
  })
  await host.advance(60_000)
  expect(limit.seen).toEqual(['asks tool:charge'])
  expect(await reflex.show('otter')).toMatchObject({ row: { status: 'running' }, waiting: [{ path: 'pay', queue: 'tool:charge' }] })
  // A seal keeps what a call waits for.
  const { state } = handle.run
  expect([...loadState(dumpState(state, () => true)).pendingEffects()]).toMatchObject([{ isPostponed: true, waitsFor: 'tool:charge' }])
  limit.open()
  await handle.idle({ until: 'end' })
  expect(limit.seen).toEqual(['asks tool:charge', 'enters tool:charge', 'leaves tool:charge'])
  expect(lines.filter((line) => line.startsWith('step'))).toEqual([
    'step waits for room in the queue tool:charge',
    'step has room in the queue tool:charge',
  ])
  const { waiting } = await reflex.show('otter')
  const part = await readPart(reflex.store, 'otter', 1, state.n)
  const { effects } = await effectsOfPart(part, { from: 1, limit: 10, definitionsFor: (then) => reflex.programsOf(then) })
  expect({ status: handle.status, waiting, tries: effects.map(({ attempts }) => attempts) }).toEqual({
    status: 'completed',
    waiting: [],
    tries: [1],
  })
  expect(await reflex.replay('otter')).toMatchObject({ result: 'equal' })
})

const SAYS = 'digraph say { start [shape=Mdiamond]; say [shape=box, prompt="Say hello."]; exit [shape=Msquare]; start -> say -> exit }'

function fallback(first: Model): ReturnType<typeof world> {
  const second = scriptedModel(() => ({ text: 'hello' }), 'second')
  return world({ models: { 'a:first': first, 'b:second': second }, model: 'a:first', fallback: ['b:second'], agent: { default: 'model' } })
}

test('each provider that is asked counts for its own queue, and the one before is left first', async () => {
  const { reflex, write } = fallback(
    scriptedModel(() => {
      throw faults.make('R4007', 'no such model')
    }, 'first'),
  )
  const limit = rooms('model:')
  limit.open()
  reflex.limitCalls(limit)
  const run = await reflex.run(write('say.dot', SAYS), { id: 'otter' })
  expect(run.status).toBe('completed')
  expect(limit.seen).toEqual(['asks model:a', 'enters model:a', 'leaves model:a', 'asks model:b', 'enters model:b', 'leaves model:b'])
})

test('a fallback model whose provider has no room is waited for until the time of the request is over', async () => {
  const { host, reflex, write } = fallback(
    scriptedModel(() => {
      throw faults.make('R4007', 'no such model')
    }, 'first'),
  )
  const limit = rooms('model:b')
  reflex.limitCalls(limit)
  const handle = await reflex.start(write('say.dot', SAYS), { id: 'otter' })
  await host.drain()
  expect({ seen: limit.seen, waiting: (await reflex.show('otter')).waiting }).toEqual({ seen: ['asks model:b'], waiting: [] })
  await host.advance(130_000)
  expect(limit.seen.slice(0, 2)).toEqual(['asks model:b', 'gives up model:b'])
  await handle.idle({ until: 'end' })
  expect(handle.status).toBe('failed')
})
