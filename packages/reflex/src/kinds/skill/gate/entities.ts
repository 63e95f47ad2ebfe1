import { readSlotValue } from '../manifest/slot-values.ts'
import type { GateSnapshot } from '../model/decision.ts'
import type { Manifest } from '../model/manifest.ts'
import type { Slot } from '../model/slot.ts'
import { valueAtBoardPath } from './board-path.ts'
import { ratio } from './millionths.ts'

/** The parts of a text that are tried as values of slots. More do not count: the work is counted, not timed. */
const MOST_TOKENS = 500
/** The parts between spaces, without the punctuation around them. */
const TOKENS = /[^\s"'`“”‘’«»()<>{}[\],;!?]+/gu
const LAST_SIGNS = /[.:]$/

/**
 * Returns the share, in millionths, of required slots with a recognizable type for which the text of the user or the blackboard has a valid
 * value (reference skill 1.9). A plain string is not recognizable: every word is one.
 */
export function entityShare(
  { signature }: Pick<Manifest, 'signature'>,
  { userText = '', board }: Pick<GateSnapshot, 'userText' | 'board'>,
): number {
  const slots = signature.inputs.filter((slot) => slot.required && isRecognizable(slot))
  if (slots.length === 0) return 0
  const tokens = tokensOf(userText)
  const found = slots.filter((slot) => {
    const path = signature.blackboard_bindings.inputs[slot.name]
    const bound = path === undefined ? undefined : valueAtBoardPath(board, path)
    if (bound !== undefined && bound !== null && 'value' in readSlotValue(slot, bound)) return true
    return tokens.some((token) => 'value' in readSlotValue(slot, token))
  })
  return ratio(found.length, slots.length)
}

function isRecognizable({ type, pattern, enum: choices }: Slot): boolean {
  return (type !== 'string' && type !== 'json' && type !== 'secret_ref') || pattern !== undefined || choices !== undefined
}

function tokensOf(text: string): readonly string[] {
  const tokens = new Set<string>()
  for (const [token] of text.matchAll(TOKENS)) {
    if (tokens.size >= MOST_TOKENS) break
    tokens.add(token.replace(LAST_SIGNS, ''))
  }
  return [...tokens]
}
