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

/** The configuration of models. */
export interface ModelsOptions {
  readonly host: Host
  /**
   * The variables for keys (`OPENAI_API_KEY`, …, `REFLEX_API_KEY` for the base URL), and `REFLEX_MODEL` and
   * `REFLEX_BASE_URL`; the options below override these two. The environment of the process is not read.
   */
  readonly environment?: Environment | undefined
  /** The model for requests that name none: `provider:name`, or a model itself. */
  readonly model?: string | Model | LanguageModel | undefined
  /** The models that are asked in turn if that one fails. */
  readonly fallback?: readonly string[] | undefined
  /** The address of a server that speaks OpenAI's protocol; model names are then those of the server. */
  readonly baseUrl?: string | undefined
  /** USD per million tokens by model name; these override the price list of Reflex. */
  readonly prices?: Prices | undefined
  /**
   * Models under names of the application: adapters of Reflex, or models of the AI SDK. The latter send with their own
   * `fetch`; a model that Reflex creates from a name follows no redirects and reads at most 32 MB.
   */
  readonly models?: Readonly<Record<string, Model | LanguageModel>> | undefined
  /** Suggests a known name for a misspelt one, for faults; `suggest` of the text room is such a function. */
  readonly guess?: Guess | undefined
  /** Checks structured answers against their schemas. Default: zod, stopped after half a second. */
  readonly check?: FindMisfits | undefined
  /** Removes secrets from the answers that faults contain. */
  readonly redact?: Redactor | undefined
}

/** Models that can report problems of a name. */
export interface NamedModels extends Models {
  /**
   * Returns the fault that prevents a model from being asked: `R4002` for a name that means no model, or for a base URL
   * that is not an address or contains a password. Without a name, checks the base URL and the configured default.
   * Loads nothing and sends nothing, so only `generate` reports a missing package or key.
   */
  check(name?: string): Fault | undefined
  /** Returns findings about a name for an author before a run. Loads nothing and sends nothing. */
  findings(name: string): readonly Fault[]
}

/**
 * Creates the models of an application. The package of a provider is loaded when one of its models is first asked, so a
 * missing package is a fault of that call, not of this one. Throws `R4005` for an object that is not a model.
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

  /** Returns the models that are asked in turn. */
  #chain(first: string, { fallback = this.#options.fallback ?? [] }: ModelRequest): readonly string[] {
    return [...new Set([first, ...fallback])]
  }

  async generate(request: ModelRequest, call: ModelCall): Promise<ModelReply> {
    const first = this.name(request)
    if (first === undefined) {
      const what = request.label === undefined ? '' : `: ${request.label} asks one`
      throw faults.make('R4001', `no model is configured${what}`, {
        fix: 'give --model provider:name, or set REFLEX_MODEL, or set REFLEX_BASE_URL and name a model; in an application, set the option `model`',
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
    throw faults.make('R4005', `${name ?? 'the option model'} is not a model`, {
      fix: 'give a name, a model of the AI SDK, or an object with `name` and `generate`',
    })
  }

  async #find(name: string): Promise<Model> {
    const known = this.#adapters.get(name)
    if (known !== undefined) return known
    const found = findModel(name, this.#world)
    this.#adapters.set(name, found)
    // A later call can succeed: the package may be installed or the key set by then.
    found.catch(() => this.#adapters.delete(name))
    return found
  }

  /** Returns the price of a model. An object under a name of the application may be a model with a price. */
  #price(name: string, model?: Model): Price | undefined {
    const found = model ?? this.#adapters.get(name)
    const given = this.#options.models?.[name] ?? (name === this.#default ? this.#options.model : undefined)
    const inner = isLanguageModel(given) ? [`${given.provider.replace(/\..*$/s, '')}:${given.modelId}`] : []
    return priceOf([name, ...(found === undefined || found instanceof Promise ? [] : [found.name]), ...inner], this.#options.prices ?? {})
  }
}
