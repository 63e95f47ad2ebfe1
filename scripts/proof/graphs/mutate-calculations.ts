/** Mistakes in calculations: divisions by 0, and results that no number can hold. */
import { act, add, field, pick } from './draft.ts'
import type { DraftGraph } from './draft.ts'
import type { Mistakes } from './mistake.ts'

/** Makes a number matter: an action depends on it. */
function use(graph: DraftGraph, value: string): void {
  add(graph, { m_limit: ['number_source', { value: 0.5 }], m_is: ['gt', {}, { a: value, b: 'm_limit.value' }] })
  act(graph, 'm_act', 'm_is.result')
}

export const CALCULATION_MISTAKES: Mistakes = {
  'divisor may be 0': (graph, dice) => {
    const [a, b] = [
      field(graph, 'm1', { type: 'number', minimum: 1, maximum: 9 }),
      field(graph, 'm2', { type: 'integer', minimum: 0, maximum: 1 + dice.below(90) }),
    ]
    add(graph, { m: ['divide', {}, { a, b }] })
    use(graph, 'm.result')
    return ['R1395 m']
  },
  'divisor is 0 for one value': (graph, dice) => {
    const b = field(graph, 'm2', { type: 'number', minimum: 0, maximum: 100 })
    add(graph, {
      m_three: ['number_source', { value: 3 }],
      m_some: ['number_source', { value: 3 * (1 + dice.below(30)) }],
      m_triple: ['multiply', {}, { a: b, b: 'm_three.value' }],
      m_off: ['subtract', {}, { a: 'm_triple.result', b: 'm_some.value' }],
      m: ['divide', {}, { a: b, b: 'm_off.result' }],
    })
    use(graph, 'm.result')
    return ['R1395 m']
  },
  'divisor may be absent': (graph) => {
    const b = field(graph, 'm2', { type: 'number', minimum: 1 }, true)
    add(graph, { m_one: ['number_source', { value: 1 }], m: ['divide', {}, { a: 'm_one.value', b }] })
    use(graph, 'm.result')
    return ['R1395 m']
  },
  'divisor is the difference of two fields': (graph) => {
    const range = { type: 'number', minimum: 2, maximum: 7 }
    const [a, b] = [field(graph, 'm1', range), field(graph, 'm2', range)]
    add(graph, { m_gap: ['subtract', {}, { a, b }], m: ['divide', {}, { a, b: 'm_gap.result' }] })
    use(graph, 'm.result')
    return ['R1395 m']
  },
  'divisor is always 0': (graph) => {
    const a = field(graph, 'm1', { type: 'number' })
    add(graph, { m_zero: ['number_source', { value: 0 }], m: ['divide', {}, { a, b: 'm_zero.value' }] })
    use(graph, 'm.result')
    return ['R1395 m']
  },
  'division that is not safe': (graph, dice) => {
    const name = pick(graph, dice, 'safe_divide')
    if (name === undefined) return undefined
    graph.nodes[name] = { impl: 'divide@^0.2' }
    return [`R1395 ${name}`]
  },
  'divisor that is never 0 (no mistake)': (graph) => {
    const b = field(graph, 'm2', { type: 'number', exclusiveMinimum: 0, maximum: 100 })
    add(graph, { m: ['divide', {}, { a: b, b }] })
    use(graph, 'm.result')
    return []
  },
  'divisor that is replaced where it is 0 (no mistake)': (graph) => {
    const b = field(graph, 'm2', { type: 'number', minimum: 0, maximum: 100 })
    add(graph, {
      m_zero: ['number_source', { value: 0 }],
      m_one: ['number_source', { value: 1 }],
      m_none: ['eq', {}, { a: b, b: 'm_zero.value' }],
      m_safe: ['select', {}, { cond: 'm_none.result', when_true: 'm_one.value', when_false: b }],
      m: ['divide', {}, { a: b, b: 'm_safe.result' }],
    })
    use(graph, 'm.result')
    return []
  },
  'product too large': (graph) => {
    const large = { type: 'number', minimum: 0, maximum: 1e200 }
    const [a, b] = [field(graph, 'm1', large), field(graph, 'm2', large)]
    add(graph, { m: ['multiply', {}, { a, b }] })
    use(graph, 'm.result')
    return ['R1395 m']
  },
  'sum too large': (graph) => {
    const large = { type: 'number', minimum: -1.7e308, maximum: 1.7e308 }
    const [a, b] = [field(graph, 'm1', large), field(graph, 'm2', large)]
    add(graph, { m: ['add', {}, { a, b }] })
    use(graph, 'm.result')
    return ['R1395 m']
  },
  'constants too large': (graph) => {
    add(graph, {
      m_large: ['number_source', { value: 1e300 }],
      m: ['multiply', {}, { a: 'm_large.value', b: 'm_large.value' }],
    })
    use(graph, 'm.result')
    return ['R1395 m']
  },
  'quotient too large': (graph) => {
    const b = field(graph, 'm2', { type: 'number', minimum: 1e-200, maximum: 1 })
    add(graph, { m_large: ['number_source', { value: 1e200 }], m: ['divide', {}, { a: 'm_large.value', b }] })
    use(graph, 'm.result')
    return ['R1395 m']
  },
}
