import { isFault } from '../kernel/index.ts'
import type { Access } from './advice.ts'
import { failureOf } from './failures.ts'
import { faults } from './faults.ts'
import { askInPrompt, type CallOptions, optionsFor } from './options.ts'
import { readContent, readStream } from './answer-reader.ts'
import type { Model, ModelCall, ModelRequest, ModelTry } from './types.ts'

/**
 * What Reflex uses of a language model of the AI SDK (`LanguageModelV4`, or V3): every provider package gives such
 * objects. Described here by its shape, so that no package of the SDK is needed to compile or to run Reflex.
 */
export interface LanguageModel {
  readonly specificationVersion: string
  /** Such as `openai.chat`. */
  readonly provider: string
  readonly modelId: string
  doGenerate(options: { readonly abortSignal?: AbortSignal }): PromiseLike<object>
  doStream(options: { readonly abortSignal?: AbortSignal }): PromiseLike<{ readonly stream: object }>
}

/** How an adapter speaks to its model. */
export interface LanguageModelSettings {
  /** As requests name it; `provider:modelId` if absent. */
  readonly name?: string | undefined
  /** Takes keys out of what the provider says. */
  readonly scrub?: ((text: string) => string) | undefined
  /** Whether the server checks answers against a schema is not known: the prompt says the schema as well. */
  readonly isSchemaSupportUnknown?: boolean | undefined
  /** Where its key and its address come from, for what faults say. */
  readonly access?: Access | undefined
}

const SUPPORTED_VERSIONS = ['v3', 'v4']

/** Tells a language model of the SDK from a model of Reflex. */
export function isLanguageModel(value: unknown): value is LanguageModel {
  return typeof value === 'object' && value !== null && 'specificationVersion' in value && 'doGenerate' in value
}

/**
 * A model of the AI SDK as a model of Reflex: one try for each call, streamed where progress is wanted. The SDK itself
 * is not needed, only the package of the provider. Throws `R4005` for a model of another generation.
 *
 * Failures become faults `R4006` to `R4014`; aborting the signal breaks the HTTP request off.
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
  /** The server has refused schemas before. */
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

/** A server that knows no `json_schema` says so in words of its own, with a status for a wrong request. */
function isSchemaRefusal(thrown: unknown): boolean {
  return isFault(thrown) && thrown.code === 'R4007' && /response_format|json_schema|structured/i.test(thrown.message)
}
