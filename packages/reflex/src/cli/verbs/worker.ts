import { errorDocument } from '../../protocol/documents.ts'
import { plainJson, programName, counted } from '../../protocol/plain.ts'
import { faults } from '../../runs/faults.ts'
import { type FaultData, faultData } from '../../kernel/index.ts'
import { memberFaults } from '../../app/cluster/faults.ts'
import type { Reflex } from '../../app/reflex.ts'
import type { WorkerEvent } from '../../app/options.ts'
import { WorkLoop } from '../../app/worker.ts'
import type { RunHandle } from '../../runs/handle.ts'
import { ServeMetrics } from '../../serve/metrics.ts'
import { Scheduler } from '../../serve/triggers/scheduler.ts'
import { Schedules } from '../../serve/triggers/schedules.ts'
import type { Console } from '../console.ts'
import { EXIT, interruptCode } from '../exit.ts'
import { durationOf } from '../grammar.ts'
import type { ContinueFlags } from '../options.ts'
import { plainLine } from '../progress.ts'
import type { Session } from '../session.ts'
import { duration } from '../units.ts'
import { openProbes } from '../worker-health.ts'
import type { Interrupt } from '../world.ts'

/**
 * The milliseconds that pending effects have to end. Service managers wait ten seconds or more before they kill a
 * process.
 */
const GRACE = 5000

export interface WorkerFlags extends ContinueFlags {
  readonly most?: string
  /** The time that pending effects have to end when the worker is stopped, as a duration. */
  readonly grace?: string
  readonly once?: boolean
  /** The queues that it serves, and what its operator says of it. */
  readonly queue?: readonly string[]
  readonly has?: readonly string[]
  /** The port on which it answers probes. */
  readonly health?: string
}

/** `reflex worker`: continues runs that are due, and starts those of the schedules of the store, until it is stopped. */
export async function worker({ console, reflex }: Session, flags: WorkerFlags): Promise<number> {
  checkFlags(flags)
  const slots = flags.most === undefined ? undefined : countOf(flags.most)
  const grace = flags.grace === undefined ? GRACE : durationOf(flags.grace, '--grace')
  const stop = new AbortController()
  const activeRuns = new Set<string>()
  const stopListening = console.world.onInterrupt((signal) => {
    const waits = `effects of ${counted(activeRuns.size, 'run')} may take ${duration(grace)}; interrupt again to end at once`
    if (activeRuns.size > 0 && grace > 0 && !console.quiet && console.shape === 'text') plainLine(console, console.now, 'ends', waits)
    stop.abort(signal)
  })
  const done = { runs: 0, failures: 0 }
  const begun = (): void => {
    if (!console.quiet && console.shape === 'text') plainLine(console, console.now, 'works', `on ${reflex.store.name}`)
  }
  const onEvent = (event: WorkerEvent): void => {
    if (event.did === 'took') activeRuns.add(event.run)
    else activeRuns.delete(event.run ?? '')
    printEvent(console, event, done)
  }
  const probes = await openProbes(console, reflex, flags.health, stop.signal)
  const work = { flags, slots, grace, signal: stop.signal, begun, onEvent }
  try {
    await (flags.cluster === true ? workInCluster(reflex, work) : workAlone(reflex, work))
  } finally {
    stopListening()
    await probes?.close()
  }
  if (console.shape === 'json') console.document(plainJson({ v: 1, runs: done.runs, failures: done.failures }))
  else if (!console.quiet && console.shape === 'text')
    plainLine(console, console.now, 'stops', `continued runs ${counted(done.runs, 'time')}`)
  return stop.signal.aborted ? interruptCode(stop.signal.reason as Interrupt) : done.failures > 0 ? EXIT.no : EXIT.done
}

/** The work of a worker, until the signal. */
interface Work {
  readonly flags: WorkerFlags
  readonly slots: number | undefined
  readonly grace: number
  readonly signal: AbortSignal
  /** Called when the worker works. */
  readonly begun: () => void
  readonly onEvent: (event: WorkerEvent) => void
}

/** Looks for runs that are due in the store. */
async function workAlone(reflex: Reflex, { flags, slots, grace, signal, begun, onEvent }: Work): Promise<void> {
  begun()
  const loop = new WorkLoop(reflex, {
    signal,
    grace,
    onEvent,
    ...(slots === undefined ? {} : { maxRuns: slots }),
    ...(flags.once === true ? { once: true } : {}),
  })
  const scheduler = schedulerFor(reflex, onEvent, (handle) => loop.adopt(handle))
  try {
    if (flags.once === true) await scheduler.lookSafely()
    else scheduler.start()
    await loop.run()
  } finally {
    await scheduler.stop()
  }
}

/** Takes the turns that the cluster gives. The runs of schedules are left to the cluster, too. */
async function workInCluster(reflex: Reflex, { flags: { queue, has }, slots, grace, signal, begun, onEvent }: Work): Promise<void> {
  const { aborted, joinCluster } = await import('../../app/cluster/work.ts')
  const member = await joinCluster(reflex, {
    grace,
    onEvent,
    ...(slots === undefined ? {} : { slots }),
    ...(queue === undefined ? {} : { queues: queue }),
    ...(has === undefined ? {} : { has }),
  })
  begun()
  const scheduler = schedulerFor(reflex, onEvent, (handle) => handle.close())
  try {
    scheduler.start()
    await aborted(signal)
  } finally {
    await scheduler.stop()
    await member.leave()
  }
}

function schedulerFor(reflex: Reflex, onEvent: Work['onEvent'], onStart: (handle: RunHandle) => void): Scheduler {
  return new Scheduler({
    reflex,
    schedules: new Schedules(reflex),
    metrics: new ServeMetrics(),
    onTrouble: (fault) => onEvent({ did: 'failed', run: undefined, fault: faultData(fault) }),
    onStart,
  })
}

/** Throws `R5142` for a flag of clusters without `--cluster`, and `R2031` for `--once` with it. */
function checkFlags({ cluster, queue, has, once }: WorkerFlags): void {
  if (cluster === true && once === true)
    throw faults.make('R2031', '--once and --cluster exclude each other', {
      fix: 'leave --once out: a worker of a cluster waits for turns',
    })
  const named = queue === undefined ? (has === undefined ? undefined : '--has') : '--queue'
  if (cluster !== true && named !== undefined)
    throw memberFaults.make('R5142', `${named} has no effect without --cluster`, { fix: 'add --cluster' })
}

function countOf(word: string): number {
  const count = Number(word)
  if (Number.isInteger(count) && count > 0) return count
  throw faults.make('R2031', `--most ${JSON.stringify(word)} is not a count`, { fix: 'write a whole number from 1' })
}

function printEvent(console: Console, event: WorkerEvent, done: { runs: number; failures: number }): void {
  // A run that another process owns is not a failure: that process continues it.
  if (event.did === 'failed' && event.fault.verdict !== 'wait') done.failures++
  if (event.did === 'left' && event.records > 0) done.runs++
  if (console.shape === 'jsonl') return line(console, event)
  if (console.shape !== 'text') return
  if (event.did === 'failed') return printFailed(console, event.run, event.fault)
  if (event.did === 'left' && !console.quiet) printLeft(console, event)
}

/** Prints a run that another process continues, and any other run that gained records. */
function printLeft(console: Console, { run, status, records, handle }: WorkerEvent & { readonly did: 'left' }): void {
  const continuesElsewhere = status === 'running'
  if (records === 0 && !continuesElsewhere) return
  const [pin] = handle.run.state.start?.pins ?? handle.run.state.pins
  const waits = handle.questions.map(({ path }) => path)
  const facts = [
    pin === undefined ? '' : programName(pin[0]),
    counted(records, 'record'),
    status === 'suspended' && waits.length > 0 ? `waits at ${waits.join(', ')}` : '',
    continuesElsewhere ? 'another process continues it' : '',
    handle.failure?.code ?? '',
  ]
  plainLine(console, console.now, continuesElsewhere ? 'leaves' : status, [run, ...facts.filter((fact) => fact !== '')].join('  '))
}

function printFailed(console: Console, run: string | undefined, fault: FaultData): void {
  plainLine(console, console.now, fault.verdict === 'wait' ? 'leaves' : 'failed', run ?? 'the store')
  console.report(console.fault(fault))
}

function line(console: Console, event: WorkerEvent): void {
  if (event.did === 'failed') return console.document(errorDocument(event.fault))
  if (event.did === 'left' && event.records > 0)
    console.document(plainJson({ v: 1, run: event.run, status: event.status, records: event.records }))
}
