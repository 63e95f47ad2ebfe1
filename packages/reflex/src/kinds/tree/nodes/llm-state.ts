import type { Json } from '../../../kernel/index.ts'
import type { Tick, TreeNode } from '../manifest/behaviour.ts'
import { textOf } from '../model/text-of.ts'

/** The characters of a token, for an estimate while the provider has not reported its usage. */
const CHARACTERS = 4

/** What a node that asks a model keeps from tick to tick. */
export interface Asking {
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** The time of the next attempt; 0 if one is on its way. */
  readonly until: number
  /** The tokens of earlier attempts. */
  readonly used: number
  /** The characters of this attempt so far. */
  readonly characters: number
  /** The reason of an interruption that the next tick carries out. */
  readonly reason?: string | undefined
}

export function askingOf(tick: Tick, node: TreeNode): Asking {
  const [attempt = 1, until = 0, used = 0, characters = 0, reason] = tick.own(node) ?? []
  return {
    attempt: Number(attempt),
    until: Number(until),
    used: Number(used),
    characters: Number(characters),
    reason: reason === undefined ? undefined : textOf(reason),
  }
}

/** Zeros at the end are left out. */
export function keepAsking(tick: Tick, node: TreeNode, { attempt, until, used, characters, reason }: Asking): void {
  const all: Json[] = [attempt, until, used, characters, ...(reason === undefined ? [] : [reason])]
  tick.keep(node, all.slice(0, all.findLastIndex((item) => item !== 0) + 1))
}

/** Counts a request of a node. The count outlives executions, so that no two requests of a run have one id. */
export function countRequest(tick: Tick, node: TreeNode): void {
  tick.keepLasting(node, Number(tick.lasting(node) ?? 0) + 1)
}

/** The id of the last request of a node: its path, and the number of the request. */
export function requestIdOf(tick: Tick, node: TreeNode): string {
  return `${node.path}/${Number(tick.lasting(node) ?? 0)}`
}

/** The tokens of all attempts so far: reported ones, and an estimate for the current one. */
export function estimatedTokens(tick: Tick, node: TreeNode): number {
  const { used, characters } = askingOf(tick, node)
  return used + Math.ceil(characters / CHARACTERS)
}

export function isOverBudget(tick: Tick, node: TreeNode, tokens = estimatedTokens(tick, node)): boolean {
  const { budget_tokens } = node.params
  return budget_tokens !== undefined && tokens > Number(budget_tokens)
}

/** The key under which the answer grows; undefined if nothing reads its pieces. Without `stream_to` nodes cannot read it. */
export function streamKey({ params, path }: TreeNode): string | undefined {
  if (params.stream_to !== undefined) return textOf(params.stream_to)
  return params.on_chunk === undefined ? undefined : `~${path}`
}

/** Forgets what the current attempt has written. */
export function voidText(tick: Tick, node: TreeNode): void {
  const asking = askingOf(tick, node)
  if (asking.characters > 0) keepAsking(tick, node, { ...asking, characters: 0 })
  const key = streamKey(node)
  if (key !== undefined) tick.endStream(node, key)
}

/** Returns what the current attempt has written so far; undefined if nothing of it is known. */
export function partialText(tick: Tick, node: TreeNode): string | undefined {
  const key = streamKey(node)
  return key === undefined ? undefined : tick.streamed(node, key)
}
