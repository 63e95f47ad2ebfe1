import { type Path, quote, type TextSpan } from '../../../text/index.ts'
import { valueAt } from '../../../text/path.ts'
import { readsOfGuard } from './guard-reads.ts'
import type { BoardRead } from './flow.ts'
import type { Arc, Layout, ProofNode } from './layout.ts'

/** A place at which a key is read. */
export interface Mention {
  readonly key: string
  /** Which part of its value. */
  readonly path: readonly (string | number)[]
  readonly nodeId: string
  /** Whoever reads it goes on where nothing is there. */
  readonly isOptional?: boolean
  /** It may name a part of an item instead, so that its name is no slip for sure. */
  readonly ofItem?: boolean
  /** What reads it, for people: `node "pay"`. */
  readonly reader: string
  readonly at: Path
  /** The text in which the read stands, where it is a part of one. */
  readonly text?: { readonly whole: string; readonly from: number } | undefined
  /** What the whole key is compared with, and where that stands. */
  readonly compared?: { readonly value: unknown; readonly at: Path } | undefined
}

/** What stands before the key in a read of an expression: that it only asks whether something is there, and the name of the board. */
const BEFORE_KEY = /^(has\s*\(\s*)?(?:board\s*[.[]\s*["']?)?/
/** What stands before the path in a template. */
const BEFORE_PATH = /\{\{[#^]?\s*/g

const cachedMentions = new WeakMap<Layout, readonly Mention[]>()

/** Every place at which a workflow reads its board, but for declared inputs: these are `MISSING_REQUIRED_INPUT`. */
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

/** Where a path begins in a template. */
function pathOffset(path: string, template: string): number | undefined {
  for (const { index, 0: opening } of template.matchAll(BEFORE_PATH)) {
    if (template.startsWith(path, index + opening.length)) return index + opening.length
  }
  return undefined
}

/** Where the guard of an edge reads the board. */
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

/** Where in its text a mention has its key, or the step of its path so far; undefined where it is the whole text. */
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

/** A mention as people write it: `ticket.tags[0]`. */
export function mentionText({ key, path }: Pick<Mention, 'key' | 'path'>): string {
  return path.reduce<string>((text, step) => (typeof step === 'number' ? `${text}[${step}]` : `${text}.${step}`), key)
}
