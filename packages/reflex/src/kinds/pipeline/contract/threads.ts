import { type StepContext, isList, type Json } from '../../../kernel/index.ts'
import type { ContentPart, ModelMessage } from '../../../models/index.ts'
import type { StoredFile } from './conversation.ts'
import type { Turn } from './outcome.ts'
import { RESUMED } from './engine-board.ts'

type Board = Pick<StepContext, 'get' | 'set'>

/**
 * Adds a turn to a conversation under its own key, so nothing is written twice. A branch adds to its own copy of a
 * conversation, which ends with the branch (reference pipeline 6.5).
 */
export function storeTurn(x: Board, round: number, { thread, messages }: Turn): void {
  const n = countOf((key) => x.get(key), round, thread)
  const kept = messages.map((message) => storeFiles(x, message))
  x.set(turnKey(n, thread), kept)
  x.set(threadKeyOf(thread), [round, n + 1])
  if (x.get(RESUMED) === true) x.set(RESUMED, false)
}

/** Stores the files of a message under their hashes: the next execution overwrites the answers of this one. */
function storeFiles(x: Board, message: ModelMessage): ModelMessage {
  if (message.role !== 'user' || message.parts === undefined) return message
  const parts = (message.parts as readonly (ContentPart | StoredFile)[]).map((part) => {
    if (!('at' in part)) return part
    const at = `#file/${part.hash ?? ''}`
    if (x.get(at) === undefined) x.set(at, x.get(part.at) ?? null)
    return { ...part, at }
  })
  return { ...message, parts: parts as readonly ContentPart[] }
}

/** Returns the turns of a conversation, oldest first. Each round of a run has its own. */
export function turnsOf(read: (key: string) => Json | undefined, round: number, thread: string): readonly (readonly ModelMessage[])[] {
  return Array.from({ length: countOf(read, round, thread) }, (_, n) => {
    const turn = read(turnKey(n, thread))
    return isList(turn) ? (turn as unknown as readonly ModelMessage[]) : []
  })
}

function countOf(read: (key: string) => Json | undefined, round: number, thread: string): number {
  const kept = read(threadKeyOf(thread))
  const [of, count] = isList(kept) ? kept : []
  return of === round && typeof count === 'number' ? count : 0
}

function threadKeyOf(thread: string): string {
  return `#thread/${thread}`
}

function turnKey(n: number, thread: string): string {
  return `#turn/${n}/${thread}`
}
