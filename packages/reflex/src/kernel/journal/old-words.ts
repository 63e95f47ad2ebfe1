import { isList, isObject, type Json } from './json.ts'
import type { Asker, Ref } from './record.ts'
import { type StatedUsage, usageOfResult } from './usage.ts'

/** The words of journals below format 3, translated when they are read. Records keep their original words. */

/** The askers of questions about an effect, which the kernel asks. */
const EFFECT_ASKERS: ReadonlyMap<string, Asker> = new Map([
  ['doubt', 'outcome'],
  ['engine:budget', 'budget'],
  ['engine:price', 'budget'],
])

const WORKFLOW_ASKERS: ReadonlyMap<string, Asker> = new Map([
  ['way', 'edge'],
  ['engine:error', 'retry'],
])

/** Returns the asker of a wait of a format below 3, which its name shows. `effect`: the effect that the wait is about, if any. */
export function oldAsker(name: string, effect: Ref | undefined): Asker {
  if (effect !== undefined && name === 'outcome') return 'outcome'
  return (effect === undefined ? WORKFLOW_ASKERS : EFFECT_ASKERS).get(name) ?? 'program'
}

/** Returns the asker of a wait of a stored row. Rows of older releases state neither the asker nor the effect. */
export function askerOf({ asker, name }: { readonly asker?: Asker; readonly name: string }): Asker {
  return asker ?? EFFECT_ASKERS.get(name) ?? WORKFLOW_ASKERS.get(name) ?? 'program'
}

/** Formats below 3 do not state usage with an input: it is in the result, for a decision `[edge, writes, { used }]` in the third part. */
export function oldUsage(result: Json): StatedUsage | undefined {
  return usageOfResult(isList(result) ? result[2] : result)
}

/** Formats below 3 do not count steps: a node is entered if the position has another node than before, `node` or `[node, …]`. */
export function entersNode(position: Json, before: Json | undefined): boolean {
  return nodeOf(position) !== nodeOf(before)
}

function nodeOf(position: Json | undefined): Json | undefined {
  return isList(position) ? position[0] : position
}

/** Returns an input of a format below 3 in the words of format 3. */
export function newInput(input: unknown): unknown {
  return isList(input) && input[0] === 'doubt' ? ['unknown', ...input.slice(1)] : input
}

/** Returns the outputs of a record of a format below 3 in the words of format 3. */
export function newOutputs(more: unknown): unknown {
  if (!isObject(more) || more['doubts'] === undefined) return more
  const { doubts, wait, ...others } = more
  const renamed = isList(wait) ? wait.map((one) => (isList(one) && one[1] === 'doubt' ? [one[0], 'outcome', ...one.slice(2)] : one)) : wait
  return { ...others, ...(renamed === undefined ? {} : { wait: renamed }), asks: doubts }
}
