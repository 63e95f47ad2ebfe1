/** Mistakes in the shape of trees: names, children, loops, limits. */
import { textOf } from '../../../packages/reflex/src/kinds/tree/model/text-of.ts'
import { act, ask, cond, deco, llm, n, put, seq, wait } from './build.ts'
import { all, insert, pick, slip, wrap } from './draft.ts'
import type { Mistakes } from './mistake.ts'

const leaf = ({ type }: { readonly type: string }): boolean => type === 'action' || type === 'tool' || type === 'llm_call'

export const SHAPE_MISTAKES: Mistakes = {
  'misspelt function': (tree, dice) => {
    const node = pick(tree, dice, ({ type }) => type === 'action')
    if (node?.params === undefined) return undefined
    node.params.fn = slip(textOf(node.params.fn))
    return [`R1203 ${node.id}`]
  },
  'condition of an unknown function': (tree, dice) => {
    insert(tree, dice, n('condition', 'm', { condition: { fn: 'nobody.knows' } }))
    return ['R1203 m']
  },
  'misspelt tool': (tree, dice) => {
    const node = pick(tree, dice, ({ type }) => type === 'tool')
    if (node?.params === undefined) return undefined
    node.params.tool = slip(textOf(node.params.tool))
    return [`R1203 ${node.id}`]
  },
  'misspelt tree': (tree, dice) => {
    const node = pick(tree, dice, ({ type }) => type === 'subtree_ref')
    if (node?.params === undefined) return undefined
    node.params.tree_name = 'reserach'
    return [`R1204 ${node.id}`]
  },
  'reference to a tree that is not there': (tree, dice) => {
    insert(tree, dice, n('subtree_ref', 'm', { tree_name: 'nowhere' }))
    return ['R1204 m']
  },
  'recovery by a tree that is not there': (tree) => {
    tree.recovery_tree = 'rescue'
    return [`R1204 ${tree.id}`]
  },
  'reference to itself': (tree, dice) => {
    insert(tree, dice, n('subtree_ref', 'm', { tree_name: tree.id, share: true }))
    return ['R1232 m']
  },
  'reference to a tree that refers back': (tree, dice, others) => {
    others.push({ format: 1, id: 'back', root: n('subtree_ref', 'b', { tree_name: tree.id, share: true }) })
    insert(tree, dice, n('subtree_ref', 'm', { tree_name: 'back', share: true }))
    return ['R1232 m']
  },
  'cycle of three trees': (tree, dice, others) => {
    others.push({ format: 1, id: 'one', root: n('subtree_ref', 'b', { tree_name: 'two', share: true }) })
    others.push({ format: 1, id: 'two', root: n('subtree_ref', 'b', { tree_name: tree.id, share: true }) })
    insert(tree, dice, n('subtree_ref', 'm', { tree_name: 'one', share: true }))
    return ['R1232 m']
  },
  'call of an unknown tree': (tree, dice) => {
    insert(tree, dice, n('call', 'm', { program: 'nobody', timeout: 1000 }))
    return ['R1280 m']
  },
  'call of an unknown workflow': (tree, dice) => {
    insert(tree, dice, n('call', 'm', { program: 'workflow:nobody', timeout: 1000 }))
    return ['R1280 m']
  },
  'misspelt call': (tree, dice) => {
    const node = pick(tree, dice, ({ type }) => type === 'call')
    if (node?.params === undefined) return undefined
    node.params.program = 'workflow:refnud'
    return [`R1280 ${node.id}`]
  },
  'fail in front of a sequence': (tree, dice) => {
    const node = pick(tree, dice, ({ type }) => type === 'sequence')
    const [first] = node?.children ?? []
    if (node === undefined || first === undefined) return undefined
    node.children = [n('fail', 'm') as never, ...(node.children ?? [])]
    return [`R1281 ${first.id}`, '?R1282']
  },
  'succeed in front of a selector': (tree, dice) => {
    const node = pick(tree, dice, ({ type }) => type.endsWith('selector'))
    const [first] = node?.children ?? []
    if (node === undefined || first === undefined) return undefined
    node.children = [n('succeed', 'm') as never, ...(node.children ?? [])]
    return [`R1281 ${first.id}`]
  },
  'alternative that always succeeds': (tree, dice) => {
    const node = pick(tree, dice, ({ type, children = [] }) => type.endsWith('selector') && children.length > 1)
    const [first, second] = node?.children ?? []
    if (first === undefined || second === undefined) return undefined
    wrap(first, 'always_succeed', 'm')
    return [`R1281 ${second.id}`]
  },
  'step that always fails': (tree, dice) => {
    const node = pick(
      tree,
      dice,
      ({ type, children = [] }) => type === 'sequence' && children.length > 1 && leaf(children[0] ?? { type: '' }),
    )
    const [first, second] = node?.children ?? []
    if (first === undefined || second === undefined) return undefined
    wrap(first, 'always_fail', 'm')
    return [`R1281 ${second.id}`]
  },
  'retry of a wait': (tree, dice) => {
    insert(tree, dice, deco('retry', 'm', { max_retries: 2 }, wait('m_wait', 50)))
    return ['R1282 m']
  },
  'retry without retries': (tree, dice) => {
    const node = pick(tree, dice, leaf)
    if (node === undefined) return undefined
    wrap(node, 'retry', 'm', { max_retries: 0 })
    return ['R1282 m']
  },
  'timeout of a condition': (tree, dice) => {
    const node = pick(tree, dice, ({ type }) => type === 'condition')
    if (node === undefined) return undefined
    wrap(node, 'timeout', 'm', { timeout_ms: 100 })
    return ['R1282 m']
  },
  'inverter of an inverter': (tree, dice) => {
    const node = pick(tree, dice, leaf)
    if (node === undefined) return undefined
    wrap(node, 'inverter', 'm_inner')
    wrap(node, 'inverter', 'm')
    return ['R1282 m']
  },
  'retry of what always fails': (tree, dice) => {
    const target = pick(tree, dice, leaf)
    if (target === undefined) return undefined
    wrap(target, 'always_fail', 'm_fail')
    wrap(target, 'retry', 'm', { max_retries: 2, backoff_ms: 10 })
    wrap(target, 'always_succeed', 'm_go_on')
    return ['R1282 m', '?R1284', '?R1282', '?R1281']
  },
  'retry of a condition at once': (tree, dice) => {
    insert(tree, dice, deco('retry', 'm', { max_retries: 5 }, cond('m_test', 'bb._mode ~= 3')))
    return ['R1283 m']
  },
  'repeat of a condition until it succeeds': (tree, dice) => {
    insert(tree, dice, deco('repeater', 'm', { until_success: true }, cond('m_test', 'bb._mode ~= 3')))
    return ['R1283 m']
  },
  'repeat without an end': (tree) => {
    tree.root = deco('repeater', 'm', {}, seq('m_steps', put('m_put', '_x', 1), n('succeed', 'm_ok'))) as never
    tree.board = { ...boardOr(tree.board), mark: {} }
    ;(all(tree.root)[2] ?? tree.root).params = { key: 'mark', value: 1 }
    delete tree.contract
    return ['R1283 m']
  },
  'retry over a cooldown': (tree, dice) => {
    insert(
      tree,
      dice,
      deco('retry', 'm', { max_retries: 2 }, deco('cooldown', 'm_cool', { cooldown_ms: 1000 }, act('m_act', 'chat.hello'))),
    )
    return ['R1296 m', '?R1296']
  },
  'retry over a cooldown in a timeout': (tree, dice) => {
    const inner = deco('cooldown', 'm_cool', { cooldown_ms: 1000 }, act('m_act', 'chat.hello'))
    insert(tree, dice, deco('retry', 'm', { max_retries: 2, backoff_ms: 10 }, deco('timeout', 'm_time', { timeout_ms: 500 }, inner)))
    return ['R1296 m', '?R1296']
  },
  'retry over a cooldown in a sequence': (tree, dice) => {
    const inner = deco('cooldown', 'm_cool', { cooldown_ms: 1000 }, act('m_act', 'chat.hello'))
    insert(tree, dice, deco('retry', 'm', { max_retries: 1, backoff_ms: 10 }, seq('m_seq', inner, act('m_last', 'chat.hello'))))
    return ['R1296 m', '?R1296']
  },
  'question under a retry': (tree, dice) => {
    insert(
      tree,
      dice,
      deco('retry', 'm', { max_retries: 2 }, ask('m_ask', 'Well?', { options: ['yes', 'no'], fail_on: ['no'], timeout: 1000 })),
    )
    return ['R1298 m_ask']
  },
  'question before what is tried again': (tree, dice) => {
    insert(
      tree,
      dice,
      deco('retry', 'm', { max_retries: 2 }, seq('m_seq', ask('m_ask', 'Well?', { timeout: 9000 }), act('m_act', 'chat.hello'))),
    )
    return ['R1298 m_ask']
  },
  'question in a timeout that is tried again': (tree, dice) => {
    insert(
      tree,
      dice,
      deco('retry', 'm', { max_retries: 2, backoff_ms: 5 }, deco('timeout', 'm_time', { timeout_ms: 5000 }, ask('m_ask', 'Well?'))),
    )
    return ['R1298 m_ask']
  },
  'model in a retry': (tree, dice) => {
    insert(tree, dice, deco('retry', 'm', { max_retries: 2 }, llm('m_llm', 'hello', 'm_reply')))
    return [`R1292 ${tree.id}`]
  },
  'model in a repeater': (tree, dice) => {
    insert(tree, dice, deco('repeater', 'm', { count: 7 }, llm('m_llm', 'hello', 'm_reply')))
    return [`R1292 ${tree.id}`]
  },
  'model for each item': (tree, dice) => {
    tree.board = { ...boardOr(tree.board), m_list: { default: [1, 2] } }
    insert(tree, dice, n('for_each', 'm', { collection_key: 'm_list' }, [llm('m_llm', 'hello ${bb.item}', 'm_reply')]))
    return [`R1292 ${tree.id}`]
  },
}

function boardOr<Board extends object>(board: Board | undefined): Board {
  return (board ?? {}) as Board
}
