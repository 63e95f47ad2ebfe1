import { canonicalJson, type Call, decodeBatch, isObject, type Json, type Ref, type Store } from '../../kernel/index.ts'
import { type CompiledWorkflow, DECIDE, nodeAt } from '../../kinds/workflow/model/compile.ts'
import { RUN } from '../kind-suite/process-life.ts'

/** The ports to the outside. The answers of all other ports depend only on the run, its policy and its store. */
export const OUTSIDE: ReadonlySet<string> = new Set([DECIDE, 'model', 'tool', 'handler', 'action', 'tool_hook', 'summary'])

/** Returns the name of a request, independent of the record that makes it: the same request has the same name in every life of a run. */
export function effectName({ run, port, args, def, frame }: Pick<Call, 'run' | 'port' | 'args' | 'def' | 'frame'>): string {
  if (port !== DECIDE) return `${port} ${canonicalJson(args ?? null).replaceAll(run, '‹run›')}`
  return `${DECIDE} ${(def as CompiledWorkflow).workflow.id}/${nodeAt(frame.position) ?? ''}`
}

/** Returns a name of the request for people: the called tool, or the node that asks. */
export function shortName({ port, args, def, frame }: Pick<Call, 'port' | 'args' | 'def' | 'frame'>): string {
  if (port === DECIDE) return `${(def as CompiledWorkflow).workflow.id}/${nodeAt(frame.position) ?? ''}`
  const { tool, node } = isObject(args) ? args : {}
  return typeof tool === 'string' ? tool : typeof node === 'string' ? node : port
}

/** The result of an effect. */
interface KeptResult {
  readonly id: Ref
  readonly result: Promise<unknown>
}

/** A result from a record. A port has already checked it. */
export class Settled {
  readonly value: Json

  constructor(value: Json) {
    this.value = value
  }
}

/** The answers of the outside in one run, in order. With them a world gives the same answers in every life of another run. */
export class AnswerMemory {
  readonly #results = new Map<string, KeptResult[]>()

  remember(name: string, id: Ref, result: Promise<unknown>): void {
    const known = this.#results.get(name)
    if (known === undefined) this.#results.set(name, [{ id, result }])
    else known.push({ id, result })
    // The code that asked handles the failure.
    result.catch(() => undefined)
  }

  /** Returns the answer of one turn, counted from 0; undefined if the request was not made so often. */
  answer(name: string, turn: number): Promise<unknown> | undefined {
    return this.#results.get(name)?.toSorted((a, b) => compareRefs(a.id, b.id))[turn]?.result
  }
}

/** Orders two effects as the records made them. */
function compareRefs(a: Ref, b: Ref): number {
  const [one, other] = [refNumbers(a), refNumbers(b)]
  return one[0] - other[0] || one[1] - other[1]
}

function refNumbers(ref: Ref): readonly [number, number] {
  const [record = '', sub = '0'] = String(ref).split('.')
  return [Number.parseInt(record, 10), Number(sub)]
}

/** The requests of all lives of one run. A later life makes a request again if the request was not durable. */
export class RequestedEffects {
  /** The name of each request by its effect. */
  readonly names = new Map<string, string>()
}

/** The turns of one life. The answer to an effect depends on the requests before it, not on the number of crashes. */
export class Turns {
  readonly #requested: RequestedEffects
  readonly #store: Pick<Store, 'journal'>
  readonly #ids = new Map<string, Set<Ref>>()
  #isRestored = false
  /** The records that opened a question, by the name of the question. */
  readonly #questions = new Map<string, Set<number>>()

  constructor(requested: RequestedEffects, store: Pick<Store, 'journal'>) {
    this.#requested = requested
    this.#store = store
  }

  /** Returns how many effects of this name came before this one. */
  effect(name: string, id: Ref): number {
    this.#restore()
    this.#requested.names.set(String(id), name)
    addTo(this.#ids, name, id)
    return [...(this.#ids.get(name) ?? [])].filter((other) => compareRefs(other, id) < 0).length
  }

  /** Returns how many questions of this name were opened before this one. */
  question(name: string, record: number): number {
    this.#restore()
    addTo(this.#questions, name, record)
    return [...(this.#questions.get(name) ?? [])].filter((other) => other < record).length
  }

  /** Reads the requests of earlier lives from the journal. */
  #restore(): void {
    if (this.#isRestored) return
    this.#isRestored = true
    const batches = this.#store.journal(RUN)
    if (batches instanceof Promise) throw new TypeError('the lives of a scripted run share a store in memory')
    for (const { first, version, body } of batches) {
      for (const [i, { requests, more }] of decodeBatch(version, body, () => 'null').entries()) {
        const n = first + i
        for (const [at] of (requests ?? []).entries()) {
          const id = at === 0 ? n : `${n}.${at}`
          const name = this.#requested.names.get(String(id))
          if (name !== undefined) addTo(this.#ids, name, id)
        }
        if (more?.asks !== undefined) continue
        for (const [type, name] of more?.wait ?? []) if (type === 'answer') addTo(this.#questions, name, n)
      }
    }
  }
}

function addTo<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const set = sets.get(key)
  if (set === undefined) sets.set(key, new Set([value]))
  else set.add(value)
}
