/** Two writers of one key, made by somebody who had not read the checks. */
import { add, type DraftGraph, field, write } from './draft.ts'
import type { Mistakes } from './mistake.ts'
import { binary, both, cluster, compare, constant, FLAG, PERCENT, remembered, unary } from './terms.ts'

/** Adds two writers of one key with their conditions. */
function writers(graph: DraftGraph, one: string, two: string): string[] {
  write(graph, 'm_1', 'number', 'm_key', one, constant(graph, 'm_seven', 7))
  write(graph, 'm_2', 'number', 'm_key', two, constant(graph, 'm_nine', 9))
  return ['R1397 m_1|m_2']
}

const flags = (graph: DraftGraph): [string, string] => [field(graph, 'm1', FLAG), field(graph, 'm2', FLAG)]

export const UNSEEN_WRITERS: Mistakes = {
  'writers of independent flags': (graph) => writers(graph, ...flags(graph)),
  'writer of a flag and of both': (graph) => {
    const [a, b] = flags(graph)
    return writers(graph, a, both(graph, 'm_both', a, b))
  },
  'writers whose limits touch': (graph, dice) => {
    const [value, limit] = [field(graph, 'm1', PERCENT), 1 + dice.below(98)]
    return writers(graph, compare(graph, 'm_up', 'gte', value, limit), compare(graph, 'm_down', 'lte', value, limit))
  },
  'writer of a flag and of the absence of another': (graph) => {
    const [a, b] = flags(graph)
    return writers(graph, a, unary(graph, 'm_not', 'not', b))
  },
  'three writers': (graph) => {
    const facts = writers(graph, ...flags(graph))
    write(graph, 'm_3', 'number', 'm_key', field(graph, 'm3', FLAG), constant(graph, 'm_five', 5))
    return facts.map((fact) => `${fact}|m_3`)
  },
  'writers of which one needs an earlier event': (graph) => {
    const [set, reset] = flags(graph)
    cluster(graph, 'm_latch', 'latch', {}, { set, reset })
    return writers(graph, 'm_latch.on', compare(graph, 'm_up', 'gt', field(graph, 'm3', PERCENT), 50))
  },
  'clusters that share a key': (graph) => {
    cluster(graph, 'm_1', 'rising-edge', { state_key: 'm_key' }, { level: field(graph, 'm1', FLAG) })
    cluster(graph, 'm_2', 'rising-edge', { state_key: 'm_key' }, { level: field(graph, 'm2', FLAG) })
    return ['R1397 m_1/memory/save|m_2/memory/save']
  },
  'writers of fields in an order': (graph) => {
    const [a, b] = [field(graph, 'm1', PERCENT), field(graph, 'm2', PERCENT)]
    return writers(graph, binary(graph, 'm_gte', 'gte', a, b), binary(graph, 'm_lte', 'lte', a, b))
  },
}

export const HARMLESS_WRITERS: Mistakes = {
  'writers for different kinds of events (no mistake)': (graph) => {
    graph.events['m_kind'] = { m2: { schema: FLAG } }
    const one = field({ ...graph, events: { m_other: (graph.events['m_other'] = {}) } }, 'm1', FLAG)
    add(graph, { m_two: ['context_bool_source', { key: 'm2' }] })
    writers(graph, one, 'm_two.value')
    return []
  },
  'writers of a state and of its opposite (no mistake)': (graph) => {
    const [set, reset] = flags(graph)
    cluster(graph, 'm_latch', 'latch', {}, { set, reset })
    writers(graph, 'm_latch.on', unary(graph, 'm_off', 'not', 'm_latch.on'))
    return []
  },
  'writers of neighbouring whole numbers (no mistake)': (graph, dice) => {
    const [value, limit] = [field(graph, 'm1', { type: 'integer', minimum: 0, maximum: 100 }), 1 + dice.below(90)]
    writers(graph, compare(graph, 'm_down', 'lt', value, limit + 1), compare(graph, 'm_up', 'gt', value, limit))
    return []
  },
  'writers of two fields in opposite orders (no mistake)': (graph) => {
    const [a, b] = [field(graph, 'm1', PERCENT), field(graph, 'm2', PERCENT)]
    writers(graph, binary(graph, 'm_ab', 'gt', a, b), binary(graph, 'm_ba', 'gt', b, a))
    return []
  },
  'writers that take turns (no mistake)': (graph) => {
    const value = field(graph, 'm1', FLAG)
    const turn = remembered(graph, 'm_turn', 'bool', 'm_turn')
    const other = unary(graph, 'm_other', 'not', turn)
    write(graph, 'm_switch', 'bool', 'm_turn', value, other)
    writers(graph, both(graph, 'm_mine', value, turn), both(graph, 'm_yours', value, other))
    return []
  },
  'writers whose sums exclude each other (no mistake)': (graph) => {
    const [a, b] = [field(graph, 'm1', PERCENT), field(graph, 'm2', PERCENT)]
    const sum = binary(graph, 'm_sum', 'add', a, b)
    writers(graph, compare(graph, 'm_up', 'gt', sum, 150), compare(graph, 'm_low', 'lt', a, 40))
    return []
  },
  'writer at a stage that is never reached': (graph) => {
    const value = field(graph, 'm1', FLAG)
    write(graph, 'm_save', 'number', 'm_stage', value, constant(graph, 'm_two', 2))
    const late = compare(graph, 'm_late', 'eq', remembered(graph, 'm_at', 'number', 'm_stage'), 1)
    writers(graph, unary(graph, 'm_not', 'not', late), both(graph, 'm_now', value, late))
    return ['R1396 m_2']
  },
  'writers of different keys (no mistake)': (graph) => {
    const [a, b] = flags(graph)
    write(graph, 'm_1', 'bool', 'm_one', a, b)
    write(graph, 'm_2', 'bool', 'm_two', a, b)
    return []
  },
}
