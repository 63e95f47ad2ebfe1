import { isObject, type Json } from '../kernel/index.ts'
import type { ModelMessage, ModelTry, ToolCall } from './types.ts'

/**
 * Gives each call of an answer an id that is unique in the conversation. Some servers omit ids or restart them with
 * each answer; a result would then belong to two calls. The ids in the provider's own form of the answer change in the
 * same way.
 */
export function withUniqueCallIds<Answer extends Pick<ModelTry, 'calls' | 'native'>>(
  answer: Answer,
  messages: readonly ModelMessage[],
): Answer {
  const { calls, native } = answer
  if (calls === undefined) return answer
  const usedIds = new Set(messages.flatMap((message) => (message.role === 'assistant' ? (message.calls ?? []).map(({ id }) => id) : [])))
  const ids = calls.map(({ id }) => {
    const unique = uniqueId(id, usedIds)
    usedIds.add(unique)
    return unique
  })
  if (ids.every((id, i) => id === calls[i]?.id)) return answer
  const renamed = calls.map((call, i): ToolCall => ({ ...call, id: ids[i] ?? call.id }))
  return { ...answer, calls: renamed, ...(native === undefined ? {} : { native: renameNative(native, ids) }) }
}

function uniqueId(id: string, usedIds: ReadonlySet<string>): string {
  if (id !== '' && !usedIds.has(id)) return id
  const stem = id === '' ? 'call' : id
  let number = id === '' ? 1 : 2
  while (usedIds.has(`${stem}_${number}`)) number++
  return `${stem}_${number}`
}

/** Renames the calls in the provider's form, which have the same order. */
function renameNative(native: readonly Json[], ids: readonly string[]): readonly Json[] {
  let next = 0
  return native.map((block) =>
    isObject(block) && block['type'] === 'tool-call' ? { ...block, toolCallId: ids[next++] ?? block['toolCallId'] ?? '' } : block,
  )
}
