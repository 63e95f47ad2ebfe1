import { faults } from '../../runs/faults.ts'
import type { FaultData } from '../../kernel/index.ts'
import { work, type WorkerEvent } from '../../app/worker.ts'
import type { Console } from '../console.ts'
import { errorDocument } from '../documents.ts'
import { plain } from '../run-document.ts'
import { EXIT, interrupted } from '../exit.ts'
import { durationOf } from '../grammar.ts'
import type { CarryFlags } from '../options.ts'
import { plainLine } from '../progress.ts'
import type { Session } from '../session.ts'
import { programName } from '../telling.ts'
import { counted, duration } from '../units.ts'
import type { Interrupt } from '../world.ts'

/** Milliseconds that effects under way may take to end, of the ten or more that those who stop services wait. */
const GRACE = 5000

export interface WorkerFlags extends CarryFlags {
  readonly most?: string
  /** How long effects under way may take to end when the worker is told to stop. */
  readonly grace?: string
  readonly once?: boolean
}

/** `reflex worker`: carries on what is due, until it is told to stop. */
export async function worker({ console, reflex }: Session, flags: WorkerFlags): Promise<number> {
  const most = flags.most === undefined ? undefined : countOf(flags.most)
  const grace = flags.grace === undefined ? GRACE : durationOf(flags.grace, '--grace')
  const stop = new AbortController()
  const under = new Set<string>()
  const deaf = console.world.interrupts((signal) => {
    const waits = `effects of ${counted(under.size, 'run')} may take ${duration(grace)}; told again, it ends at once`
    if (under.size > 0 && grace > 0 && !console.quiet && console.shape === 'text') plainLine(console, console.now, 'ends', waits)
    stop.abort(signal)
  })
  const done = { runs: 0, failures: 0 }
  if (!console.quiet && console.shape === 'text') plainLine(console, console.now, 'works', `on ${reflex.store.name}`)
  try {
    await work(reflex, {
      signal: stop.signal,
      grace,
      told: (event) => {
        if (event.did === 'took') under.add(event.run)
        else under.delete(event.run ?? '')
        tell(console, event, done)
      },
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
  throw faults.make('R2031', `--most ${JSON.stringify(word)} is not a count`, { fix: 'write a whole number from 1' })
}

function tell(console: Console, event: WorkerEvent, done: { runs: number; failures: number }): void {
  // Who waits has lost nothing: another process goes on.
  if (event.did === 'failed' && event.fault.verdict !== 'wait') done.failures++
  if (event.did === 'left' && event.records > 0) done.runs++
  if (console.shape === 'jsonl') return line(console, event)
  if (console.shape !== 'text') return
  if (event.did === 'failed') return tellFailure(console, event.run, event.fault)
  if (event.did === 'left' && !console.quiet) tellLeft(console, event)
}

/** A run that goes on without us is told of in any case, any other only if something was done. */
function tellLeft(console: Console, { run, status, records, handle }: WorkerEvent & { readonly did: 'left' }): void {
  const leaves = status === 'running'
  if (records === 0 && !leaves) return
  const [pin] = handle.run.state.start?.pins ?? handle.run.state.pins
  const waits = handle.questions.map(({ path }) => path)
  const facts = [
    pin === undefined ? '' : programName(pin[0]),
    counted(records, 'record'),
    status === 'suspended' && waits.length > 0 ? `waits at ${waits.join(', ')}` : '',
    leaves ? 'goes on with whoever takes it' : '',
    handle.failure?.code ?? '',
  ]
  plainLine(console, console.now, leaves ? 'leaves' : status, [run, ...facts.filter((fact) => fact !== '')].join('  '))
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
