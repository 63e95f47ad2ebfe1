import { type Host, type Kind, type Rec, type Store, systemHost } from '../../src/kernel/index.ts'
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
  readonly host?: Host
}

/** Milliseconds between two times of a run: fewer than a worker leaves a run alone that it cannot carry. */
const BETWEEN = 700

/** Waits for as many times as its source says, one after the other. */
const TIMES: Kind<{ readonly times: number }> = {
  name: 'times',
  rev: 1,
  compile: (source) => source as { readonly times: number },
  step(context, input) {
    const met = ((context.get('met') ?? 0) as number) + (input?.[0] === 'timer' ? 1 : 0)
    context.set('met', met)
    if (met < context.def.times) context.timer(BETWEEN, 'next')
    else context.done(met)
  },
}

/** Lets several workers share runs that wait for times. Answers with how late each time was met, in milliseconds, sorted. */
export async function timers({ workdir, open, runs, times, workers, host = systemHost }: TimersOptions): Promise<number[]> {
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
  const program = first.runtime.programs.add('times', 'main', { times })
  const names = Array.from({ length: runs }, (_, i) => `timed-${i}`)
  for (const id of names) {
    const run = await first.runtime.start(program, { id })
    await run.idle()
    await run.leave()
  }
  const stop = new AbortController()
  const working = lives.map((reflex) => work(reflex, { signal: stop.signal }))
  const ended = async (): Promise<boolean> =>
    (await first.store.runs({ status: ['running', 'suspended'], prefix: 'timed-', limit: 1 })).length === 0
  // The measurement also ends for a time that is never met: each time is given a hundred looks.
  for (let looks = 100 * times; looks > 0 && !(await ended()); looks--)
    await new Promise<void>((resolve) => void host.at(host.now() + 500, resolve))
  stop.abort()
  await Promise.all(working)
  const delays: number[] = []
  for (const id of names) delays.push(...delaysOf(await first.runtime.journal(id)))
  for (const reflex of lives) await reflex.close()
  return delays.sort((a, b) => a - b)
}

/** Each time is awaited from the record before it. */
function delaysOf(records: readonly Rec[]): number[] {
  return records.filter(({ input }) => input?.[0] === 'timer').map(({ elapsed }) => elapsed - BETWEEN)
}
