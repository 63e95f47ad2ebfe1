/** Mistakes in memory: keys that are stuck, first events that are special, and series without a bound. */
import { act, add, type DraftGraph, field, write } from './draft.ts'
import type { Mistakes } from './mistake.ts'

const PERCENT = { type: 'number', minimum: 0, maximum: 100 }

/** Adds a latch by hand: on by `set` until `reset`, written when it changes, and an action that it gates. */
function latch(graph: DraftGraph, set: string, reset: string): void {
  add(graph, {
    m_q: ['context_bool_source', { key: 'm_on' }],
    m_held: ['or', {}, { a: set, b: 'm_q.value' }],
    m_keep: ['not', {}, { value: reset }],
    m_next: ['and', {}, { a: 'm_held.result', b: 'm_keep.result' }],
    m_any: ['or', {}, { a: 'm_next.result', b: 'm_q.value' }],
  })
  write(graph, 'm_save', 'bool', 'm_on', 'm_any.result', 'm_next.result')
  act(graph, 'm_act', 'm_next.result')
}

export const MEMORY_MISTAKES: Mistakes = {
  'latch whose reset is outside the schema': (graph) => {
    const [set, value] = [field(graph, 'm1', { type: 'boolean' }), field(graph, 'm2', PERCENT)]
    add(graph, { m_low: ['number_source', { value: -1 }], m_below: ['lt', {}, { a: value, b: 'm_low.value' }] })
    latch(graph, set, 'm_below.result')
    return ['R1398 m_save']
  },
  'latch that is reset by false': (graph) => {
    add(graph, { m_false: ['boolean_source', { value: false }] })
    latch(graph, field(graph, 'm1', { type: 'boolean' }), 'm_false.value')
    return ['R1398 m_save']
  },
  'latch that is reset only while it is off': (graph) => {
    const [set, reset] = [field(graph, 'm1', { type: 'boolean' }), field(graph, 'm2', { type: 'boolean' })]
    add(graph, {
      m_state: ['context_bool_source', { key: 'm_on' }],
      m_off: ['not', {}, { value: 'm_state.value' }],
      m_reset: ['and', {}, { a: reset, b: 'm_off.result' }],
    })
    latch(graph, set, 'm_reset.result')
    return ['R1398 m_save']
  },
  'hysteresis that never lets go': (graph) => {
    const value = field(graph, 'm1', PERCENT)
    graph.nodes['m_hot'] = { cluster: 'hysteresis@^1', params: { high: 80, low: -5 } }
    graph.edges.push(`${value} -> m_hot.value`)
    act(graph, 'm_act', 'm_hot.on')
    return ['R1398 m_hot/memory/save']
  },
  'latch that can be reset (no mistake)': (graph) => {
    latch(graph, field(graph, 'm1', { type: 'boolean' }), field(graph, 'm2', { type: 'boolean' }))
    return []
  },
  'key that stays false': (graph) => {
    const value = field(graph, 'm1', { type: 'boolean' })
    add(graph, {
      m_q: ['context_bool_source', { key: 'm_on' }],
      m_next: ['and', {}, { a: 'm_q.value', b: value }],
      m_any: ['or', {}, { a: 'm_next.result', b: value }],
    })
    write(graph, 'm_save', 'bool', 'm_on', 'm_any.result', 'm_next.result')
    return ['R1398 m_save']
  },
  'key that is written while it cannot be true': (graph) => {
    const value = field(graph, 'm1', PERCENT)
    add(graph, {
      m_half: ['number_source', { value: 50 }],
      m_q: ['context_bool_source', { key: 'm_on' }],
      m_low: ['lt', {}, { a: value, b: 'm_half.value' }],
      m_high: ['gte', {}, { a: value, b: 'm_half.value' }],
      m_next: ['or', {}, { a: 'm_high.result', b: 'm_q.value' }],
    })
    write(graph, 'm_save', 'bool', 'm_on', 'm_low.result', 'm_next.result')
    return ['R1398 m_save']
  },
  'two keys that wait for each other': (graph) => {
    const value = field(graph, 'm1', { type: 'boolean' })
    add(graph, {
      m_qa: ['context_bool_source', { key: 'm_ka' }],
      m_qb: ['context_bool_source', { key: 'm_kb' }],
      m_na: ['and', {}, { a: 'm_qb.value', b: value }],
      m_nb: ['and', {}, { a: 'm_qa.value', b: value }],
      m_when: ['or', {}, { a: value, b: value }],
    })
    write(graph, 'm_save_a', 'bool', 'm_ka', 'm_when.result', 'm_na.result')
    write(graph, 'm_save_b', 'bool', 'm_kb', 'm_when.result', 'm_nb.result')
    return ['R1398 m_save_a', 'R1398 m_save_b']
  },
  'change against nothing': (graph) => {
    const value = field(graph, 'm1', { type: 'number', minimum: 1, maximum: 100 })
    add(graph, { m_last: ['context_number_source', { key: 'm_was' }], m_differs: ['neq', {}, { a: value, b: 'm_last.value' }] })
    write(graph, 'm_save', 'number', 'm_was', 'm_differs.result', value)
    act(graph, 'm', 'm_differs.result')
    return ['R1398 m', 'R1398 m_save']
  },
  'time since nothing': (graph) => {
    const value = field(graph, 'm1', { type: 'integer', minimum: 1_600_000_000, maximum: 2_000_000_000 })
    add(graph, {
      m_gap: ['number_source', { value: 60 }],
      m_last: ['context_number_source', { key: 'm_was' }],
      m_since: ['subtract', {}, { a: value, b: 'm_last.value' }],
      m_due: ['gte', {}, { a: 'm_since.result', b: 'm_gap.value' }],
    })
    write(graph, 'm_save', 'number', 'm_was', 'm_due.result', value)
    return ['R1398 m_save']
  },
  'best of nothing': (graph) => {
    const value = field(graph, 'm1', { type: 'number', minimum: 5, maximum: 100 })
    add(graph, { m_best: ['context_number_source', { key: 'm_was' }], m_more: ['gt', {}, { a: value, b: 'm_best.value' }] })
    write(graph, 'm_save', 'number', 'm_was', 'm_more.result', value)
    return ['R1398 m_save']
  },
  'change with a key that says so (no mistake)': (graph) => {
    const value = field(graph, 'm1', { type: 'number', minimum: 1, maximum: 100 })
    add(graph, {
      m_last: ['context_number_source', { key: 'm_was' }],
      m_has: ['context_bool_source', { key: 'm_had' }],
      m_yes: ['boolean_source', { value: true }],
      m_differs: ['neq', {}, { a: value, b: 'm_last.value' }],
      m_new: ['and', {}, { a: 'm_differs.result', b: 'm_has.value' }],
      m_every: ['or', {}, { a: 'm_differs.result', b: 'm_saved.result' }],
      m_saved: ['eq', {}, { a: value, b: value }],
    })
    write(graph, 'm_save', 'number', 'm_was', 'm_every.result', value)
    write(graph, 'm_save_has', 'bool', 'm_had', 'm_saved.result', 'm_yes.value')
    act(graph, 'm', 'm_new.result')
    return []
  },
  'series without a window': (graph) => {
    const value = field(graph, 'm1', PERCENT)
    add(graph, {
      m_list: ['context_series_source', { key: 'm_series' }],
      m: ['append', {}, { series: 'm_list.value', value }],
      m_when: ['eq', {}, { a: value, b: value }],
    })
    write(graph, 'm_save', 'series', 'm_series', 'm_when.result', 'm.result')
    return ['R1399 m']
  },
  'series through two keys': (graph) => {
    const value = field(graph, 'm1', PERCENT)
    add(graph, {
      m_one: ['context_series_source', { key: 'm_first' }],
      m_two: ['context_series_source', { key: 'm_second' }],
      m: ['append', {}, { series: 'm_one.value', value }],
      m_when: ['eq', {}, { a: value, b: value }],
    })
    write(graph, 'm_save', 'series', 'm_second', 'm_when.result', 'm.result')
    write(graph, 'm_back', 'series', 'm_first', 'm_when.result', 'm_two.value')
    return ['R1399 m']
  },
  'window beside the way': (graph) => {
    const value = field(graph, 'm1', PERCENT)
    add(graph, {
      m_list: ['context_series_source', { key: 'm_series' }],
      m: ['append', {}, { series: 'm_list.value', value }],
      m_more: ['append', {}, { series: 'm.result', value }],
      m_last: ['window', { size: 3 }, { series: 'm_more.result' }],
      m_mean: ['mean', {}, { series: 'm_last.result' }],
      m_when: ['gt', {}, { a: value, b: 'm_mean.result' }],
    })
    write(graph, 'm_save', 'series', 'm_series', 'm_when.result', 'm_more.result')
    return ['R1399 m']
  },
  'series with a window (no mistake)': (graph) => {
    const value = field(graph, 'm1', PERCENT)
    add(graph, {
      m_list: ['context_series_source', { key: 'm_series' }],
      m: ['append', {}, { series: 'm_list.value', value }],
      m_last: ['window', { size: 3 }, { series: 'm.result' }],
      m_when: ['eq', {}, { a: value, b: value }],
    })
    write(graph, 'm_save', 'series', 'm_series', 'm_when.result', 'm_last.result')
    return []
  },
}
