import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Reflex } from '../packages/reflex/src/index.ts'
import { defineTool } from '../packages/reflex/src/tools/index.ts'
import type { Workflow } from '../packages/reflex/src/kinds/workflow/index.ts'
import { STORED_STEP } from './counting.ts'
import { openRaw } from './durable.ts'
import { alternate, type Contestant, type Line, type Rounds, timed, timesAsFast } from './measure.ts'
import { linear } from './workflows.ts'

const CALLS = 100
const CALL_MS = 5

/** Lets the event loop turn, and then takes 5 ms of this thread by the clock: all that logging costs stands beside the call. */
async function busy(): Promise<string> {
  await new Promise((resolve) => setImmediate(resolve))
  const until = performance.now() + CALL_MS
  while (performance.now() < until);
  return 'done'
}

/** A thread that takes 5 ms for each message, to the microsecond: a timer of the event loop would count in whole milliseconds, from the turn on. */
const ELSEWHERE = `
const { parentPort } = require('node:worker_threads')
const lock = new Int32Array(new SharedArrayBuffer(4))
parentPort.on('message', () => {
  Atomics.wait(lock, 0, 0, ${CALL_MS})
  parentPort.postMessage('done')
})`

/** A call as most are, to another process or machine: what is written behind is written while it is awaited. */
function awaiting(thread: Worker): () => Promise<string> {
  return async () => {
    const answer = once(thread, 'message')
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, and no window
    thread.postMessage('call')
    return String((await answer)[0])
  }
}

/** What leaves is on the disk before it is called; what only reads is written down within 20 ms. */
function tools(where: string, run: () => Promise<string>) {
  return {
    leaving: defineTool({ name: `bench.send-${where}`, description: 'Takes 5 ms', leaves: true, repeat: 'keyed', run }),
    reading: defineTool({ name: `bench.read-${where}`, description: 'Takes 5 ms', leaves: false, repeat: 'free', run }),
  }
}

function calling(tool: string): Workflow {
  const row = linear('calls', CALLS)
  return { ...row, nodes: Object.fromEntries(Object.keys(row.nodes).map((id) => [id, { id, spec: { tool, writes: 'result' } }])) }
}

/** The same calls, bare or each after a step in a file of `node:sqlite`. */
function bare(name: string, run: () => Promise<string>, keep: (step: number) => void): Contestant {
  return {
    name,
    round: () =>
      timed(async () => {
        for (let i = 0; i < CALLS; i++) {
          keep(i)
          await run()
        }
      }),
  }
}

/** What it costs that calls of a tool are nodes of a run that is kept, beside the same calls bare. */
export async function logging(line: Line): Promise<void> {
  const thread = new Worker(ELSEWHERE, { eval: true })
  try {
    await calls(line, 'elsewhere', awaiting(thread))
    await calls(line, 'in-this-thread', busy)
  } finally {
    await thread.terminate()
  }
}

async function calls(line: Line, where: string, run: () => Promise<string>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-bench-logging-'))
  const both = tools(where, run)
  const reflex = new Reflex({ store: join(folder, 'reflex.db'), workdir: folder, tools: Object.values(both) })
  const db = openRaw(join(folder, 'raw.db'))
  const insert = db.prepare('insert into steps values (?, ?, ?)')
  const kept = ({ name }: { readonly name: string }): Contestant => {
    const workflow = calling(name)
    return { name, round: () => timed(() => reflex.run(workflow)) }
  }
  let rows = 0
  try {
    const [nothing, raw, leaving, reading] = await alternate(
      [
        bare('bare', run, () => undefined),
        bare('raw', run, (step) => void insert.run(String(rows++), step, STORED_STEP)),
        kept(both.leaving),
        kept(both.reading),
      ],
      CALLS,
      10,
    )
    if (nothing === undefined || raw === undefined || leaving === undefined || reading === undefined) return
    const adds = (one: Rounds) => `${((1 / timesAsFast(one, nothing) - 1) * 100).toFixed(1)} %`
    line(`a tool call of ${CALL_MS} ms ${where.replaceAll('-', ' ')}`, `${(nothing.ns / 1e6).toFixed(2)} ms`, 'bare')
    line('  logging adds to one that reads', adds(reading), 'aim under 5 %')
    line('  to one that leaves', adds(leaving), `aim under 5 %; one raw fsynced insert adds ${adds(raw)}`)
  } finally {
    db.close()
    await reflex.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
