/**
 * One life of a real process over a SQLite file: carries the run of a subject on, and at a moment of its life kills or
 * stops itself. `node faults-process.ts ORDER`, the order being JSON; what happens in its world goes into a file as it happens,
 * and how far it got to its standard output.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { decodeBatch, isFault } from '../packages/reflex/src/kernel/index.ts'
import { openSqlite } from '../packages/reflex/src/store/index.ts'
import { MovingHost } from '../packages/reflex/src/testing/fault-suite/moving-host.ts'
import type { ProcessControl, Moment } from '../packages/reflex/src/testing/kind-suite/process-control.ts'
import { LEASE, ProcessLife, RUN } from '../packages/reflex/src/testing/kind-suite/process-life.ts'
import { Watch, type WorldEvent } from '../packages/reflex/src/testing/kind-suite/watch.ts'
import type { Order, Told } from './faults/real.ts'
import { subjectNamed } from './faults/subjects.ts'

const order = JSON.parse(process.argv[2] ?? '{}') as Order

// A file that may not grow any more shall be an error of the write, not the end of the process.
process.on('SIGXFSZ', () => {})

async function live(): Promise<Told> {
  const subject = subjectNamed(order.subject)
  if (subject === undefined) throw new Error(`there is no subject ${order.subject}`)
  const store = openSqlite(order.file)
  const world = openSync(order.world, 'a')
  const watch = new Watch((event) => void writeSync(world, `${JSON.stringify(event)}\n`))
  for (const line of readFileSync(order.world, 'utf8').split('\n')) if (line !== '') watch.handle(JSON.parse(line) as WorldEvent, true)
  let n = 0
  for (const { version, body } of await store.journal(RUN))
    for (const record of decodeBatch(version, body, () => 'null')) watch.markDurable(++n, record)
  const host = new MovingHost(order.clock, order.number)
  const control = new Signalled(watch, host)
  const life = new ProcessLife(subject, store, watch, {
    number: order.number,
    control,
    host,
    worker: { id: `p${process.pid}`, host: hostname(), pid: process.pid },
  })
  try {
    const end = await life.runToEnd()
    await life.host.drain(2)
    return { moments: control.met, end: end !== undefined }
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    return { moments: control.met, code: thrown.code, bug: thrown.verdict === 'bug' }
  } finally {
    closeSync(world)
  }
}

function tell(told: Told): void {
  writeSync(1, `${JSON.stringify(told)}\n`)
  process.exit()
}

/** The process sends itself a signal, which takes effect before the next line. */
class Signalled implements ProcessControl {
  readonly dead = false
  readonly stopped = undefined
  readonly #watch: Watch
  readonly #host: MovingHost
  stoppedAt: number | undefined
  met = 0

  constructor(watch: Watch, host: MovingHost) {
    this.#watch = watch
    this.#host = host
  }

  onMoment({ what }: Moment): void {
    if (order.what !== undefined && what !== order.what) return
    this.met++
    if (this.met !== order.at || order.signal === undefined) return
    if (order.signal === 'SIGSTOP') {
      this.stoppedAt = this.#watch.durableCount
      writeSync(1, 'stopped\n')
    }
    process.kill(process.pid, order.signal)
    // Awake again, by its clocks as late as the process that took over.
    this.#host.block(LEASE + 1)
  }
}

await live().then(tell, (thrown: unknown) => {
  if (!isFault(thrown)) throw thrown
  tell({ moments: 0, code: thrown.code })
})
