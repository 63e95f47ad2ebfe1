import type { Fault, Host, Redactor } from '../kernel/index.ts'
import { ask } from './ask.ts'
import { faults } from './faults.ts'
import { isLanguageModel, type LanguageModel, languageModel } from './language-model.ts'
import type { FindMisfits } from './misfits.ts'
import { addressProblem, type Guess, isInstalled, nameFindings, nameProblem } from './model-names.ts'
import { PRICE_LIST } from './price-list.ts'
import { FREE, priceOf } from './prices.ts'
import { findModel, type ProviderWorld } from './providers.ts'
import { type Environment, scrubber } from './scrub.ts'
import type { Model, ModelCall, ModelReply, ModelRequest, Models, Price, Prices } from './types.ts'

/** Which models there are, and how they are asked. */
export interface ModelsOptions {
  readonly host: Host
  /**
   * Where keys come from (`OPENAI_API_KEY`, …, `REFLEX_API_KEY` for the base URL), and `REFLEX_MODEL` and
   * `REFLEX_BASE_URL`, which the options below precede. The process's own environment is not read.
   */
  readonly environment?: Environment | undefined
  /** Asked when a request names no model: `provider:name`, or a model itself. */
  readonly model?: string | Model | LanguageModel | undefined
  /** Asked in turn when that fails. */
  readonly fallback?: readonly string[] | undefined
  /** A server that speaks OpenAI's protocol: names of models are its own then. */
  readonly baseUrl?: string | undefined
  /** USD for a million tokens, by the name of the model; before the table of Reflex. */
  readonly prices?: Prices | undefined
  /**
   * Models by a name of one's own: adapters of Reflex, or models of the AI SDK. These send with a `fetch` of their own;
   * what Reflex makes from a name follows no redirect and reads 32 MB at most.
   */
  readonly models?: Readonly<Record<string, Model | LanguageModel>> | undefined
  /** Guesses at misspelt names, for faults; `suggest` of the text room is one. */
  readonly guess?: Guess | undefined
  /** Checks structured answers against their schemas. If absent, zod does, and is stopped after half a second. */
  readonly check?: FindMisfits | undefined
  /** Takes secrets out of answers that faults keep in part. */
  readonly redact?: Redactor | undefined
}

/** Models that can tell what is wrong with a name. */
export interface NamedModels extends Models {
  /**
   * What keeps a model from being asked, told at once: `R4002` for a name that means none, or for a base URL that is no
   * address or holds a password. Without a name, of the base URL and the configured default. Loads and asks nothing, so a
   * missing package or key is a fault of `generate` alone.
   */
  check(name?: string): Fault | undefined
  /** What an author should hear of a name before a run; loads and asks nothing. */
  findings(name: string): readonly Fault[]
}

/**
 * The models of an application behind one call. Packages of providers are loaded when a model of theirs is first asked,
 * so a missing one is a fault of that call, not of this. Throws `R4005` for an object that is no model.
 */
export function createModels(options: ModelsOptions): NamedModels {
  return new ConfiguredModels(options)
}

class ConfiguredModels implements NamedModels {
  readonly #options: ModelsOptions
  readonly #default: string | undefined
  readonly #world: ProviderWorld
  readonly #adapters = new Map<string, Model | Promise<Model>>()

  constructor(options: ModelsOptions) {
    const { environment = {}, model, models = {} } = options
    this.#options = options
    const url = options.baseUrl ?? (environment['REFLEX_BASE_URL'] || undefined)
    this.#world = {
      environment,
      server: url === undefined ? undefined : { url, from: options.baseUrl === undefined ? 'REFLEX_BASE_URL' : 'the base URL' },
      names: Object.keys(models),
      guess: options.guess,
      isInstalled,
      scrub: scrubber(environment, url),
    }
    for (const [name, given] of Object.entries(models)) this.#adapters.set(name, this.#adapterOf(given, name))
    if (typeof model === 'object') {
      const adapter = this.#adapterOf(model, undefined)
      this.#adapters.set(adapter.name, adapter)
      this.#default = adapter.name
    } else this.#default = model ?? (environment['REFLEX_MODEL'] || undefined)
  }

  get configured(): boolean {
    return this.#default !== undefined
  }

  name(request?: ModelRequest): string | undefined {
    return request?.model ?? this.#default
  }

  check(name?: string): Fault | undefined {
    const { server } = this.#world
    const addressFault = name === undefined && server !== undefined ? addressProblem(server) : undefined
    const wanted = name ?? this.#default
    if (addressFault !== undefined || wanted === undefined || this.#adapters.has(wanted)) return addressFault
    return nameProblem(wanted, this.#world)
  }

  findings(name: string): readonly Fault[] {
    const known = this.#adapters.has(name) || this.price({ messages: [], model: name }) !== undefined
    return known
      ? nameFindings(name, this.#world, [name])
      : nameFindings(name, this.#world, Object.keys({ ...PRICE_LIST, ...this.#options.prices }))
  }

  price(request: ModelRequest): Price | undefined {
    const name = this.name(request)
    const found = name === undefined ? undefined : this.#adapters.get(name)
    if (name === undefined) return undefined
    return found !== undefined && !(found instanceof Promise) && found.billed === false ? FREE : this.#price(name)
  }

  unpricedModels(request: ModelRequest): readonly string[] {
    const first = this.name(request)
    return first === undefined ? [] : this.#chain(first, request).filter((model) => this.price({ ...request, model }) === undefined)
  }

  /** The models that are asked in turn. */
  #chain(first: string, { fallback = this.#options.fallback ?? [] }: ModelRequest): readonly string[] {
    return [...new Set([first, ...fallback])]
  }

  async generate(request: ModelRequest, call: ModelCall): Promise<ModelReply> {
    const first = this.name(request)
    if (first === undefined) {
      const what = request.label === undefined ? '' : `: ${request.label} asks one`
      throw faults.make('R4001', `no model is configured${what}`, {
        fix: 'give --model provider:name, set REFLEX_MODEL, or REFLEX_BASE_URL and a name; in an application the option `model`',
      })
    }
    return ask(this.#chain(first, request), request, call, {
      host: this.#options.host,
      find: (name) => this.#find(name),
      price: (name, model) => this.#price(name, model),
      check: this.#options.check,
      redact: this.#options.redact,
    })
  }

  #adapterOf(given: Model | LanguageModel, name: string | undefined): Model {
    if (isLanguageModel(given)) return languageModel(given, { name, scrub: this.#world.scrub })
    if (typeof given.generate === 'function') return given
    throw faults.make('R4005', `${name ?? 'the option model'} is no model`, {
      fix: 'give a name, a model of the AI SDK, or an object with `name` and `generate`',
    })
  }

  async #find(name: string): Promise<Model> {
    const known = this.#adapters.get(name)
    if (known !== undefined) return known
    const found = findModel(name, this.#world)
    this.#adapters.set(name, found)
    // What is missing may be there the next time: a package is installed, a key set.
    found.catch(() => this.#adapters.delete(name))
    return found
  }

  /** An object under a name of one's own may be a model that has a price. */
  #price(name: string, model?: Model): Price | undefined {
    const found = model ?? this.#adapters.get(name)
    const given = this.#options.models?.[name] ?? (name === this.#default ? this.#options.model : undefined)
    const inner = isLanguageModel(given) ? [`${given.provider.replace(/\..*$/s, '')}:${given.modelId}`] : []
    return priceOf([name, ...(found === undefined || found instanceof Promise ? [] : [found.name]), ...inner], this.#options.prices ?? {})
  }
}
