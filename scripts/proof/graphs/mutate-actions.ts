/** Mistakes in conditions: actions that never fire, and two that write one key. */
import { act, add, field, write } from './draft.ts'
import type { Mistakes } from './mistake.ts'
import { both, compare } from './terms.ts'

const PERCENT = { type: 'number', minimum: 0, maximum: 100 }

export const ACTION_MISTAKES: Mistakes = {
  'limit outside the schema': (graph, dice) => {
    act(graph, 'm', compare(graph, 'm_over', dice.pick(['gt', 'gte']), field(graph, 'm1', PERCENT), 101 + dice.below(50)))
    return ['R1396 m']
  },
  'conditions that exclude each other': (graph, dice) => {
    const value = field(graph, 'm1', PERCENT)
    const limit = dice.below(90)
    act(graph, 'm', both(graph, 'm_both', compare(graph, 'm_low', 'lt', value, limit), compare(graph, 'm_high', 'gte', value, limit)))
    return ['R1396 m']
  },
  'no whole number between': (graph, dice) => {
    const value = field(graph, 'm1', { type: 'integer' })
    const limit = dice.below(90)
    act(graph, 'm', both(graph, 'm_both', compare(graph, 'm_low', 'lt', value, limit + 1), compare(graph, 'm_high', 'gt', value, limit)))
    return ['R1396 m']
  },
  'condition and its opposite': (graph) => {
    const value = field(graph, 'm1', { type: 'boolean' })
    add(graph, { m_not: ['not', {}, { value }] })
    act(graph, 'm', both(graph, 'm_both', value, 'm_not.result'))
    return ['R1396 m']
  },
  'key that no event has': (graph) => {
    add(graph, { m_none: ['context_bool_source', { key: 'm_absent' }] })
    act(graph, 'm', both(graph, 'm_both', 'm_none.value', 'm_none.value'))
    return ['R1396 m']
  },
  'two gates that never emit together': (graph) => {
    const value = field(graph, 'm1', PERCENT)
    add(graph, {
      m_cold: ['emit_if_true', {}, { input: compare(graph, 'm_low', 'lt', value, 10) }],
      m_hot: ['emit_if_event_and_true', {}, { event: 'm_cold.event', condition: compare(graph, 'm_high', 'gt', value, 90) }],
      m: ['annotate_action', {}, { event: 'm_hot.event' }],
    })
    return ['R1396 m']
  },
  'state that is never reached': (graph) => {
    const value = field(graph, 'm1', { type: 'boolean' })
    add(graph, {
      m_a: ['context_bool_source', { key: 'm_ka' }],
      m_b: ['context_bool_source', { key: 'm_kb' }],
      m_yes: ['boolean_source', { value: true }],
      m_always: ['or', {}, { a: value, b: value }],
      m_c: ['not', {}, { value: 'm_a.value' }],
    })
    // The second key is set only while the first one is, so it is never true alone.
    write(graph, 'm_set_a', 'bool', 'm_ka', 'm_always.result', 'm_yes.value')
    write(graph, 'm_set_b', 'bool', 'm_kb', both(graph, 'm_with', value, 'm_a.value'), 'm_yes.value')
    act(graph, 'm', both(graph, 'm_alone', 'm_b.value', 'm_c.result'))
    return ['R1396 m']
  },
  'condition that holds for one value (no mistake)': (graph) => {
    const value = field(graph, 'm1', PERCENT)
    act(graph, 'm', both(graph, 'm_both', compare(graph, 'm_low', 'lte', value, 50), compare(graph, 'm_high', 'gte', value, 50)))
    return []
  },
  'writers with overlapping limits': (graph, dice) => {
    const value = field(graph, 'm1', PERCENT)
    const limit = dice.below(40)
    write(graph, 'm_1', 'number', 'm_key', compare(graph, 'm_one', 'gt', value, limit), value)
    write(graph, 'm_2', 'number', 'm_key', compare(graph, 'm_two', 'lt', value, limit + 5), value)
    return ['R1397 m_1|m_2']
  },
  'second writer of a key': (graph, dice) => {
    const writers = Object.entries(graph.nodes).filter(([, { impl }]) => impl?.startsWith('context_set_') === true)
    if (writers.length === 0) return undefined
    const [name, { impl = '', params = {} }] = dice.pick(writers)
    const [event, value] = ['event', 'value'].map(
      (port) => graph.edges.find((edge) => edge.endsWith(`-> ${name}.${port}`))?.split(' ')[0] ?? '',
    )
    if (event === undefined || value === undefined) return undefined
    graph.nodes['m_z'] = { impl, params }
    graph.edges.push(`${event} -> m_z.event`, `${value} -> m_z.value`)
    return [`R1397 m_z|${name}`]
  },
  'writers of different fields': (graph) => {
    const [one, two] = [field(graph, 'm1', { type: 'boolean' }), field(graph, 'm2', PERCENT)]
    write(graph, 'm_1', 'number', 'm_key', both(graph, 'm_is', one, one), two)
    write(graph, 'm_2', 'number', 'm_key', compare(graph, 'm_two', 'gt', two, 50), two)
    return ['R1397 m_1|m_2']
  },
  'writers of results of calculations': (graph) => {
    const [one, two] = [field(graph, 'm1', PERCENT), field(graph, 'm2', PERCENT)]
    add(graph, { m_sum: ['add', {}, { a: one, b: two }] })
    write(graph, 'm_1', 'number', 'm_key', compare(graph, 'm_is', 'gt', 'm_sum.result', 150), two)
    write(graph, 'm_2', 'number', 'm_key', compare(graph, 'm_two', 'gt', two, 60), two)
    return ['R1397 m_1|m_2']
  },
  'writers that exclude each other (no mistake)': (graph, dice) => {
    const value = field(graph, 'm1', PERCENT)
    const limit = dice.below(90)
    write(graph, 'm_1', 'number', 'm_key', compare(graph, 'm_one', 'gt', value, limit), value)
    write(graph, 'm_2', 'number', 'm_key', compare(graph, 'm_two', 'lte', value, limit), value)
    return []
  },
}
