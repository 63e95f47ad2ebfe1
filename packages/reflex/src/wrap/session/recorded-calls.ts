import {
  faultJson,
  isObject,
  type Json,
  type JsonObject,
  keptRecords,
  readRecords,
  type Ref,
  type State,
  type Store,
} from '../../kernel/index.ts'
import type { TurnInput } from '../../kinds/skill/model/turn.ts'
import { readPosition } from '../../kinds/skill/turn/position.ts'
import { TURN_KEYS } from '../../kinds/skill/turn/turn.ts'
import { faults } from './faults.ts'

/** A call of the code as an input of its turn. */
export type CallInput = Extract<TurnInput, { readonly id: string }>

/** What to do about a new call while recorded ones are unused. */
export type Divergence =
  | { readonly is: 'note'; readonly note: JsonObject }
  /** A person, or a strict turn, decides: the recorded calls that the new one may stand for. */
  | { readonly is: 'question' | 'fault'; readonly recorded: readonly string[] }

/** What recorded calls need of their turn. */
export interface RecordOptions {
  readonly store: Store
  /** True if a tool may change something outside. */
  readonly leaves: (tool: string) => boolean
  /** True: every divergence is a fault. */
  readonly isStrict: boolean
}

interface RecordedRun {
  /** The responses of models by effect. */
  readonly responses: ReadonlyMap<Ref, Json>
  /** The calls of the code by id. */
  readonly calls: ReadonlyMap<string, Json>
}

/** The most unused calls that a note or a fault names. */
const MOST_NAMED = 20

/** The calls that the record of a resumed turn has, and that its code has not made again yet. A new turn has none. */
export class RecordedCalls {
  readonly #run: string
  readonly #options: RecordOptions
  readonly #unused: Set<string>
  readonly #inFlight: ReadonlySet<string>
  #read: Promise<RecordedRun> | undefined
  #isNoted = false

  constructor(run: string, state: State, options: RecordOptions) {
    this.#run = run
    this.#options = options
    // A new run has no frame yet.
    const root = state.n === 0 ? undefined : state.root
    const prefix = TURN_KEYS.result('')
    const settled = Object.keys(root?.reader().snapshot() ?? {}).filter((key) => key.startsWith(prefix))
    const { requests, flights } = readPosition(root?.position)
    this.#inFlight = new Set([...Object.keys(requests), ...Object.values(flights)].filter((id) => id !== ''))
    this.#unused = new Set([...settled.map((key) => key.slice(prefix.length)), ...this.#inFlight])
  }

  isInFlight(id: string): boolean {
    return this.#inFlight.has(id)
  }

  /** Notes that the code has made a recorded call again. The calls within one that has ended are not made again. */
  use(id: string): void {
    this.#unused.delete(id)
    if (!this.#inFlight.has(id)) for (const inner of this.#unused) if (inner.startsWith(`${id}>`)) this.#unused.delete(inner)
  }

  /**
   * Returns what to do about a call that is new while recorded ones are unused: its code has diverged, or runs in another order. A call that
   * may change something, while a recorded one of that nature is unused, may do a thing twice in two ways (design skill 1).
   */
  divergence(call: CallInput): Divergence | undefined {
    if (this.#unused.size === 0) return undefined
    const unused = [...this.#unused]
    if (this.#options.isStrict) return { is: 'fault', recorded: unused.slice(0, MOST_NAMED) }
    const isFree = call.do === 'tool' && call.facts?.sideEffects === 'none'
    const leaving = !isFree && this.#leaves(call.id) ? unused.filter((id) => this.#leaves(id)) : []
    if (leaving.length > 0) return { is: 'question', recorded: leaving.slice(0, MOST_NAMED) }
    if (this.#isNoted) return undefined
    this.#isNoted = true
    return { is: 'note', note: { call: call.id, unused: unused.slice(0, MOST_NAMED) } }
  }

  /** Ids begin with the operation and the name, behind the calls that they are within. */
  #leaves(id: string): boolean {
    const [operation, ...rest] = id.slice(id.lastIndexOf('>') + 1).split('/')
    if (operation === 'once') return true
    return operation === 'tool' && this.#options.leaves(rest.slice(0, -2).join('/'))
  }

  /** Returns a call as a person is asked about it. Throws `R2154`, with the new call and the recorded ones, in a strict turn. */
  async diverged(call: CallInput, { is, recorded }: Exclude<Divergence, { readonly is: 'note' }>): Promise<CallInput> {
    const { calls } = await this.#records()
    const message = `the code makes the call ${call.id}; the record has ${recorded[0] ?? ''}, which the code has not made again`
    const data = { now: call as unknown as Json, recorded: recorded.map((id) => calls.get(id) ?? id) }
    const fault = faults.make('R2154', message, { run: this.#run, data })
    // Only a call that leaves is asked about.
    if (is === 'fault' || call.do === 'model' || call.do === 'agent') throw fault
    return { ...call, diverged: faultJson(fault) as JsonObject }
  }

  /** Returns the response that an effect of an earlier process gave; undefined if the store does not have its record any more. */
  async response(effect: Ref): Promise<Json | undefined> {
    // Clients change the objects of a response; those of a record are frozen.
    return structuredClone((await this.#records()).responses.get(effect))
  }

  #records(): Promise<RecordedRun> {
    this.#read ??= this.#readRun()
    return this.#read
  }

  async #readRun(): Promise<RecordedRun> {
    const responses = new Map<Ref, Json>()
    const calls = new Map<string, Json>()
    const { store } = this.#options
    const { first } = await keptRecords(store, this.#run)
    for await (const [, { input }] of readRecords(store, this.#run, first)) {
      const value = input?.[0] === 'ok' ? input[2] : input?.[0] === 'host' ? input[1] : undefined
      if (!isObject(value)) continue
      if (input?.[0] === 'ok' && value['raw'] !== undefined) responses.set(input[1], value['raw'])
      if (input?.[0] === 'host' && typeof value['id'] === 'string') calls.set(value['id'], value)
    }
    return { responses, calls }
  }
}
