/** Mistakes in limits of time. */
import { ask, deco, n, wait } from './build.ts'
import { insert, pick, wrap } from './draft.ts'
import type { Mistakes } from './mistake.ts'

const timed = ({ type, params }: { readonly type: string; readonly params?: object }): boolean =>
  (type === 'tool' || type === 'llm_call') && params !== undefined && 'timeout' in params

export const LIMIT_MISTAKES: Mistakes = {
  'timeout around a longer one': (tree, dice) => {
    const node = pick(tree, dice, timed)
    if (node === undefined) return undefined
    const { id } = node
    wrap(node, 'timeout', 'm', { timeout_ms: 70 })
    return [`R1295 ${id}`]
  },
  'execution shorter than an operation': (tree, dice) => {
    const node = pick(tree, dice, timed)
    if (node?.params === undefined) return undefined
    node.params = { ...node.params, timeout: 600_000 }
    tree.max_execution_ms = 500_000
    return [`R1295 ${node.id}`, '?R1295']
  },
  'tick shorter than an operation': (tree, dice) => {
    const node = pick(tree, dice, timed)
    if (node?.params === undefined) return undefined
    node.params = { ...node.params, timeout: 600_000 }
    tree.max_tick_duration_ms = 500_000
    return [`R1295 ${node.id}`, '?R1295']
  },
  'timeout longer than its wait': (tree, dice) => {
    insert(tree, dice, deco('timeout', 'm', { timeout_ms: 5000 }, wait('m_wait', 20)))
    return ['R1295 m']
  },
  'question without a limit': (tree, dice) => {
    delete (tree as { max_execution_ms?: number }).max_execution_ms
    insert(tree, dice, ask('m', 'Well?'))
    return ['R1297 m', '?R1298']
  },
  'call without a limit': (tree, dice) => {
    const node = pick(tree, dice, ({ type, params }) => type === 'call' && params?.timeout !== undefined)
    if (node?.params === undefined) return undefined
    delete node.params.timeout
    return [`R1297 ${node.id}`]
  },
  'another call without a limit': (tree, dice) => {
    delete (tree as { max_execution_ms?: number }).max_execution_ms
    insert(tree, dice, n('call', 'm', { program: 'workflow:refund' }))
    return ['R1297 m']
  },
  'operation without its timeout': (tree, dice) => {
    const node = pick(tree, dice, timed)
    if (node?.params === undefined || tree.max_execution_ms !== undefined) return undefined
    delete node.params.timeout
    return [`R1299 ${node.id}`]
  },
  'oracle without a timeout': (tree, dice) => {
    if (tree.max_execution_ms !== undefined) return undefined
    insert(tree, dice, n('oracle', 'm', { question: 'why?' }))
    return ['R1299 m']
  },
  'search without a timeout': (tree, dice) => {
    if (tree.max_execution_ms !== undefined) return undefined
    insert(tree, dice, n('code_search', 'm', { operation: 'repo_map' }))
    return ['R1299 m']
  },
}
