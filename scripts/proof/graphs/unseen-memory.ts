/** Mistakes in memory, made by somebody who had not read the checks. */
import { act, add, type DraftGraph, field, write } from './draft.ts'
import type { Mistakes } from './mistake.ts'
import { binary, both, cluster, compare, constant, either, FLAG, PERCENT, remembered, unary } from './terms.ts'

/** Adds a condition that is true at every event. */
function always(graph: DraftGraph): string {
  add(graph, { m_always: ['boolean_source', { value: true }] })
  return 'm_always.value'
}

/** Adds a Bool key that each event writes. */
function keep(graph: DraftGraph, key: string, next: string): string[] {
  write(graph, `m_save_${key}`, 'bool', key, 'm_always.value', next)
  return [`R1398 m_save_${key}`]
}

/** Adds the next value of a latch: on by `set` until `reset`. */
function latched(graph: DraftGraph, name: string, before: string, set: string, reset: string): string {
  const held = either(graph, `${name}_held`, set, before)
  return both(graph, name, held, unary(graph, `${name}_keep`, 'not', reset))
}

/** Adds a number of the last event, which each event writes. */
function last(graph: DraftGraph, value: string): string {
  write(graph, 'm_save', 'number', 'm_was', always(graph), value)
  return remembered(graph, 'm_last', 'number', 'm_was')
}

/** Adds a list that grows by a value at each event, and its writer. */
function grows(graph: DraftGraph, value: string, key = 'm_series'): string {
  add(graph, { m: ['append', {}, { series: remembered(graph, 'm_list', 'series', key), value }] })
  return 'm.result'
}

export const UNSEEN_MEMORY: Mistakes = {
  'toggle that is an or': (graph) => {
    always(graph)
    const next = either(graph, 'm_next', remembered(graph, 'm_q', 'bool', 'm_on'), field(graph, 'm1', FLAG))
    act(graph, 'm_act', next)
    return keep(graph, 'm_on', next)
  },
  'reset at a fraction of a whole number': (graph) => {
    always(graph)
    const reset = compare(graph, 'm_reset', 'eq', field(graph, 'm2', { type: 'integer', minimum: 0, maximum: 9 }), 2.5)
    const next = latched(graph, 'm_next', remembered(graph, 'm_q', 'bool', 'm_on'), field(graph, 'm1', FLAG), reset)
    act(graph, 'm_act', next)
    return keep(graph, 'm_on', next)
  },
  'reset by a field that no event has': (graph) => {
    always(graph)
    const reset = remembered(graph, 'm_reset', 'bool', 'm_absent')
    const next = latched(graph, 'm_next', remembered(graph, 'm_q', 'bool', 'm_on'), field(graph, 'm1', FLAG), reset)
    act(graph, 'm_act', next)
    return keep(graph, 'm_on', next)
  },
  'locks of which each waits for the other': (graph) => {
    always(graph)
    const value = field(graph, 'm1', FLAG)
    const [a, b] = [remembered(graph, 'm_qa', 'bool', 'm_a'), remembered(graph, 'm_qb', 'bool', 'm_b')]
    const setA = both(graph, 'm_set_a', value, unary(graph, 'm_free_b', 'not', b))
    const setB = both(graph, 'm_set_b', unary(graph, 'm_other', 'not', value), unary(graph, 'm_free_a', 'not', a))
    return [...keep(graph, 'm_a', latched(graph, 'm_next_a', a, setA, b)), ...keep(graph, 'm_b', latched(graph, 'm_next_b', b, setB, a))]
  },
  'set by two conditions that exclude each other': (graph) => {
    const value = field(graph, 'm1', PERCENT)
    always(graph)
    const set = both(graph, 'm_set', compare(graph, 'm_up', 'gt', value, 60), compare(graph, 'm_down', 'lt', value, 40))
    const next = latched(graph, 'm_next', remembered(graph, 'm_q', 'bool', 'm_on'), set, field(graph, 'm2', FLAG))
    return keep(graph, 'm_on', next)
  },
  'latch cluster that is never reset': (graph) => {
    const reset = compare(graph, 'm_below', 'lt', field(graph, 'm2', PERCENT), 0)
    cluster(graph, 'm_latch', 'latch', {}, { set: field(graph, 'm1', FLAG), reset })
    act(graph, 'm_act', 'm_latch.on')
    return ['R1398 m_latch/memory/save']
  },
  'jump from nothing': (graph) => {
    const value = field(graph, 'm1', { type: 'number', minimum: 20, maximum: 90 })
    const jump = binary(graph, 'm_jump', 'subtract', value, last(graph, value))
    act(graph, 'm', compare(graph, 'm_far', 'gt', jump, 10))
    return ['R1398 m']
  },
  'distance from nothing': (graph) => {
    const value = field(graph, 'm1', { type: 'number', minimum: 20, maximum: 90 })
    const jump = unary(graph, 'm_abs', 'abs', binary(graph, 'm_jump', 'subtract', last(graph, value), value))
    act(graph, 'm', compare(graph, 'm_far', 'gte', jump, 5))
    return ['R1398 m']
  },
  'twice of nothing': (graph) => {
    const value = field(graph, 'm1', { type: 'number', minimum: 1, maximum: 90 })
    const double = binary(graph, 'm_double', 'multiply', last(graph, value), constant(graph, 'm_two', 2))
    act(graph, 'm', binary(graph, 'm_more', 'gt', value, double))
    return ['R1398 m']
  },
  'mean of nothing': (graph) => {
    const value = field(graph, 'm1', { type: 'number', minimum: 20, maximum: 90 })
    add(graph, {
      m_list: ['context_series_source', { key: 'm_series' }],
      m_mean: ['mean', {}, { series: 'm_list.value' }],
      m_more: ['append', {}, { series: 'm_list.value', value }],
      m_window: ['window', { size: 5 }, { series: 'm_more.result' }],
    })
    write(graph, 'm_save', 'series', 'm_series', always(graph), 'm_window.result')
    act(graph, 'm', binary(graph, 'm_over', 'gt', value, 'm_mean.result'))
    return ['R1398 m']
  },
  'mean with weights that begins with nothing': (graph) => {
    const value = field(graph, 'm1', { type: 'number', minimum: 20, maximum: 90 })
    const old = remembered(graph, 'm_old', 'number', 'm_mean')
    const kept = binary(graph, 'm_kept', 'multiply', old, constant(graph, 'm_most', 0.9))
    const added = binary(graph, 'm_added', 'multiply', value, constant(graph, 'm_rest', 0.1))
    write(graph, 'm_save', 'number', 'm_mean', always(graph), binary(graph, 'm_next', 'add', kept, added))
    act(graph, 'm', binary(graph, 'm_over', 'gt', value, old))
    return ['R1398 m']
  },
  'list of all values': (graph) => {
    const list = grows(graph, field(graph, 'm1', PERCENT))
    write(graph, 'm_save', 'series', 'm_series', always(graph), list)
    return ['R1399 m']
  },
  'list of its own lengths': (graph) => {
    const series = remembered(graph, 'm_list', 'series', 'm_series')
    add(graph, { m_len: ['len', {}, { series }], m: ['append', {}, { series, value: 'm_len.result' }] })
    write(graph, 'm_save', 'series', 'm_series', field(graph, 'm1', FLAG), 'm.result')
    return ['R1399 m']
  },
  'list that only one of two writers shortens': (graph) => {
    const list = grows(graph, field(graph, 'm1', PERCENT))
    const flag = field(graph, 'm2', FLAG)
    add(graph, { m_window: ['window', { size: 5 }, { series: list }] })
    write(graph, 'm_1', 'series', 'm_series', flag, 'm_window.result')
    write(graph, 'm_2', 'series', 'm_series', unary(graph, 'm_not', 'not', flag), list)
    return ['R1399 m']
  },
  'list through three keys': (graph) => {
    const list = grows(graph, field(graph, 'm1', PERCENT), 'm_k1')
    const when = always(graph)
    write(graph, 'm_1', 'series', 'm_k2', when, list)
    write(graph, 'm_2', 'series', 'm_k3', when, remembered(graph, 'm_list2', 'series', 'm_k2'))
    write(graph, 'm_3', 'series', 'm_k1', when, remembered(graph, 'm_list3', 'series', 'm_k3'))
    return ['R1399 m']
  },
}

export const HARMLESS_MEMORY: Mistakes = {
  'latch that is reset by another latch (no mistake)': (graph) => {
    always(graph)
    const [arm, set, reset] = [field(graph, 'm1', FLAG), field(graph, 'm2', FLAG), field(graph, 'm3', FLAG)]
    const armed = remembered(graph, 'm_qa', 'bool', 'm_armed')
    const on = remembered(graph, 'm_q', 'bool', 'm_on')
    keep(graph, 'm_armed', latched(graph, 'm_next_a', armed, arm, reset))
    keep(graph, 'm_on', latched(graph, 'm_next', on, set, armed))
    return []
  },
  'counter of two bits (no mistake)': (graph) => {
    always(graph)
    const value = field(graph, 'm1', FLAG)
    const [low, high] = [remembered(graph, 'm_q0', 'bool', 'm_low'), remembered(graph, 'm_q1', 'bool', 'm_high')]
    cluster(graph, 'm_next0', 'xor', {}, { a: low, b: value })
    cluster(graph, 'm_next1', 'xor', {}, { a: high, b: both(graph, 'm_carry', low, value) })
    keep(graph, 'm_low', 'm_next0.result')
    keep(graph, 'm_high', 'm_next1.result')
    return []
  },
  'key that is set once by a constant (no mistake)': (graph) => {
    write(graph, 'm_save', 'bool', 'm_on', field(graph, 'm1', FLAG), always(graph))
    return []
  },
  'flag that something has ever happened (no mistake)': (graph) => {
    always(graph)
    const next = either(graph, 'm_next', remembered(graph, 'm_q', 'bool', 'm_ever'), field(graph, 'm1', FLAG))
    keep(graph, 'm_ever', next)
    graph.outputs = { ...graph.outputs, ever: next }
    return []
  },
  'jump that need not be far (no mistake)': (graph) => {
    const value = field(graph, 'm1', PERCENT)
    act(graph, 'm', compare(graph, 'm_far', 'gt', binary(graph, 'm_jump', 'subtract', value, last(graph, value)), 10))
    return []
  },
  'jump after a count of events (no mistake)': (graph) => {
    const value = field(graph, 'm1', { type: 'number', minimum: 20, maximum: 90 })
    const far = compare(graph, 'm_far', 'gt', binary(graph, 'm_jump', 'subtract', value, last(graph, value)), 10)
    cluster(graph, 'm_count', 'count', {}, { when: 'm_always.value' })
    act(graph, 'm', both(graph, 'm_both', far, compare(graph, 'm_later', 'gt', 'm_count.count', 1)))
    return []
  },
  'action at the first three events (no mistake)': (graph) => {
    cluster(graph, 'm_count', 'count', {}, { when: always(graph) })
    act(graph, 'm', compare(graph, 'm_few', 'lte', 'm_count.count', 3))
    return []
  },
  'action until a list is full (no mistake)': (graph) => {
    const value = field(graph, 'm1', PERCENT)
    cluster(graph, 'm_window', 'rolling-window', { size: 4 }, { value, when: always(graph) })
    act(graph, 'm', compare(graph, 'm_few', 'lt', 'm_window.count', 4))
    return []
  },
  'action at each event (no mistake)': (graph) => {
    act(graph, 'm', compare(graph, 'm_all', 'gte', field(graph, 'm1', PERCENT), 0))
    return []
  },
  'window before append (no mistake)': (graph) => {
    const value = field(graph, 'm1', PERCENT)
    add(graph, {
      m_list: ['context_series_source', { key: 'm_series' }],
      m_window: ['window', { size: 5 }, { series: 'm_list.value' }],
      m: ['append', {}, { series: 'm_window.result', value }],
    })
    write(graph, 'm_save', 'series', 'm_series', always(graph), 'm.result')
    return []
  },
  'longer list that is not kept (no mistake)': (graph) => {
    const list = grows(graph, field(graph, 'm1', PERCENT), 'm_given')
    write(graph, 'm_save', 'series', 'm_series', always(graph), list)
    return []
  },
  'list that begins again at each event (no mistake)': (graph) => {
    const list = grows(graph, field(graph, 'm1', PERCENT), 'm_none')
    add(graph, { m_more: ['append', {}, { series: list, value: 'm_m1.value' }] })
    write(graph, 'm_save', 'series', 'm_series', always(graph), 'm_more.result')
    return []
  },
}
