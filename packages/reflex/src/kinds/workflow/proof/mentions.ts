import { type Path, quote, type TextSpan, valueAt } from '../../../text/index.ts'
import { readsOfGuard } from './guard-reads.ts'
import type { BoardRead } from './flow.ts'
import type { Arc, Layout, ProofNode } from './layout.ts'

/** A place at which a key is read. */
export interface Mention {
  readonly key: string
  /** The path of the part that is read. */
  readonly path: readonly (string | number)[]
  readonly nodeId: string
  /** True if the reader accepts a missing value. */
  readonly isOptional?: boolean
  /** True if the path may name a part of an item instead, so that an unknown name may be right. */
  readonly ofItem?: boolean
  /** The reader, in words: `node "pay"`. */
  readonly reader: string
  readonly at: Path
  /** The text that contains the read, if the read is only a part of it. */
  readonly text?: { readonly whole: string; readonly from: number } | undefined
  /** The value that the whole key is compared with, and its place. */
  readonly compared?: { readonly value: unknown; readonly at: Path } | undefined
}

/** Matches the text before the key in a read of an expression: a test for presence, and the name of the board. */
const BEFORE_KEY = /^(has\s*\(\s*)?(?:board\s*[.[]\s*["']?)?/
/** Matches the text before the path in a template. */
const BEFORE_PATH = /\{\{[#^]?\s*/g

const cachedMentions = new WeakMap<Layout, readonly Mention[]>()

/** Returns every place at which a workflow reads its board, except declared inputs, which are `MISSING_REQUIRED_INPUT`. */
export function mentionsOf(layout: Layout): readonly Mention[] {
  let mentions = cachedMentions.get(layout)
  if (mentions === undefined) cachedMentions.set(layout, (mentions = layout.nodes.flatMap((proofNode) => nodeMentions(layout, proofNode))))
  return mentions
}

function nodeMentions(layout: Layout, { id, node, flow, invokes, outgoing }: ProofNode): Mention[] {
  const reader = `node ${quote(id)}`
  const read = (item: BoardRead): Mention => {
    const key = layout.keyOf(item.path)
    const found = valueAt(node, item.at)
    const from = typeof found === 'string' ? pathOffset(item.path, found) : undefined
    const { equals, at } = item
    return {
      key,
      path: item.path === key ? [] : item.path.slice(key.length + 1).split('.'),
      nodeId: id,
      isOptional: item.optional === true,
      ofItem: item.ofItem === true,
      reader,
      at: ['nodes', id, ...at],
      ...(typeof found === 'string' && from !== undefined ? { text: { whole: found, from } } : {}),
      ...(equals === undefined || item.path !== key ? {} : { compared: { value: equals, at: ['nodes', id, ...at.slice(0, -1), 'value'] } }),
    }
  }
  return [
    ...outgoing.flatMap((arc) => mentionsOfGuard(id, arc)),
    ...[...flow.reads, ...flow.cases.flatMap((decisionCase) => decisionCase.reads)].map(read),
    ...(invokes?.inputMap ?? []).map(
      ({ from }, i): Mention => ({ key: from, path: [], nodeId: id, reader, at: ['nodes', id, 'invokes', 'inputMap', i, 'from'] }),
    ),
  ]
}

/** Returns the offset of a path in a template. */
function pathOffset(path: string, template: string): number | undefined {
  for (const { index, 0: opening } of template.matchAll(BEFORE_PATH)) {
    if (template.startsWith(path, index + opening.length)) return index + opening.length
  }
  return undefined
}

/** Returns the reads of the board in the guard of an edge. */
export function mentionsOfGuard(nodeId: string, { edge, index }: Arc): Mention[] {
  const { guard } = edge
  if (guard === undefined || guard.type === 'custom') return []
  const reader = `the guard of edge ${quote(edge.id)}`
  const at = (field: string): Path => ['edges', index, 'guard', field]
  if (guard.type === 'cel') {
    const { expr } = guard
    return readsOfGuard(guard).flatMap(({ key, path, offset }): Mention[] => {
      if (key === undefined) return []
      const [before = '', asks] = BEFORE_KEY.exec(expr.slice(offset)) ?? []
      const text = { whole: expr, from: offset + before.length }
      return [{ key, path, nodeId, isOptional: asks !== undefined, reader, at: at('expr'), text }]
    })
  }
  const compared = guard.type === 'equals' || guard.type === 'not-equals' ? { value: guard.value, at: at('value') } : undefined
  return [{ key: guard.key, path: [], nodeId, reader, at: at('key'), compared }]
}

/** Returns the span of a key in its text, or of the last of some steps of its path; undefined if it is the whole text. */
export function spanOf({ key, path, text }: Mention, steps = 0): TextSpan | undefined {
  if (text === undefined) return undefined
  let [offset, length] = [text.whole.indexOf(key, text.from), key.length]
  for (const step of path.slice(0, steps)) {
    const word = String(step)
    offset = offset < 0 ? -1 : text.whole.indexOf(word, offset + length)
    length = word.length
  }
  return offset < 0 || length === text.whole.length ? undefined : { offset, length }
}

/** Returns a read in words: `ticket.tags[0]`. */
export function mentionText({ key, path }: Pick<Mention, 'key' | 'path'>): string {
  return path.reduce<string>((text, step) => (typeof step === 'number' ? `${text}[${step}]` : `${text}.${step}`), key)
}
