import type { EstimatedUsage, Traits } from '../kernel/index.ts'
import { costOf } from './prices.ts'
import { withoutBytes } from './content.ts'
import { isText } from './media.ts'
import type { FilePart, ModelRequest, Models, Usage } from './types.ts'

/** Characters of a token, about. */
const PER_TOKEN = 4
/** Tokens of an answer whose request states no limit: the default limit of many providers. */
const DEFAULT_OUTPUT_TOKENS = 4_096

/** The traits by which a budget knows what a request may cost. The request is made when they are asked for. */
export function costTraits(models: () => Models, request: () => ModelRequest): Pick<Traits, 'costs' | 'estimateUsage' | 'unpricedModels'> {
  return { costs: true, estimateUsage: () => reserveFor(models(), request()), unpricedModels: () => models().unpricedModels(request()) }
}

/** Estimates the most that one try of a request uses: its messages and tools as they are sent, and the longest answer that it allows. */
function reserveFor(models: Models, request: ModelRequest): EstimatedUsage {
  const used = { input: inputOf(request), output: request.maxTokens ?? DEFAULT_OUTPUT_TOKENS }
  const [model, price] = [models.name(request), models.price(request)]
  return { ...(model === undefined ? {} : { model }), ...used, ...(price === undefined ? {} : { usd: costOf(used, price) }) }
}

/** Estimates the usage of a try that broke off after so many characters of an answer. */
export function estimateUsage(request: ModelRequest, characters: number): Usage {
  return { input: inputOf(request), output: Math.ceil(characters / PER_TOKEN) }
}

function inputOf({ messages, tools, output }: ModelRequest): number {
  const files = messages.flatMap((message) => (message.role === 'user' ? (message.parts ?? []) : [])).filter((part) => part.type === 'file')
  const shown = files.length === 0 ? messages : withoutBytes(messages)
  return Math.ceil(JSON.stringify([shown, tools, output]).length / PER_TOKEN) + files.reduce((sum, file) => sum + fileTokens(file), 0)
}

/** Tokens of an image at most, about, whatever its size: providers make large ones smaller. */
const PER_IMAGE = 1_600
/** Bytes of a PDF or a sound that become one token, about. */
const PER_FILE_TOKEN = 40

function fileTokens({ media = '', data }: FilePart): number {
  const bytes = Math.ceil(data.length * 0.75)
  if (isText(media)) return Math.ceil(bytes / PER_TOKEN)
  return media.startsWith('image') ? PER_IMAGE : Math.max(PER_IMAGE, Math.ceil(bytes / PER_FILE_TOKEN))
}
