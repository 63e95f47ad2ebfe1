import { faults } from '../faults.ts'
import type { FaultData } from '../kernel/index.ts'
import { work, type WorkerEvent } from '../worker.ts'
import type { Console } from './console.ts'
import { errorDocument, plain } from './documents.ts'
import { EXIT, interrupted } from './exit.ts'
import type { CarryFlags } from './options.ts'
import { plainLine } from './progress.ts'
import type { Session } from './session.ts'
import { programName } from './telling.ts'
import { counted } from './units.ts'
import type { Interrupt } from './world.ts'

export interface WorkerFlags extends CarryFlags {
  readonly most?: string
  readonly once?: boolean
}

/** `reflex worker`: carries on what is due, until it is told to stop. */
export async function worker({ console, reflex }: Session, flags: WorkerFlags): Promise<number> {
  const most = flags.most === undefined ? undefined : countOf(flags.most)
  const stop = new AbortController()
  const deaf = console.world.interrupts((signal) => stop.abort(signal))
  const done = { runs: 0, failures: 0 }
  if (!console.quiet && console.shape === 'text') plainLine(console, console.now, 'works', `on ${reflex.store.name}`)
  try {
    await work(reflex, {
      signal: stop.signal,
      told: (event) => tell(console, event, done),
      ...(most === undefined ? {} : { most }),
      ...(flags.once === true ? { once: true } : {}),
    })
  } finally {
    deaf()
  }
  if (console.shape === 'json') console.document(plain({ v: 1, runs: done.runs, failures: done.failures }))
  else if (!console.quiet && console.shape === 'text')
    plainLine(console, console.now, 'stops', `carried runs on ${counted(done.runs, 'time')}`)
  return stop.signal.aborted ? interrupted(stop.signal.reason as Interrupt) : done.failures > 0 ? EXIT.no : EXIT.done
}

function countOf(word: string): number {
  const count = Number(word)
  if (Number.isInteger(count) && count > 0) return count
  throw faults.make('R2031', `--most ${JSON.stringify(word)} is no count`, { fix: 'write a whole number from 1' })
}

function tell(console: Console, event: WorkerEvent, done: { runs: number; failures: number }): void {
  // Who waits has lost nothing: another process goes on.
  if (event.did === 'failed' && event.fault.verdict !== 'wait') done.failures++
  if (event.did === 'left' && event.records > 0) done.runs++
  if (console.shape === 'jsonl') return line(console, event)
  if (console.shape !== 'text') return
  if (event.did === 'failed') return tellFailure(console, event.run, event.fault)
  if (console.quiet || event.did === 'took' || event.records === 0) return
  const { run, status, handle } = event
  const [pin] = handle.run.state.start?.pins ?? handle.run.state.pins
  const waits = handle.questions.map(({ path }) => path)
  const facts = [
    pin === undefined ? '' : programName(pin[0]),
    counted(event.records, 'record'),
    status === 'suspended' && waits.length > 0 ? `waits at ${waits.join(', ')}` : '',
    handle.failure?.code ?? '',
  ]
  plainLine(console, console.now, status, [run, ...facts.filter((fact) => fact !== '')].join('  '))
}

function tellFailure(console: Console, run: string | undefined, fault: FaultData): void {
  plainLine(console, console.now, fault.verdict === 'wait' ? 'leaves' : 'failed', run ?? 'the store')
  console.tell(console.fault(fault))
}

function line(console: Console, event: WorkerEvent): void {
  if (event.did === 'failed') return console.document(errorDocument(event.fault))
  if (event.did === 'left' && event.records > 0)
    console.document(plain({ v: 1, run: event.run, status: event.status, records: event.records }))
}
