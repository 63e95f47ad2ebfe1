import type { Fault } from '../kernel/index.ts'
import { accessibleProviders, isInstalled, nameParts, providerAccess } from '../models/index.ts'
import type { AskedModel } from '../programs/language.ts'

/** The word of a worker that has a model for requests that name none. */
const DEFAULT = 'model:default'
/** Models that no known provider has: those of a server at a base URL, and those that an application has named. */
const OWN = 'model:own'

interface Parts {
  /** The names of the application. */
  readonly names: readonly string[]
  readonly fallback: readonly string[]
  /** True if a base URL is set: its server has every name without a known provider. */
  readonly hasServer: boolean
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

  /** The words of a worker for its models: known providers that it can ask, names of its application, a default, a server. */
  get words(): readonly string[] {
    const { names, hasServer, environment } = this.#parts
    const words = [...accessibleProviders(environment), ...names].map((name) => `model:${name}`)
    return [...words, ...(this.#lacks({}) === undefined ? [DEFAULT] : []), ...(hasServer || names.length > 1 ? [OWN] : [])]
  }

  /**
   * Returns the words for models that a program asks and this process cannot ask. A request whose models are all missing gives one word, that of its
   * first model. `model`: the model of the run, for requests that name none.
   */
  lacking(asked: readonly AskedModel[], model: string | undefined): readonly string[] {
    const words = asked.flatMap(({ name = model, fallback }) => this.#lacks({ name, fallback }) ?? [])
    return [...new Set(words)]
  }

  #lacks({ name, fallback = this.#parts.fallback }: AskedModel): string | undefined {
    const first = name ?? this.#parts.defaultName
    if (first === undefined) return DEFAULT
    return [first, ...fallback].some((one) => this.#canAsk(one)) ? undefined : name === undefined ? DEFAULT : this.#wordOf(first)
  }

  #canAsk(name: string): boolean {
    const { names, environment, problem } = this.#parts
    if (names.includes(name)) return true
    if (problem(name) !== undefined) return false
    const access = providerAccess(name, environment)
    return access === undefined || (access.missing === undefined && isInstalled(access.package))
  }

  /** A name without a known provider is first asked of those that have models of their own, then of those that have this one. */
  #wordOf(name: string): string {
    const { names, hasServer, environment } = this.#parts
    if (providerAccess(name, environment) !== undefined) return `model:${nameParts(name).provider}`
    return hasServer || names.length > 1 ? `model:${name}` : OWN
  }
}
