import type { Fault } from '../kernel/index.ts'
import { accessName, usableAccesses } from '../models/index.ts'
import type { AskedModel } from '../programs/language.ts'
import { anyOf } from '../store/index.ts'

/** The word of a worker that has chosen a model for requests that name none. */
const DEFAULT = 'model:default'
/** It can ask that model. */
const ABLE_DEFAULT = 'model:default/able'
/** It can ask a model of those that it has chosen for requests that name no fallback. */
const FALLBACK = 'model:fallback'
/** It has a server at a base URL, which has every name without a known provider. */
const SERVER = 'model:server'

interface Parts {
  /** The names of the application. */
  readonly names: readonly string[]
  readonly fallback: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The model of requests that name none. */
  readonly defaultName: string | undefined
  /** Returns the fault of a name that no setting of this process makes a model. */
  readonly problem: (name: string) => Fault | undefined
}

/** The models that a process can ask, as far as that is known before it asks one. Loads nothing and sends nothing. */
export class ModelAccess {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The words of a worker for its models: known providers that it can ask, names of its application, a server, a default, a fallback. */
  get words(): readonly string[] {
    const { names, fallback, environment, defaultName, problem } = this.#parts
    const models = [
      ...usableAccesses(environment).map(accessWord),
      ...names.map(ownWord),
      ...(problem('local:any') === undefined ? [SERVER] : []),
    ]
    const can = new Set(models)
    const canAsk = (name: string): boolean => wordsOf(name).some((word) => can.has(word)) || this.#isFound(name)
    const chosen = defaultName === undefined ? [] : [DEFAULT, ...(canAsk(defaultName) ? [ABLE_DEFAULT] : [])]
    return [...models, ...chosen, ...(fallback.some(canAsk) ? [FALLBACK] : [])]
  }

  /**
   * Returns the words that `can`, the words of this worker, lacks for the models that a program asks: one for each request that no model can
   * answer here. `model`: the model of the run, for requests that name none.
   */
  lacking(asked: readonly AskedModel[], model: string | undefined, can: ReadonlySet<string>): readonly string[] {
    const words = asked.flatMap(({ name = model, fallback }) => {
      if (name === undefined && !can.has(DEFAULT)) return [DEFAULT]
      const enough = [...(name === undefined ? [ABLE_DEFAULT] : wordsOf(name)), ...(fallback?.flatMap(wordsOf) ?? [FALLBACK])]
      const named = [...(name === undefined ? [] : [name]), ...(fallback ?? [])]
      return enough.some((word) => can.has(word)) || named.some((one) => this.#isFound(one)) ? [] : [anyOf(enough)]
    })
    return [...new Set(words)]
  }

  /** True for a model of an installed package whose provider Reflex does not know: no word names it. */
  #isFound(name: string): boolean {
    return accessName(name) === undefined && this.#parts.problem(name) === undefined
  }
}

/** Returns the words of which a worker that can ask a model has one. They depend on its name alone, so every worker that lacks it says the same. */
function wordsOf(name: string): readonly string[] {
  const access = accessName(name)
  return [access === undefined ? SERVER : accessWord(access), ownWord(name)]
}

function accessWord(access: string): string {
  return `model:${access}`
}

function ownWord(name: string): string {
  return `model:own/${name}`
}
