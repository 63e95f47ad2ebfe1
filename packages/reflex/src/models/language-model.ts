import { isFault } from '../kernel/index.ts'
import type { Access } from './advice.ts'
import { failureOf } from './failures.ts'
import { faults } from './faults.ts'
import { askInPrompt, type CallOptions, optionsFor } from './options.ts'
import { readContent, readStream } from './answer-reader.ts'
import type { Model, ModelCall, ModelRequest, ModelTry } from './types.ts'

/**
 * The part of an AI SDK language model (`LanguageModelV4` or V3) that Reflex uses; every provider package returns such
 * objects. It is declared by its shape, so that Reflex compiles and runs without a package of the SDK.
 */
export interface LanguageModel {
  readonly specificationVersion: string
  /** The provider, such as `openai.chat`. */
  readonly provider: string
  readonly modelId: string
  doGenerate(options: { readonly abortSignal?: AbortSignal }): PromiseLike<object>
  doStream(options: { readonly abortSignal?: AbortSignal }): PromiseLike<{ readonly stream: object }>
}

/** The settings of an adapter for a model of the AI SDK. */
export interface LanguageModelSettings {
  /** The name in requests; `provider:modelId` if absent. */
  readonly name?: string | undefined
  /** Removes keys from texts of the provider. */
  readonly scrub?: ((text: string) => string) | undefined
  /** True if it is unknown whether the server checks answers against a schema: the prompt then contains the schema too. */
  readonly isSchemaSupportUnknown?: boolean | undefined
  /** The origin of the key and the address, for advice in faults. */
  readonly access?: Access | undefined
}

const SUPPORTED_VERSIONS = ['v3', 'v4']

/** True for a language model of the AI SDK, false for a model of Reflex. */
export function isLanguageModel(value: unknown): value is LanguageModel {
  return typeof value === 'object' && value !== null && 'specificationVersion' in value && 'doGenerate' in value
}

/**
 * Returns a model of the AI SDK as a model of Reflex: one try per call, streamed if progress is requested. It needs
 * only the package of the provider, not the SDK itself. Throws `R4005` for a model of another generation.
 *
 * Failures become faults `R4006` to `R4014`; aborting the signal aborts the HTTP request.
 */
export function languageModel(model: LanguageModel, settings: LanguageModelSettings = {}): Model {
  const name = settings.name ?? `${model.provider.replace(/\..*$/s, '')}:${model.modelId}`
  if (!SUPPORTED_VERSIONS.includes(model.specificationVersion))
    throw faults.make(
      'R4005',
      `${name} speaks version ${model.specificationVersion} of the AI SDK's provider interface; Reflex speaks v3 and v4`,
      {
        fix: `update the package of the provider ${model.provider}`,
      },
    )
  return new SdkModel(name, model, settings)
}

class SdkModel implements Model {
  readonly name: string
  readonly #model: LanguageModel
  readonly #settings: LanguageModelSettings
  /** True after the server has refused a schema. */
  #skipsSchema = false

  constructor(name: string, model: LanguageModel, settings: LanguageModelSettings) {
    this.name = name
    this.#model = model
    this.#settings = settings
  }

  async generate(request: ModelRequest, call: ModelCall): Promise<ModelTry> {
    const options = { ...optionsFor(request, this.#model.specificationVersion), abortSignal: call.signal }
    if (request.output === undefined || this.#settings.isSchemaSupportUnknown !== true) return this.#ask(options, request, call)
    const asked = askInPrompt(options, request.output.schema)
    const { responseFormat: _, ...plain } = asked
    if (this.#skipsSchema) return this.#ask(plain, request, call)
    try {
      return await this.#ask(asked, request, call)
    } catch (thrown) {
      if (!isSchemaRefusal(thrown)) throw thrown
      const answer = await this.#ask(plain, request, call)
      this.#skipsSchema = true
      return answer
    }
  }

  async #ask(options: CallOptions, request: ModelRequest, call: ModelCall): Promise<ModelTry> {
    try {
      if (request.stream !== true) return readContent(await this.#model.doGenerate(options))
      const { stream } = await this.#model.doStream(options)
      return await readStream(stream, call)
    } catch (thrown) {
      if (call.signal.aborted) throw call.signal.reason
      const { scrub = (text) => text, access } = this.#settings
      throw failureOf(thrown, { name: this.name, scrub, access })
    }
  }
}

/**
 * True if the server refused the schema. A server without `json_schema` reports this in its own words, with a status
 * for a bad request.
 */
function isSchemaRefusal(thrown: unknown): boolean {
  return isFault(thrown) && thrown.code === 'R4007' && /response_format|json_schema|structured/i.test(thrown.message)
}
