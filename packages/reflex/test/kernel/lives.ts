import { ledgerPort } from '../../src/kernel/ports/ledger.ts'
import type { Json } from '../../src/kernel/journal/json.ts'
import { Runtime } from '../../src/kernel/run/runtime.ts'
import { openSqlite } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { decidePort } from './probes/flow.ts'
import { payPort } from './probes/plan.ts'
import { streamPort } from './probes/react.ts'
import { toolPort } from './probes/stage.ts'
import { KINDS, SUBJECTS } from './probes/subjects.ts'

/**
 * One life of a real process over a SQLite file: opens the run of a subject, or starts it, tells it one thing, and
 * is killed without a word. `node lives.ts FILE SUBJECT`; prints how the run stands.
 */
const [file = '', name = ''] = process.argv.slice(2)
const subject = SUBJECTS.find((one) => one.name === name)
if (subject === undefined) throw new Error(`there is no subject ${name}`)
const store = openSqlite(file)
const host = virtualHost({ seed: process.pid })
const ports = { decide: decidePort, tool: toolPort, stream: streamPort, pay: payPort, ledger: ledgerPort(store, host) }
const runtime = new Runtime({ kinds: KINDS, ports, store, host, worker: { id: `p${process.pid}`, host: 'test', pid: process.pid } })
for (const { kind, id, source } of subject.programs) runtime.programs.add(kind, id, source)

const row = (await store.runs({ prefix: 'probe-1' }))[0]
const [root] = subject.programs
const program = runtime.programs.find(`${root?.kind}:${root?.id}`)
if (program === undefined) throw new Error('the subject has no program')
const run =
  row === undefined
    ? await runtime.start(program, { id: 'probe-1', ...(subject.args === undefined ? {} : { args: subject.args }) })
    : await runtime.resume('probe-1')
for (const [i, { topic, body }] of (subject.script?.messages ?? []).entries())
  if (run.state.ended === undefined) await run.message(topic, body, { id: `m${i}` })
await run.idle()
// The first life is killed at its first rest.
if (row !== undefined) await tell()
await run.idle()
const end: Json =
  run.state.ended === undefined
    ? null
    : { status: run.state.ended.status, value: run.state.ended.value ?? null, board: run.state.root.reader().snapshot() }
process.stdout.write(`${JSON.stringify({ n: run.state.n, resumed: row !== undefined, end })}\n`, () => process.kill(process.pid, 'SIGKILL'))

async function tell(): Promise<void> {
  for (const wait of run.state.waits.values()) {
    const answer = wait.effect === undefined ? subject?.script?.answer?.(wait) : 'repeat'
    if (wait.type === 'answer' && answer !== undefined) return void (await run.answer(wait.id, answer))
  }
  if (await subject?.script?.drive?.(run)) return
  const due = Math.min(...[...run.state.waits.values()].map((wait) => wait.due ?? Number.POSITIVE_INFINITY))
  if (due < Number.POSITIVE_INFINITY) await host.advance(due - host.now())
}
