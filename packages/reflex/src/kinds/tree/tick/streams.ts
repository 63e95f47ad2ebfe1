import { isList, type Json, type Ref, type StepContext } from '../../../kernel/index.ts'
import { textOf } from '../model/text-of.ts'

/** A text that a node writes: the path of the node, the scope in which it is read, and the number of its pieces. */
type Stream = readonly [path: string, scope: Ref | null, count: number]

/** True for the scopes that a reader sees; null is that of the frame. */
export type SeesScope = (scope: Ref | null) => boolean

/**
 * Texts that grow. The board has the pieces, each under a key of its own, so that a record has only what came; the whole is put together when
 * it is read. Each node has a text of its own, also where several write to one key; it is read in the scope of the node.
 */
export class Streams {
  readonly #x: StepContext

  constructor(x: StepContext) {
    this.#x = x
  }

  /** Adds a piece. Returns the whole as readers see it. */
  add(path: string, scope: Ref | null, key: string, piece: string): Json {
    const all = this.#of(key)
    const [, , count] = all.find(([at]) => at === path) ?? [path, scope, 0]
    this.#x.setInternal(pieceKey(path, count), piece)
    this.#keep(key, [...all.filter(([at]) => at !== path), [path, scope, count + 1]])
    return { content: piece, index: count, accumulated: this.#text(path, count + 1) }
  }

  /** Returns the text of a node so far; undefined if it has none. */
  text(path: string, key: string): string | undefined {
    const [, , count] = this.#of(key).find(([at]) => at === path) ?? []
    return count === undefined ? undefined : this.#text(path, count)
  }

  end(path: string, key: string): void {
    const all = this.#of(key)
    const [, , count = 0] = all.find(([at]) => at === path) ?? []
    if (count === 0) return
    for (let i = 0; i < count; i++) this.#x.delete(pieceKey(path, i))
    this.#keep(
      key,
      all.filter(([at]) => at !== path),
    )
  }

  #of(key: string): readonly Stream[] {
    return streamsOf(key, (name) => this.#x.get(name))
  }

  #keep(key: string, all: readonly Stream[]): void {
    if (all.length === 0) this.#x.delete(streamKey(key))
    else this.#x.setInternal(streamKey(key), all)
  }

  #text(path: string, count: number): string {
    return textIn(path, count, (name) => this.#x.get(name))
  }
}

/** Returns the text that grows under a key as { content, index, accumulated }: the one that grew last of those that the reader sees. */
export function streamValue(key: string, read: (key: string) => Json | undefined, sees: SeesScope): Json | undefined {
  const found = streamsOf(key, read).findLast(([, scope]) => sees(scope))
  if (found === undefined) return undefined
  const [path, , count] = found
  return { content: textOf(read(pieceKey(path, count - 1))), index: count - 1, accumulated: textIn(path, count, read) }
}

const NONE: readonly Stream[] = []

function streamsOf(key: string, read: (key: string) => Json | undefined): readonly Stream[] {
  const stored = read(streamKey(key))
  return isList(stored) ? (stored as unknown as readonly Stream[]) : NONE
}

function textIn(path: string, count: number, read: (key: string) => Json | undefined): string {
  let text = ''
  for (let i = 0; i < count; i++) text += textOf(read(pieceKey(path, i)))
  return text
}

function streamKey(key: string): string {
  return `_stream.${key}`
}

function pieceKey(path: string, index: number): string {
  return `_piece.${path}.${index}`
}
