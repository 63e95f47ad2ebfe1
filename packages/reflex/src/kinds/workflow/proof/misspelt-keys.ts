import { type AttributePart, type Path, quote, suggester, type Suggester } from '../../../text/index.ts'
import type { Finding } from './finding.ts'
import { mentionsOf, spanOf } from './mentions.ts'
import { similarKey } from './similar-key.ts'
import type { Layout, ProofNode } from './layout.ts'
import type { Prover } from './prover.ts'

/** The limit of called workflows whose reads are checked. */
const MOST_WORKFLOWS = 200

/** A key that gets a value, on the board of the workflow or of its child. */
interface KeyWrite {
  readonly key: string
  /** The layout of the workflow that owns the board. */
  readonly sheet: Layout
  readonly message: string
  readonly at: Path
  readonly part?: AttributePart | undefined
}

/**
 * Returns the findings about keys that are written, returned or passed down, that the board does not declare, that nothing
 * reads, and that are similar to a declared key: they are probably misspelt (seed workflow 6.3).
 */
export function undeclaredKeys(prover: Prover, layout: Layout): Finding[] {
  const names = new Map<Layout, Suggester>()
  const read = new Map<Layout, ReadonlySet<string> | undefined>()
  const seen = new Set<string>()
  return layout.nodes.flatMap((proofNode) =>
    keyWrites(prover, layout, proofNode).flatMap(({ key, sheet: on, message, at, part }): Finding[] => {
      const { board } = on.workflow
      const id = JSON.stringify(at)
      if (board === undefined || Object.hasOwn(board, key) || seen.has(id)) return []
      seen.add(id)
      if (!names.has(on)) names.set(on, suggester(Object.keys(board)))
      const meant = similarKey(key, names.get(on) ?? suggester([]))
      if (meant === undefined) return []
      if (!read.has(on)) read.set(on, keysRead(prover, on))
      if (read.get(on)?.has(key) !== false) return []
      const fix = `write ${quote(meant)}`
      return [{ rule: 'UNDECLARED_KEY', nodeId: proofNode.id, key, message, path: at, part, fix, guess: () => meant }]
    }),
  )
}

function keyWrites(prover: Prover, layout: Layout, { id, node, flow, invokes }: ProofNode): KeyWrite[] {
  const child = invokes === undefined ? undefined : prover.layoutOf(invokes.workflowId)
  const writes = (key: string): string => `node ${quote(id)} writes ${quote(key)}, which the board does not declare`
  return [
    ...[...flow.writes, ...flow.cases.flatMap((decisionCase) => decisionCase.writes)].flatMap(({ key, at, part }): KeyWrite[] =>
      at === undefined ? [] : [{ key, sheet: layout, message: writes(key), at: ['nodes', id, ...at], part }],
    ),
    ...(node.outputs ?? []).map(
      ({ key }, i): KeyWrite => ({ key, sheet: layout, message: writes(key), at: ['nodes', id, 'outputs', i, 'key'] }),
    ),
    ...(invokes?.returnMap ?? []).map(({ parentKey: key }, i): KeyWrite => {
      const message = `node ${quote(id)} returns a value to ${quote(key)}, which the board does not declare`
      return { key, sheet: layout, message, at: ['nodes', id, 'invokes', 'returnMap', i, 'parentKey'] }
    }),
    ...(invokes?.inputMap ?? []).flatMap(({ to: key }, i): KeyWrite[] => {
      if (child === undefined) return []
      const message = `node ${quote(id)} passes ${quote(key)}, which the board of ${quote(child.workflow.id)} does not declare`
      return [{ key, sheet: child, message, at: ['nodes', id, 'invokes', 'inputMap', i, 'to'] }]
    }),
  ]
}

/**
 * Returns the keys that a workflow reads or declares as inputs, and those that called workflows read from it; undefined if it
 * leads to more workflows than the limit.
 */
function keysRead(prover: Prover, layout: Layout): ReadonlySet<string> | undefined {
  const keys = new Set<string>()
  const all = new Set([layout])
  // A set also visits items that are added during the iteration.
  for (const one of all) {
    if (all.size > MOST_WORKFLOWS) return undefined
    for (const { key } of mentionsOf(one)) keys.add(key)
    for (const { node, invokes } of one.nodes) {
      for (const { key } of node.inputs ?? []) keys.add(key)
      const child = invokes === undefined ? undefined : prover.layoutOf(invokes.workflowId)
      if (child !== undefined) all.add(child)
    }
  }
  return keys
}

/**
 * Returns the findings about keys that are read, that nothing writes or declares, and that are similar to a known key: they are
 * probably misspelt. If a node may write unknown keys, only the keys that the board declares are compared.
 */
export function unknownKeys(layout: Layout): Finding[] {
  const known = new Set(layout.names())
  const names = suggester(layout.writesAnyKey ? Object.keys(layout.workflow.board ?? {}) : known)
  const seen = new Set<string>()
  return mentionsOf(layout).flatMap((mention): Finding[] => {
    const { key, nodeId, reader, at, ofItem } = mention
    if (ofItem || known.has(key)) return []
    const id = JSON.stringify([at, key])
    if (seen.has(id)) return []
    seen.add(id)
    const meant = similarKey(key, names)
    if (meant === undefined) return []
    const message = `${reader} reads ${quote(key)}, which nothing writes`
    const within = spanOf(mention)
    return [{ rule: 'UNKNOWN_KEY', nodeId, key, message, path: at, within, fix: `write ${quote(meant)}`, guess: () => meant }]
  })
}
