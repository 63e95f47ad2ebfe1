import type { EstimatedUsage, Traits } from '../kernel/index.ts'
import { costOf } from './prices.ts'
import { withoutBytes } from './content.ts'
import { isText } from './media.ts'
import { useOfModel } from './model-names.ts'
import type { FilePart, ModelRequest, Models, Usage } from './types.ts'

/** The approximate number of characters per token. */
const PER_TOKEN = 4
/** The assumed output tokens of a request without a limit: the default limit of many providers. */
const DEFAULT_OUTPUT_TOKENS = 4_096

/**
 * Returns the traits from which a budget estimates the cost of a request, and the provider by which an operator limits it: that of the model
 * that is asked first. The request is read only when they are needed.
 */
export function costTraits(
  models: () => Models,
  request: () => ModelRequest,
): Pick<Traits, 'costs' | 'estimateUsage' | 'unpricedModels' | 'uses'> {
  return {
    costs: true,
    estimateUsage: () => reserveFor(models(), request()),
    unpricedModels: () => models().unpricedModels(request()),
    uses: () => {
      const name = models().name(request())
      return name === undefined ? undefined : useOfModel(name)
    },
  }
}

/**
 * Estimates the most that one try of a request can use: its messages and tools as they are sent, and the longest
 * allowed answer.
 */
function reserveFor(models: Models, request: ModelRequest): EstimatedUsage {
  const used = { input: inputOf(request), output: request.maxTokens ?? DEFAULT_OUTPUT_TOKENS }
  const [model, price] = [models.name(request), models.price(request)]
  return { ...(model === undefined ? {} : { model }), ...used, ...(price === undefined ? {} : { usd: costOf(used, price) }) }
}

/** Estimates the usage of a try that ended after some characters of an answer. */
export function estimateUsage(request: ModelRequest, characters: number): Usage {
  return { input: inputOf(request), output: Math.ceil(characters / PER_TOKEN) }
}

function inputOf({ messages, tools, output }: ModelRequest): number {
  const files = messages.flatMap((message) => (message.role === 'user' ? (message.parts ?? []) : [])).filter((part) => part.type === 'file')
  const shown = files.length === 0 ? messages : withoutBytes(messages)
  return Math.ceil(JSON.stringify([shown, tools, output]).length / PER_TOKEN) + files.reduce((sum, file) => sum + fileTokens(file), 0)
}

/** The approximate maximum of tokens per image, whatever its size: providers reduce large images. */
const PER_IMAGE = 1_600
/** The approximate number of bytes of a PDF or a sound per token. */
const PER_FILE_TOKEN = 40

function fileTokens({ media = '', data }: FilePart): number {
  const bytes = Math.ceil(data.length * 0.75)
  if (isText(media)) return Math.ceil(bytes / PER_TOKEN)
  return media.startsWith('image') ? PER_IMAGE : Math.max(PER_IMAGE, Math.ceil(bytes / PER_FILE_TOKEN))
}
