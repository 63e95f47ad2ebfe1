/** Mistakes in calculations, made by somebody who had not read the checks. */
import { act, add, type DraftGraph, field, write } from './draft.ts'
import type { Mistakes } from './mistake.ts'
import { binary, cluster, compare, constant, FLAG, PERCENT, remembered, unary } from './terms.ts'

/** Adds a division of 100 by a number, and an action that depends on the quotient. */
function divideBy(graph: DraftGraph, divisor: string): string[] {
  binary(graph, 'm', 'divide', constant(graph, 'm_hundred', 100), divisor)
  act(graph, 'm_act', compare(graph, 'm_much', 'gt', 'm.result', 0.5))
  return ['R1395 m']
}

/** Adds an action that depends on a number. */
function use(graph: DraftGraph, value: string): void {
  act(graph, 'm_act', compare(graph, 'm_much', 'gt', value, 0.5))
}

export const UNSEEN_CALCULATIONS: Mistakes = {
  'divisor is a sum that may be 0': (graph) => {
    const count = { type: 'integer', minimum: 0, maximum: 9 }
    return divideBy(graph, binary(graph, 'm_sum', 'add', field(graph, 'm1', count), field(graph, 'm2', count)))
  },
  'divisor is the distance from a limit': (graph, dice) => {
    const limit = constant(graph, 'm_limit', 1 + dice.below(99))
    return divideBy(graph, binary(graph, 'm_left', 'subtract', limit, field(graph, 'm1', PERCENT)))
  },
  'divisor is chosen by a switch': (graph) => {
    const value = field(graph, 'm1', { type: 'number', minimum: 1, maximum: 9 })
    const inputs = { cond: field(graph, 'm2', FLAG), when_true: value, when_false: constant(graph, 'm_zero', 0) }
    add(graph, { m_choice: ['select', {}, inputs] })
    return divideBy(graph, 'm_choice.result')
  },
  'divisor is the smaller of two': (graph) => {
    const one = field(graph, 'm1', { type: 'number', minimum: 1, maximum: 9 })
    return divideBy(graph, binary(graph, 'm_min', 'min', one, field(graph, 'm2', PERCENT)))
  },
  'divisor is cut off at 0': (graph) => {
    const over = binary(graph, 'm_over', 'subtract', field(graph, 'm1', PERCENT), constant(graph, 'm_ten', 10))
    return divideBy(graph, binary(graph, 'm_cut', 'max', over, constant(graph, 'm_zero', 0)))
  },
  'divisor is a distance': (graph) => {
    return divideBy(graph, unary(graph, 'm_abs', 'abs', field(graph, 'm1', { type: 'number', minimum: -5, maximum: 5 })))
  },
  'divisor is a product of fields that may be 0': (graph) => {
    const [a, b] = [field(graph, 'm1', PERCENT), field(graph, 'm2', { type: 'number', minimum: 1, maximum: 9 })]
    return divideBy(graph, binary(graph, 'm_area', 'multiply', a, b))
  },
  'divisor underflows to 0': (graph) => {
    const small = field(graph, 'm1', { type: 'number', minimum: 1e-200, maximum: 1 })
    return divideBy(graph, binary(graph, 'm_square', 'multiply', small, small))
  },
  'divisor is one of three values': (graph) => {
    return divideBy(graph, field(graph, 'm1', { type: 'integer', enum: [0, 5, 10] }))
  },
  'divisor is the last value, of which there is none': (graph) => {
    const value = field(graph, 'm1', { type: 'number', minimum: 1, maximum: 9 })
    const last = remembered(graph, 'm_last', 'number', 'm_was')
    binary(graph, 'm', 'divide', value, last)
    write(graph, 'm_save', 'number', 'm_was', compare(graph, 'm_all', 'gt', value, 0), value)
    use(graph, 'm.result')
    return ['R1395 m']
  },
  'divisor is the length of a list that begins empty': (graph) => {
    const value = field(graph, 'm1', PERCENT)
    add(graph, {
      m_list: ['context_series_source', { key: 'm_series' }],
      m_more: ['append', {}, { series: 'm_list.value', value }],
      m_last: ['window', { size: 4 }, { series: 'm_more.result' }],
      m_len: ['len', {}, { series: 'm_list.value' }],
    })
    write(graph, 'm_save', 'series', 'm_series', compare(graph, 'm_all', 'gte', value, 0), 'm_last.result')
    return divideBy(graph, 'm_len.result')
  },
  'division in the branch that is not selected': (graph) => {
    const [value, zero] = [field(graph, 'm1', PERCENT), constant(graph, 'm_zero', 0)]
    binary(graph, 'm', 'divide', constant(graph, 'm_one', 1), value)
    const cond = binary(graph, 'm_none', 'eq', value, zero)
    add(graph, { m_safe: ['select', {}, { cond, when_true: zero, when_false: 'm.result' }] })
    use(graph, 'm_safe.result')
    return ['R1395 m']
  },
  'division before the gate that guards it': (graph) => {
    const value = field(graph, 'm1', PERCENT)
    binary(graph, 'm', 'divide', constant(graph, 'm_one', 1), value)
    write(graph, 'm_save', 'number', 'm_key', compare(graph, 'm_some', 'gt', value, 0), 'm.result')
    return ['R1395 m']
  },
  'constants that cancel out': (graph) => {
    return divideBy(graph, binary(graph, 'm_none', 'subtract', constant(graph, 'm_a', 5), constant(graph, 'm_b', 5)))
  },
  'fourth power too large': (graph) => {
    const value = field(graph, 'm1', { type: 'number', minimum: 0, maximum: 1e100 })
    const square = binary(graph, 'm_square', 'multiply', value, value)
    use(graph, binary(graph, 'm', 'multiply', square, square))
    return ['R1395 m']
  },
  'sum of three too large': (graph) => {
    const large = { type: 'number', minimum: 0, maximum: 7e307 }
    const two = binary(graph, 'm_two', 'add', field(graph, 'm1', large), field(graph, 'm2', large))
    use(graph, binary(graph, 'm', 'add', two, field(graph, 'm3', large)))
    return ['R1395 m']
  },
  'difference too large': (graph) => {
    const large = { type: 'number', minimum: -1e308, maximum: 1e308 }
    use(graph, binary(graph, 'm', 'subtract', field(graph, 'm1', large), field(graph, 'm2', large)))
    return ['R1395 m']
  },
  'total too large at the second event': (graph) => {
    const value = field(graph, 'm1', { type: 'number', minimum: 0, maximum: 1e308 })
    const total = binary(graph, 'm', 'add', remembered(graph, 'm_old', 'number', 'm_total'), value)
    write(graph, 'm_save', 'number', 'm_total', compare(graph, 'm_all', 'gte', value, 0), total)
    return ['R1395 m']
  },
  'divisor is 0 at the tenth event': (graph) => {
    const value = field(graph, 'm1', PERCENT)
    cluster(graph, 'm_count', 'count', {}, { when: compare(graph, 'm_all', 'gte', value, 0) })
    return divideBy(graph, binary(graph, 'm_left', 'subtract', constant(graph, 'm_ten', 10), 'm_count.count'))
  },
  'sum of a list too large': (graph) => {
    const value = field(graph, 'm1', { type: 'number', minimum: 0, maximum: 1e308 })
    add(graph, {
      m_list: ['context_series_source', { key: 'm_series' }],
      m_more: ['append', {}, { series: 'm_list.value', value }],
      m_last: ['window', { size: 3 }, { series: 'm_more.result' }],
      m: ['sum', {}, { series: 'm_last.result' }],
    })
    write(graph, 'm_save', 'series', 'm_series', compare(graph, 'm_all', 'gte', value, 0), 'm_last.result')
    use(graph, 'm.result')
    return ['R1395 m']
  },
}

export const HARMLESS_CALCULATIONS: Mistakes = {
  'divisor is 1 and more (no mistake)': (graph) => {
    const distance = unary(graph, 'm_abs', 'abs', field(graph, 'm1', { type: 'number', minimum: -50, maximum: 50 }))
    divideBy(graph, binary(graph, 'm_more', 'add', distance, constant(graph, 'm_one', 1)))
    return []
  },
  'divisor is at least 1 (no mistake)': (graph) => {
    divideBy(graph, binary(graph, 'm_least', 'max', field(graph, 'm1', PERCENT), constant(graph, 'm_one', 1)))
    return []
  },
  'divisor is the distance from a limit outside (no mistake)': (graph, dice) => {
    const limit = constant(graph, 'm_limit', 101 + dice.below(99))
    divideBy(graph, binary(graph, 'm_left', 'subtract', limit, field(graph, 'm1', PERCENT)))
    return []
  },
  'divisor is an odd number (no mistake)': (graph) => {
    const value = field(graph, 'm1', { type: 'integer', minimum: -10, maximum: 10 })
    const even = binary(graph, 'm_even', 'multiply', value, constant(graph, 'm_two', 2))
    divideBy(graph, binary(graph, 'm_odd', 'add', even, constant(graph, 'm_one', 1)))
    return []
  },
  'divisor is one of two values (no mistake)': (graph) => {
    divideBy(graph, field(graph, 'm1', { type: 'integer', enum: [5, 10] }))
    return []
  },
  'divisor counts the events (no mistake)': (graph) => {
    const value = field(graph, 'm1', PERCENT)
    cluster(graph, 'm_count', 'count', {}, { when: compare(graph, 'm_all', 'gte', value, 0) })
    divideBy(graph, 'm_count.count')
    return []
  },
  'divisor is the distance of a stage from another (no mistake)': (graph) => {
    const value = field(graph, 'm1', FLAG)
    write(graph, 'm_save', 'number', 'm_stage', value, constant(graph, 'm_two', 2))
    const stage = remembered(graph, 'm_stage', 'number', 'm_stage')
    divideBy(graph, binary(graph, 'm_left', 'subtract', constant(graph, 'm_five', 5), stage))
    return []
  },
  'divisor is a square and more (no mistake)': (graph) => {
    const value = field(graph, 'm1', { type: 'number', minimum: -100, maximum: 100 })
    const square = binary(graph, 'm_square', 'multiply', value, value)
    divideBy(graph, binary(graph, 'm_more', 'add', square, constant(graph, 'm_one', 1)))
    return []
  },
  'sum that is just not too large (no mistake)': (graph) => {
    const large = { type: 'number', minimum: 0, maximum: 8e307 }
    use(graph, binary(graph, 'm', 'add', field(graph, 'm1', large), field(graph, 'm2', large)))
    return []
  },
  'total of small values (no mistake)': (graph) => {
    const value = field(graph, 'm1', PERCENT)
    const total = binary(graph, 'm', 'add', remembered(graph, 'm_old', 'number', 'm_total'), value)
    write(graph, 'm_save', 'number', 'm_total', compare(graph, 'm_all', 'gt', value, 0), total)
    return []
  },
}
