import type { NodeSource } from '../model/source.ts'
import { quote } from '../../../text/index.ts'
import type { Findings } from './findings.ts'
import { NAME } from './names.ts'
import type { NodeKeys } from './node-keys.ts'
import type { Origin } from './raw.ts'

/** A node in its normal form, before it has an id. */
export interface Draft extends NodeKeys {
  readonly type: string
  readonly origin: Origin
  /** The line on which its code begins. */
  readonly codeLine?: number | undefined
  readonly children: readonly Draft[]
}

/**
 * Gives each node of a tree its id: the one that it states, else `<type>_<line>`, with `_2`, `_3` behind it if another node has that. The ids
 * depend on the text alone. Reports ids that are invalid (E2004) or stated twice (E2005).
 */
export function finishDrafts(roots: readonly Draft[], findings: Findings): NodeSource[] {
  const stated = new Map<string, Draft>()
  for (const draft of preorder(roots)) if (draft.id !== undefined) state(draft, draft.id, stated, findings)
  const taken = new Set(stated.keys())
  const ids = new Map<Draft, string>()
  const counts = new Map<string, number>()
  for (const draft of preorder(roots)) ids.set(draft, draft.id ?? autoId(draft, taken, counts))
  return roots.map((root) => nodeOf(root, ids))
}

function* preorder(drafts: readonly Draft[]): Generator<Draft> {
  for (const draft of drafts) {
    yield draft
    yield* preorder(draft.children)
  }
}

function state(draft: Draft, id: string, stated: Map<string, Draft>, findings: Findings): void {
  if (!NAME.test(id)) {
    const fix = 'begin with a letter, and use only letters, digits, _ and - behind it'
    findings.node('R1224', draft.origin, `${quote(id)} cannot be the id of a node`, { key: 'id', fix, data: { node_id: id } })
  }
  const first = stated.get(id)
  if (first === undefined) {
    stated.set(id, draft)
    return
  }
  const at = first.origin.line === undefined ? '' : ` on line ${first.origin.line}`
  const data = { first_location: first.origin.line ?? null, second_location: draft.origin.line ?? null }
  findings.node('R1225', draft.origin, `the id ${quote(id)} is already that of a node of type ${first.type}${at}`, { key: 'id', data })
}

/** The id that a node gets on a line, without a number behind it. */
export function baseId(type: string, line: number | undefined): string {
  return line === undefined ? type : `${type}_${line}`
}

/** The counts hold the last number behind each base: a search from 2 for each of many nodes on one line takes quadratic time. */
function autoId({ type, origin }: Draft, taken: Set<string>, counts: Map<string, number>): string {
  const base = baseId(type, origin.line)
  let id = base
  let count = counts.get(base) ?? 1
  while (taken.has(id)) id = `${base}_${++count}`
  counts.set(base, count)
  taken.add(id)
  return id
}

function nodeOf(draft: Draft, ids: ReadonlyMap<Draft, string>): NodeSource {
  const { type, name, description, metadata, params, origin, codeLine, children } = draft
  return {
    type,
    id: ids.get(draft) ?? type,
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(origin.line === undefined ? {} : { line: origin.line }),
    ...(codeLine === undefined || codeLine === origin.line ? {} : { code_line: codeLine }),
    ...(Object.keys(params).length === 0 ? {} : { params }),
    ...(children.length === 0 ? {} : { children: children.map((child) => nodeOf(child, ids)) }),
  }
}
