/** Mistakes in keys, values and conditions. */
import { textOf } from '../../../packages/reflex/src/kinds/tree/model/text-of.ts'
import { cond, deco, llm, n, par, put, seq, set, tool } from './build.ts'
import { all, type DraftTree, insert, insertFirst, isClosed, keyOf, pick, slip } from './draft.ts'
import type { Mistakes } from './mistake.ts'

/** Declares keys. */
function declare(tree: DraftTree, board: NonNullable<DraftTree['board']>): void {
  tree.board = { ...tree.board, ...board }
}

export const KEY_MISTAKES: Mistakes = {
  'comparison of a key that is not declared': (tree, dice) => {
    insert(tree, dice, cond('m', 'bb.nowhere > 3'))
    return ['R1284 m']
  },
  'argument from a key that is not declared': (tree, dice) => {
    insert(tree, dice, tool('m', 'web_search', 'm_out', { query: 'about ${bb.nowhere}' }))
    return ['R1284 m']
  },
  'prompt from a key that nothing writes': (tree, dice) => {
    insert(tree, dice, n('llm_call', 'm', { prompt_key: 'nowhere', response_key: 'm_out', timeout: 5 }))
    return ['R1284 m']
  },
  'loop over a key that nothing writes': (tree, dice) => {
    insert(tree, dice, n('for_each', 'm', { collection_key: 'nowhere' }, [n('wait', 'm_wait', { wait_ms: 5 })]))
    return ['R1284 m']
  },
  'reader before its writer': (tree, dice) => {
    insert(tree, dice, seq('m_seq', cond('m', '#bb.m_out > 2'), tool('m_tool', 'web_search', 'm_out')))
    return ['R1284 m']
  },
  'writer in one of two branches': (tree, dice) => {
    const choice = n('selector', 'm_sel', {}, [
      tool('m_tool', 'web_search', 'm_out'),
      n('action', 'm_act', { fn: 'chat.hello', contract: {} }),
    ])
    insert(tree, dice, seq('m_seq', choice, tool('m', 'linter', 'm_last', { text: '${bb.m_out}' })))
    return ['R1284 m']
  },
  'misspelt key in an argument': (tree, dice) => {
    const node = pick(tree, dice, ({ type, params }) => type === 'llm_call' && /\$\{bb\.\w+\}/.test(textOf(params?.prompt)))
    if (node?.params === undefined) return undefined
    node.params.prompt = textOf(node.params.prompt).replace(/\$\{bb\.(\w+)\}/, (_, key: string) => `\${bb.${slip(key)}}`)
    return [`R1284 ${node.id}`]
  },
  'text in a number': (tree, dice) => {
    const key = keyOf(tree, dice, ['int', 'float'])
    if (key === undefined) return undefined
    insert(tree, dice, deco('always_succeed', 'm_any', {}, put('m', key, 'many')))
    return [`R1285 m`]
  },
  'number in a flag': (tree, dice) => {
    const key = keyOf(tree, dice, ['bool'])
    if (key === undefined) return undefined
    insert(tree, dice, deco('always_succeed', 'm_any', {}, put('m', key, 1)))
    return [`R1285 m`]
  },
  'expression of the wrong type': (tree, dice) => {
    const key = keyOf(tree, dice, ['int', 'float', 'bool'])
    if (key === undefined) return undefined
    insert(tree, dice, deco('always_succeed', 'm_any', {}, set('m', key, "'many'")))
    return [`R1285 m`]
  },
  'condition beside its writer': (tree) => {
    declare(tree, { m_found: { type: 'int' } })
    insertFirst(tree, par('m_par', {}, put('m_put', 'm_found', 3), cond('m', 'bb.m_found > 2')))
    return ['R1286 m']
  },
  'argument beside its writer': (tree) => {
    insertFirst(tree, par('m_par', {}, tool('m_tool', 'web_search', 'm_out'), tool('m', 'linter', 'm_last', { text: '${bb.m_out}' })))
    return ['R1286 m']
  },
  'prompt beside its writer, deeper': (tree) => {
    const reader = seq('m_seq', n('wait', 'm_wait', { wait_ms: 5 }), llm('m', 'About ${bb.m_out}', 'm_last'))
    insertFirst(tree, par('m_par', {}, reader, tool('m_tool', 'web_search', 'm_out')))
    return ['R1286 m']
  },
  'output that nothing writes': (tree) => {
    if (!isClosed(tree)) return undefined
    tree.contract = { ...tree.contract, outputs: { ...tree.contract?.outputs, m_never: 'any' } }
    if (tree.contract.inputs === undefined) return undefined
    return [`R1287 ${tree.id}`]
  },
  'misspelt output': (tree, dice) => {
    const [key] = Object.keys(tree.contract?.outputs ?? {})
    if (!isClosed(tree) || key === undefined || tree.board?.[key] !== undefined) return undefined
    if (pick(tree, dice, ({ type }) => type === 'subtree_ref') !== undefined) return undefined
    tree.contract = { ...tree.contract, outputs: { [slip(key)]: 'any' } }
    return [`R1287 ${tree.id}`]
  },
  'writer of an output removed': (tree) => {
    if (!isClosed(tree) || tree.id !== 'answer') return undefined
    tree.root = { type: 'wait', id: 'm', params: { wait_ms: 5 } }
    return [`R1287 ${tree.id}`]
  },
  'input of a leaf that nothing produces': (tree, dice) => {
    const node = pick(tree, dice, ({ type, params }) => type === 'action' && params?.contract === undefined)
    if (node === undefined) return undefined
    insert(tree, dice, n('action', 'm', { fn: 'chat.hello', contract: { inputs: { m_in: 'str' } } }))
    return ['R1288 m']
  },
  'input of a sequence that nothing produces': (tree, dice) => {
    insert(tree, dice, n('sequence', 'm', { contract: { inputs: { m_in: 'str' } } }, [n('wait', 'm_wait', { wait_ms: 5 })]))
    return ['R1288 m']
  },
  'input of a tree that is not bound': (tree, dice) => {
    const node = pick(tree, dice, ({ type }) => type === 'subtree_ref')
    if (node?.params === undefined) return undefined
    delete node.params.bind
    return [`R1288 ${node.id}`]
  },
  'bound key that the tree does not declare': (tree, dice) => {
    const node = pick(tree, dice, ({ type }) => type === 'subtree_ref')
    if (node?.params === undefined) return undefined
    node.params.bind = { topic: 'subject', m_key: 'subject' }
    return [`R1289 ${node.id}`]
  },
  'misspelt bound key': (tree, dice) => {
    const node = pick(tree, dice, ({ type }) => type === 'subtree_ref')
    if (node?.params === undefined) return undefined
    node.params.bind = { tpoic: 'subject' }
    return [`R1289 ${node.id}`, `R1288 ${node.id}`]
  },
  'output of a tree that is not declared': (tree, dice) => {
    if (tree.id === 'research' || tree.contract?.outputs?.report !== undefined || tree.board?.report !== undefined) return undefined
    if (tree.contract === undefined) return undefined
    const inputs = Object.keys(tree.contract.inputs ?? {})
    insert(tree, dice, n('subtree_ref', 'm', { tree_name: 'research', bind: { topic: inputs[0] ?? '' } }))
    return ['R1289 m']
  },
  'two writers under fail': (tree, dice) => {
    declare(tree, { m_key: {} })
    insert(tree, dice, par('m', { merge_strategy: 'fail' }, put('m_a', 'm_key', 1), put('m_b', 'm_key', 2)))
    return ['R1290 m']
  },
  'two tools of one output under fail': (tree, dice) => {
    insert(tree, dice, par('m', { merge_strategy: 'fail' }, tool('m_a', 'web_search', 'm_out'), seq('m_s', tool('m_b', 'linter', 'm_out'))))
    return ['R1290 m']
  },
  'two writers of a key that must not conflict': (tree, dice) => {
    declare(tree, { m_key: {} })
    insert(tree, dice, par('m', { per_key_strategies: { m_key: 'fail' } }, put('m_a', 'm_key', 1), put('m_b', 'm_key', 2)))
    return ['R1290 m']
  },
  'collected numbers': (tree, dice) => {
    declare(tree, { m_key: { type: 'int' } })
    insert(tree, dice, par('m', {}, put('m_a', 'm_key', 1), put('m_b', 'm_key', 2)))
    return ['R1291 m']
  },
  'merged texts': (tree, dice) => {
    declare(tree, { m_key: { type: 'str' } })
    insert(tree, dice, par('m', { merge_strategy: 'merge_dict' }, put('m_a', 'm_key', 'a'), put('m_b', 'm_key', 'b')))
    return ['R1291 m']
  },
  'one collected flag': (tree, dice) => {
    declare(tree, { m_key: { type: 'bool' } })
    const strategies = { merge_strategy: 'last_wins', per_key_strategies: { m_key: 'collect' } }
    insert(tree, dice, par('m', strategies, put('m_a', 'm_key', true), put('m_b', 'm_key', false)))
    return ['R1291 m']
  },
  'condition against its guard': (tree, dice) => {
    const key = keyOf(tree, dice, ['int', 'float'])
    if (key === undefined) return undefined
    insert(tree, dice, deco('guard', 'm_guard', { condition: `bb.${key} < 3` }, cond('m', `bb.${key} > 5`)))
    return ['R1293 m']
  },
  'condition of numbers alone': (tree, dice) => {
    insert(tree, dice, deco('always_succeed', 'm_any', {}, cond('m', '1 == 2')))
    return ['R1293 m']
  },
  'condition behind a write of another value': (tree, dice) => {
    declare(tree, { m_key: { type: 'int' } })
    insert(tree, dice, deco('always_succeed', 'm_any', {}, seq('m_seq', put('m_put', 'm_key', 1), cond('m', 'bb.m_key == 2'))))
    return ['R1293 m']
  },
  'word that is not in the enum': (tree, dice) => {
    declare(tree, { m_key: { type: { enum: ['red', 'green'] }, default: 'red' } })
    insert(tree, dice, deco('always_succeed', 'm_any', {}, cond('m', "bb.m_key == 'blue'")))
    return ['R1293 m']
  },
  'condition that the one before implies': (tree, dice) => {
    const key = keyOf(tree, dice, ['int', 'float'])
    if (key === undefined) return undefined
    insert(tree, dice, seq('m_seq', cond('m_first', `bb.${key} > 10`), cond('m', `bb.${key} >= 5`)))
    return ['R1293 m', '?R1293']
  },
  'number in quotes': (tree, dice) => {
    const key = keyOf(tree, dice, ['int', 'float'])
    if (key === undefined) return undefined
    insert(tree, dice, cond('m', `bb.${key} > '5'`))
    return ['R1294 m']
  },
  'flag compared with a text': (tree, dice) => {
    const key = keyOf(tree, dice, ['bool'])
    if (key === undefined) return undefined
    insert(tree, dice, cond('m', `bb.${key} == 'true'`))
    return ['R1294 m']
  },
  'text compared with a number': (tree, dice) => {
    declare(tree, { m_key: { type: 'str', default: 'a' } })
    insert(tree, dice, cond('m', 'bb.m_key < 5'))
    return ['R1294 m']
  },
}

/** The names of functions and tools in trees. */
export function namesIn(trees: readonly DraftTree[], parameter: 'fn' | 'tool'): string[] {
  return [
    ...new Set(
      trees.flatMap(({ root }) =>
        all(root).flatMap(({ params }) => (params?.[parameter] === undefined ? [] : [textOf(params[parameter])])),
      ),
    ),
  ]
}
