import { type Host, type Json, type Kind, type Rec, type Store, systemHost } from '../../src/kernel/index.ts'
import { thisProcess } from '../../src/app/host.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { work } from '../../src/app/worker.ts'

export interface TimersOptions {
  readonly workdir: string
  /** One more connection, as each worker has its own. */
  readonly open: () => Store
  readonly runs: number
  /** The number of times that each run waits for, one after the other. */
  readonly times: number
  readonly workers: number
  /** Milliseconds between two times of a run. The runs begin one after the other within the first of these. Default: 700, all at once. */
  readonly between?: number
  /** True: the runs are trees that repeat a wait. Default: runs of a kind that only waits. */
  readonly trees?: boolean
  readonly host?: Host
}

/** Milliseconds between two times of a run: fewer than a worker pauses a run that it cannot advance. */
const BETWEEN = 700

interface Times {
  readonly times: number
  readonly between: number
}

/** Waits for as many times as its source says, one after the other. */
const TIMES: Kind<Times> = {
  name: 'times',
  rev: 1,
  compile: (source) => source as unknown as Times,
  step(context, input) {
    const met = ((context.get('met') ?? 0) as number) + (input?.[0] === 'timer' ? 1 : 0)
    context.set('met', met)
    const { times, between } = context.def
    const first = typeof context.args === 'number' ? context.args : between
    if (met < times) context.timer(met === 0 ? first : between, 'next')
    else context.done(met)
  },
}

/** Returns a tree that waits for as many times, one after the other. */
function treeOf({ times, between }: Times): Json {
  const nap = { id: 'nap', type: 'wait', params: { wait_ms: between }, children: [] }
  return { format: 1, id: 'crowd', root: { id: 'root', type: 'repeater', params: { count: times }, children: [nap] } }
}

/** Lets several workers share runs that wait for times. Answers with how late each time was met, in milliseconds, sorted. */
export async function timers({
  workdir,
  open,
  runs,
  times,
  workers,
  between,
  trees = false,
  host = systemHost,
}: TimersOptions): Promise<number[]> {
  const lives = Array.from({ length: workers }, (_, i) => {
    const { worker, ...surroundings } = thisProcess()
    const reflex = new Reflex({
      workdir,
      store: open(),
      surroundings: { ...surroundings, host, worker: { ...worker, id: `${worker.id}/${i}` } },
    })
    reflex.runtime.programs.addKind(TIMES)
    return reflex
  })
  const [first] = lives
  if (first === undefined) return []
  const each = { times, between: between ?? BETWEEN }
  if (trees) for (const { runtime } of lives) await runtime.programs.load('tree')
  const program = trees
    ? first.runtime.programs.add('tree', 'crowd', treeOf(each))
    : first.runtime.programs.add('times', 'main', { ...each })
  const names = Array.from({ length: runs }, (_, i) => `timed-${program.kind}-${each.between}-${i}`)
  const began = host.now()
  for (const [i, id] of names.entries()) {
    // The first times of the crowd are spread over the time between two.
    const spread = between === undefined || trees ? {} : { args: began + between * (1 + i / runs) - host.now() }
    const run = await first.runtime.start(program, { id, ...spread })
    await run.idle()
    await run.leave()
  }
  const stop = new AbortController()
  const working = lives.map((reflex) => work(reflex, { signal: stop.signal }))
  const ended = async (): Promise<boolean> =>
    (await first.store.runs({ status: ['running', 'suspended'], prefix: 'timed-', limit: 1 })).length === 0
  // The measurement also ends for a time that is never met: each time is given a hundred looks.
  for (let looks = Math.ceil((100 * times * (between ?? BETWEEN)) / BETWEEN); looks > 0 && !(await ended()); looks--)
    await new Promise<void>((resolve) => void host.at(host.now() + 500, resolve))
  stop.abort()
  await Promise.all(working)
  const delays: number[] = []
  for (const id of names) delays.push(...delaysOf(await first.runtime.journal(id)))
  for (const reflex of lives) await reflex.close()
  return delays.sort((a, b) => a - b)
}

/** Each wait states its due time. */
function delaysOf(records: readonly Rec[]): number[] {
  const delays: number[] = []
  let now = 0
  let due = 0
  for (const { input, elapsed, more } of records) {
    now = more?.start?.at ?? now + elapsed
    if (input?.[0] === 'timer') delays.push(now - due)
    due = more?.wait?.[0]?.[2] ?? due
  }
  return delays
}
