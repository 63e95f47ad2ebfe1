import type { Fault } from '../kernel/index.ts'
import { fileText } from './content.ts'
import { faults } from './faults.ts'
import { isText } from './media.ts'
import type { ModelRequest } from './types.ts'

/** The models that certainly read only text, by their full names. For all others, the provider decides. */
const TEXT_ONLY: readonly RegExp[] = [
  /^deepseek:/,
  /^openai:gpt-3\.5-turbo/,
  /^openai:o1-mini/,
  /^openai:o3-mini/,
  /^anthropic:claude-(?:2|instant)/,
  /^cohere:command-(?:r|light|nightly)/,
]

/** Returns the fault `R4030` if a model is known not to accept a file of the request; otherwise undefined. */
export function unreadableFileFault(name: string, { messages }: ModelRequest): Fault | undefined {
  if (!TEXT_ONLY.some((known) => known.test(name))) return undefined
  for (const message of messages) {
    for (const part of message.role === 'user' ? (message.parts ?? []) : [])
      if (part.type === 'file' && !isText(part.media ?? ''))
        return faults.make('R4030', `${name} reads only text, and the message has ${fileText(part)}`, {
          fix: 'name a model that accepts the file, or convert it to text',
        })
  }
  return undefined
}
