import { equalJson, type Json } from '../../kernel/json.ts'
import type { Wait } from '../../kernel/frame.ts'
import type { Rec } from '../../kernel/record.ts'
import type { Run } from '../../kernel/run.ts'
import { Runtime } from '../../kernel/runtime.ts'
import { dumpState } from '../../kernel/snapshot.ts'
import type { State } from '../../kernel/state.ts'
import type { RunRow, Store } from '../../kernel/store.ts'
import { type VirtualHost, virtualHost } from '../virtual-host.ts'
import type { KindSubject, Outcome } from './subject.ts'
import { forever, type Mortal, type Watch } from './watch.ts'

/** The only run of every case. */
export const RUN = 'probe-1'
const RESTS = 1_000
/** No machine has a process of this number, so a store knows at once that a life is over. */
const NOBODY = 2 ** 22 + 1

/** One life of a process that carries the run: it may die at any event, and then does nothing more. */
export class Life implements Mortal {
  readonly host: VirtualHost
  readonly runtime: Runtime
  readonly #subject: KindSubject
  readonly watch: Watch
  readonly #dieAt: number
  events = 0

  constructor(subject: KindSubject, store: Store, watch: Watch, number = 1, dieAt = Number.POSITIVE_INFINITY) {
    this.#subject = subject
    this.watch = watch
    this.#dieAt = dieAt
    this.host = virtualHost({ seed: number })
    const outside = mortal(store, { dead: false, watch, event() {}, committed() {} })
    const ports = Object.entries(subject.ports?.(outside, this.host) ?? {}).map(([name, port]) => [name, watch.port(port, this)] as const)
    const worker = { id: `life-${number}`, host: 'suite', pid: NOBODY + number }
    this.runtime = new Runtime({
      kinds: subject.kinds,
      ports: Object.fromEntries(ports),
      store: mortal(store, this),
      host: this.host,
      worker,
    })
    for (const { kind, id, source } of subject.programs) this.runtime.programs.add(kind, id, source)
  }

  get dead(): boolean {
    return this.events >= this.#dieAt
  }

  event(): void {
    this.events++
  }

  committed(batches: Parameters<Store['commit']>[0]): void {
    for (const batch of batches) this.watch.committed(batch)
  }

  /** Starts the run, or opens it again if its first record is durable. Nothing if the process died over it. */
  async begin(prepare?: (run: Run) => void): Promise<Run | undefined> {
    const run = await within(this, this.#open(prepare === undefined ? {} : { prepare }))
    const { messages = [] } = this.#subject.script ?? {}
    for (const [i, { topic, body }] of messages.entries())
      if (run?.state.ended === undefined) await within(this, run?.message(topic, body, { id: `m${i}` }))
    return run
  }

  async #open(options: { readonly prepare?: (run: Run) => void }): Promise<Run> {
    const row = await this.row()
    if (row !== undefined && row.last > 0) return this.runtime.resume(RUN, options)
    const { programs, args } = this.#subject
    const [root] = programs
    const program = this.runtime.programs.find(`${root?.kind}:${root?.id}`)
    if (program === undefined) throw new Error(`${this.#subject.name} has no program`)
    return this.runtime.start(program, { id: RUN, ...options, ...(args === undefined ? {} : { args }) })
  }

  async row(): Promise<RunRow | undefined> {
    return (await this.runtime.store?.runs({ prefix: RUN }))?.[0]
  }

  /** Carries the run to its end. Answers with nothing if the process died. */
  async live(): Promise<Outcome | undefined> {
    const status = (await this.row())?.status ?? 'running'
    if (status !== 'running' && status !== 'suspended') return outcomeOf((await this.runtime.peek(RUN)).state)
    const run = await this.begin()
    return run === undefined ? undefined : this.play(run)
  }

  /** Lets the run come to rest. Answers false if the process died on the way. */
  async rest(run: Run): Promise<boolean> {
    await within(this, run.idle())
    return !this.dead
  }

  /** Plays the script until the run has ended. Answers with nothing if the process died. */
  async play(run: Run): Promise<Outcome | undefined> {
    for (let rests = 0; rests < RESTS; rests++) {
      if (!(await this.rest(run))) return undefined
      if (run.state.ended !== undefined) return outcomeOf(run.state)
      if (!(await this.tell(run)) && !this.dead) throw new Error(`the run waits for ${describe(run)}, and the script has nothing for it`)
    }
    throw new Error('the run does not end')
  }

  /** Tells the run one thing that it waits for. False if there is nothing to tell. */
  async tell(run: Run): Promise<boolean> {
    const waits = [...run.state.waits.values()]
    for (const wait of waits) {
      const answer = wait.doubts === undefined ? this.#subject.script?.answer?.(wait) : await this.#truth(wait)
      if (wait.type !== 'answer' || answer === undefined) continue
      await within(this, run.answer(wait.id, answer))
      return true
    }
    if (await within(this, this.#subject.script?.drive?.(run))) return true
    const due = Math.min(...waits.map((wait) => wait.due ?? Number.POSITIVE_INFINITY))
    if (due === Number.POSITIVE_INFINITY) return false
    await this.host.advance(Math.max(0, due - this.host.now()))
    return true
  }

  async #truth(wait: Wait): Promise<Json> {
    const result = this.watch.happened(wait.doubts ?? '')
    if (result === undefined) return 'repeat'
    const value = await result
    return value === undefined ? 'failed' : { outcome: 'happened', value }
  }
}

/** What a process that may die on the way still gets to hear. */
async function within<T>(life: Life, told: Promise<T> | undefined): Promise<T | undefined> {
  if (told === undefined) return undefined
  const heard: { over: boolean } = { over: false }
  const hear = () => void (heard.over = true)
  told.then(hear, hear)
  for (let turns = 0; !heard.over && !life.dead; turns++) {
    await life.host.settle(2)
    if (!heard.over && !life.dead && !(await life.host.tick())) throw new Error('the run neither rests nor goes on')
    if (turns > RESTS) throw new Error('the run does not come to rest')
  }
  return heard.over ? told : undefined
}

/** A store as a process that may die sees it: every commit is two moments to die at, before and after. */
function mortal(store: Store, life: Pick<Life, 'dead' | 'watch' | 'event' | 'committed'>): Store {
  const living =
    <Args extends readonly unknown[], T>(method: (...args: Args) => T) =>
    (...args: Args): T =>
      life.dead ? (forever() as T) : method(...args)
  return {
    durable: store.durable,
    name: store.name,
    hello: living((...args) => store.hello(...args)),
    beat: living((...args) => store.beat(...args)),
    create: living((...args) => store.create(...args)),
    claim: living((...args) => store.claim(...args)),
    release: living((...args) => store.release(...args)),
    read: living((...args) => store.read(...args)),
    journal: living((...args) => store.journal(...args)),
    runs: living((...args) => store.runs(...args)),
    program: living((...args) => store.program(...args)),
    blob: living((...args) => store.blob(...args)),
    post: living((...args) => store.post(...args)),
    inbox: living((...args) => store.inbox(...args)),
    due: living((...args) => store.due(...args)),
    append: living((ledger, ...args) => {
      life.watch.ledgers.add(ledger)
      return store.append(ledger, ...args)
    }),
    ledger: living((...args) => store.ledger(...args)),
    close: () => {},
    commit(batches) {
      life.event()
      if (life.dead) return forever()
      const refused = store.commit(batches)
      life.committed(batches)
      life.event()
      return life.dead ? forever() : refused
    },
  }
}

export function outcomeOf(state: State): Outcome {
  return { status: state.ended?.status ?? 'open', value: state.ended?.value ?? null, board: state.root.reader().snapshot() }
}

/** A state as text, for comparison: what can still be read of it. */
export function textOf(state: State, subject: KindSubject): string {
  const kinds = new Map(subject.kinds.map((kind) => [kind.name, kind]))
  return JSON.stringify(dumpState(state, (pin) => kinds.get(state.pins[pin]?.[1] ?? '')?.board?.history === true))
}

export function same(what: string, actual: unknown, expected: unknown): void {
  if (!equalJson(actual, expected))
    throw new Error(`${what}:\n  is        ${JSON.stringify(actual)}\n  should be ${JSON.stringify(expected)}`)
}

export function fine(watch: Watch): void {
  if (watch.violations.length > 0) throw new Error(watch.violations.join('\n'))
}

/** The input that a record has, for messages. */
export function inputName(record: Rec | undefined): string {
  return record?.input?.[0] ?? 'go'
}

function describe(run: Run): string {
  return [...run.state.waits.values()].map((wait) => `${wait.type} ${wait.name}`).join(', ') || 'nothing'
}
