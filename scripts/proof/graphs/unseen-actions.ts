/** Mistakes in conditions, made by somebody who had not read the checks. */
import { act, add, type DraftGraph, field, write } from './draft.ts'
import type { Mistakes } from './mistake.ts'
import { binary, both, cluster, compare, constant, FLAG, PERCENT, remembered, unary } from './terms.ts'

/** Adds a second kind of events with one field of its own, which the other kinds do not have. Returns a source of it. */
function otherKind(graph: DraftGraph, key: string): string {
  graph.events['m_kind'] = { [key]: { schema: FLAG } }
  add(graph, { [`m_${key}`]: ['context_bool_source', { key }] })
  return `m_${key}.value`
}

/** Adds two fields that are percentages. */
function pair(graph: DraftGraph): [string, string] {
  return [field(graph, 'm1', PERCENT), field(graph, 'm2', PERCENT)]
}

/** Adds an action, or two writers of one key, with their conditions. */
function never(graph: DraftGraph, condition: string): string[] {
  act(graph, 'm', condition)
  return ['R1396 m']
}

export const UNSEEN_ACTIONS: Mistakes = {
  'whole number equals a fraction': (graph, dice) => {
    return never(graph, compare(graph, 'm_is', 'eq', field(graph, 'm1', { type: 'integer', minimum: 0 }), dice.below(50) + 0.5))
  },
  'number equals two constants': (graph, dice) => {
    const [value, one] = [field(graph, 'm1', PERCENT), dice.below(50)]
    return never(graph, both(graph, 'm_both', compare(graph, 'm_1', 'eq', value, one), compare(graph, 'm_2', 'eq', value, one + 7)))
  },
  'each of two fields is greater': (graph) => {
    const [a, b] = pair(graph)
    return never(graph, both(graph, 'm_both', binary(graph, 'm_1', 'gt', a, b), binary(graph, 'm_2', 'gt', b, a)))
  },
  'three fields in a circle': (graph) => {
    const [a, b] = pair(graph)
    const c = field(graph, 'm3', PERCENT)
    const two = both(graph, 'm_two', binary(graph, 'm_ab', 'gt', a, b), binary(graph, 'm_bc', 'gt', b, c))
    return never(graph, both(graph, 'm_both', two, binary(graph, 'm_ca', 'gt', c, a)))
  },
  'sum above both limits': (graph) => {
    const [a, b] = pair(graph)
    return never(graph, compare(graph, 'm_over', 'gt', binary(graph, 'm_sum', 'add', a, b), 201))
  },
  'double above the limit': (graph) => {
    const double = binary(graph, 'm_double', 'multiply', field(graph, 'm1', PERCENT), constant(graph, 'm_two', 2))
    return never(graph, compare(graph, 'm_over', 'gte', double, 250))
  },
  'value above its own clamp': (graph) => {
    const least = binary(graph, 'm_least', 'min', field(graph, 'm1', PERCENT), constant(graph, 'm_most', 10))
    return never(graph, compare(graph, 'm_over', 'gt', least, 10))
  },
  'smaller of two is greater': (graph) => {
    const [a, b] = pair(graph)
    return never(graph, binary(graph, 'm_over', 'gt', binary(graph, 'm_min', 'min', a, b), a))
  },
  'distance below 0': (graph) => {
    const value = field(graph, 'm1', { type: 'number', minimum: -5, maximum: 5 })
    return never(graph, compare(graph, 'm_below', 'lt', unary(graph, 'm_abs', 'abs', value), 0))
  },
  'constant that is false': (graph) => {
    add(graph, { m_false: ['boolean_source', { value: false }] })
    return never(graph, 'm_false.value')
  },
  'state and its opposite': (graph) => {
    const value = field(graph, 'm1', FLAG)
    cluster(graph, 'm_latch', 'latch', {}, { set: value, reset: unary(graph, 'm_not', 'not', value) })
    return never(graph, both(graph, 'm_both', 'm_latch.on', unary(graph, 'm_off', 'not', 'm_latch.on')))
  },
  'rises and falls at once': (graph) => {
    const level = field(graph, 'm1', FLAG)
    cluster(graph, 'm_rise', 'rising-edge', {}, { level })
    cluster(graph, 'm_fall', 'falling-edge', {}, { level })
    return never(graph, both(graph, 'm_both', 'm_rise.now', 'm_fall.now'))
  },
  'on below the lower limit': (graph) => {
    const value = field(graph, 'm1', PERCENT)
    cluster(graph, 'm_hot', 'hysteresis', { high: 80, low: 70 }, { value })
    return never(graph, both(graph, 'm_both', 'm_hot.on', compare(graph, 'm_below', 'lt', value, 60)))
  },
  'fields of different events': (graph) => {
    const value = field(graph, 'm1', FLAG)
    return never(graph, both(graph, 'm_both', value, otherKind(graph, 'm2')))
  },
  'number that is only written small': (graph) => {
    const value = field(graph, 'm1', FLAG)
    write(graph, 'm_save', 'number', 'm_stage', value, constant(graph, 'm_two', 2))
    return never(graph, compare(graph, 'm_over', 'gt', remembered(graph, 'm_stage', 'number', 'm_stage'), 5))
  },
  'lowest value of none': (graph) => {
    const value = field(graph, 'm1', { type: 'number', minimum: 5, maximum: 100 })
    const less = binary(graph, 'm_less', 'lt', value, remembered(graph, 'm_low', 'number', 'm_lowest'))
    write(graph, 'm', 'number', 'm_lowest', less, value)
    return ['R1396 m']
  },
  'writer that never fires beside one that does': (graph) => {
    const value = field(graph, 'm1', PERCENT)
    write(graph, 'm_1', 'number', 'm_key', compare(graph, 'm_one', 'gt', value, 50), value)
    write(graph, 'm', 'number', 'm_key', compare(graph, 'm_two', 'gt', value, 500), value)
    return ['R1396 m']
  },
  'greater than what is greater': (graph, dice) => {
    const [a, b] = pair(graph)
    const limit = 20 + dice.below(60)
    const apart = both(graph, 'm_apart', compare(graph, 'm_up', 'gt', a, limit), compare(graph, 'm_down', 'lt', b, limit))
    return never(graph, both(graph, 'm_both', apart, binary(graph, 'm_less', 'gt', b, a)))
  },
  'sum of small numbers above a limit': (graph) => {
    const [a, b] = pair(graph)
    const small = both(graph, 'm_small', compare(graph, 'm_1', 'lt', a, 30), compare(graph, 'm_2', 'lte', b, 40))
    return never(graph, both(graph, 'm_both', small, compare(graph, 'm_over', 'gt', binary(graph, 'm_sum', 'add', a, b), 80)))
  },
  'limits of a hysteresis beyond the schema': (graph) => {
    cluster(graph, 'm_hot', 'hysteresis', { high: 800, low: 700 }, { value: field(graph, 'm1', PERCENT) })
    act(graph, 'm', 'm_hot.on')
    return ['R1396 m', 'R1396 m_hot/memory/save']
  },
}

export const HARMLESS_ACTIONS: Mistakes = {
  'whole number equals a whole number (no mistake)': (graph, dice) => {
    const value = field(graph, 'm1', { type: 'integer', minimum: 0, maximum: 99 })
    never(graph, compare(graph, 'm_is', 'eq', value, dice.below(99)))
    return []
  },
  'three fields in a row (no mistake)': (graph) => {
    const [a, b] = pair(graph)
    const c = field(graph, 'm3', PERCENT)
    never(graph, both(graph, 'm_two', binary(graph, 'm_ab', 'gt', a, b), binary(graph, 'm_bc', 'gt', b, c)))
    return []
  },
  'sum at its largest (no mistake)': (graph) => {
    const [a, b] = pair(graph)
    never(graph, compare(graph, 'm_is', 'eq', binary(graph, 'm_sum', 'add', a, b), 200))
    return []
  },
  'greater than what is almost as great (no mistake)': (graph, dice) => {
    const [a, b] = pair(graph)
    const limit = 20 + dice.below(60)
    const near = both(graph, 'm_near', compare(graph, 'm_up', 'gt', a, limit), compare(graph, 'm_down', 'lt', b, limit + 1))
    never(graph, both(graph, 'm_both', near, binary(graph, 'm_less', 'gt', b, a)))
    return []
  },
  'sum of small numbers below a limit (no mistake)': (graph) => {
    const [a, b] = pair(graph)
    const small = both(graph, 'm_small', compare(graph, 'm_1', 'lt', a, 30), compare(graph, 'm_2', 'lte', b, 40))
    never(graph, both(graph, 'm_both', small, compare(graph, 'm_over', 'gt', binary(graph, 'm_sum', 'add', a, b), 69)))
    return []
  },
  'condition that only an absent field has (no mistake)': (graph) => {
    const value = field(graph, 'm1', { type: 'number', minimum: 5, maximum: 100 }, true)
    never(graph, compare(graph, 'm_less', 'lt', value, 1))
    return []
  },
  'condition of the fourth event (no mistake)': (graph) => {
    cluster(graph, 'm_count', 'count', {}, { when: field(graph, 'm1', FLAG) })
    never(graph, compare(graph, 'm_many', 'gt', 'm_count.count', 3))
    return []
  },
  'condition that needs an earlier event (no mistake)': (graph) => {
    const [set, reset] = [field(graph, 'm1', FLAG), field(graph, 'm2', FLAG)]
    cluster(graph, 'm_latch', 'latch', {}, { set, reset })
    never(graph, both(graph, 'm_still', 'm_latch.on', unary(graph, 'm_not', 'not', set)))
    return []
  },
  'number that grows with each event (no mistake)': (graph) => {
    const value = field(graph, 'm1', PERCENT)
    const total = binary(graph, 'm_sum', 'add', remembered(graph, 'm_old', 'number', 'm_total'), value)
    write(graph, 'm_save', 'number', 'm_total', compare(graph, 'm_some', 'gt', value, 0), total)
    never(graph, compare(graph, 'm_over', 'gt', 'm_old.value', 250))
    return []
  },
  'field of another kind of events (no mistake)': (graph) => {
    never(graph, otherKind(graph, 'm2'))
    return []
  },
}
