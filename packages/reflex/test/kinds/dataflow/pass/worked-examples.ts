import type { ValidatedGraph } from '../../../../src/kinds/dataflow/model/graph.ts'
import { graphOf, hostAction } from './graph.ts'

/** The rising edge of reference 9.2. */
export const RISING_EDGE: ValidatedGraph = graphOf(
  {
    level: ['context_bool_source', { key: 'level' }],
    prev: ['context_bool_source', { key: 'prev' }],
    notprev: ['not', {}, { value: 'prev.value' }],
    rise: ['and', {}, { a: 'level.value', b: 'notprev.result' }],
    edge: ['emit_if_true', {}, { input: 'rise.result' }],
    fire: ['ack_action', {}, { event: 'edge.event' }],
    always: ['const_bool', { value: true }],
    tick: ['emit_if_true', {}, { input: 'always.value' }],
    save: ['context_set_bool', { key: 'prev' }, { event: 'tick.event', value: 'level.value' }],
  },
  { fired: 'fire.outcome', rise: 'rise.result' },
  'edge',
)

/** The thermostat of reference 9.3. */
export const THERMOSTAT: ValidatedGraph = graphOf(
  {
    temp: ['context_number_source', { key: 'temp' }],
    q: ['context_bool_source', { key: 'heater_on' }],
    lo: ['number_source', { value: 19 }],
    hi: ['number_source', { value: 21 }],
    cold: ['lte', {}, { a: 'temp.value', b: 'lo.value' }],
    below: ['lt', {}, { a: 'temp.value', b: 'hi.value' }],
    hold: ['and', {}, { a: 'q.value', b: 'below.result' }],
    want: ['or', {}, { a: 'cold.result', b: 'hold.result' }],
    either: ['or', {}, { a: 'want.result', b: 'q.value' }],
    both: ['and', {}, { a: 'want.result', b: 'q.value' }],
    notboth: ['not', {}, { value: 'both.result' }],
    changed: ['and', {}, { a: 'either.result', b: 'notboth.result' }],
    gate: ['emit_if_true', {}, { input: 'changed.result' }],
    act: [hostAction(), { zone: 'hall' }, { event: 'gate.event', on: 'want.result' }],
  },
  { want: 'want.result', changed: 'changed.result', outcome: 'act.outcome' },
  'thermostat',
)

/** The trailing debounce of reference 9.4. */
export const DEBOUNCE: ValidatedGraph = graphOf(
  {
    is_press: ['context_bool_source', { key: 'is_press' }],
    ts: ['context_number_source', { key: 'ts' }],
    pending: ['context_bool_source', { key: 'pending' }],
    last_ts: ['context_number_source', { key: 'last_ts' }],
    quiet: ['number_source', { value: 5 }],
    elapsed: ['subtract', {}, { a: 'ts.value', b: 'last_ts.value' }],
    due: ['gte', {}, { a: 'elapsed.result', b: 'quiet.value' }],
    press: ['and', {}, { a: 'is_press.value', b: 'is_press.value' }],
    no_press: ['not', {}, { value: 'is_press.value' }],
    ripe: ['and', {}, { a: 'pending.value', b: 'due.result' }],
    expire: ['and', {}, { a: 'ripe.result', b: 'no_press.result' }],
    keep: ['not', {}, { value: 'expire.result' }],
    still: ['and', {}, { a: 'pending.value', b: 'keep.result' }],
    pending1: ['or', {}, { a: 'press.result', b: 'still.result' }],
    either: ['or', {}, { a: 'pending1.result', b: 'pending.value' }],
    both: ['and', {}, { a: 'pending1.result', b: 'pending.value' }],
    notboth: ['not', {}, { value: 'both.result' }],
    changed: ['and', {}, { a: 'either.result', b: 'notboth.result' }],
    g_press: ['emit_if_true', {}, { input: 'press.result' }],
    g_chg: ['emit_if_true', {}, { input: 'changed.result' }],
    g_fire: ['emit_if_true', {}, { input: 'expire.result' }],
    set_last: ['context_set_number', { key: 'last_ts' }, { event: 'g_press.event', value: 'ts.value' }],
    set_pend: ['context_set_bool', { key: 'pending' }, { event: 'g_chg.event', value: 'pending1.result' }],
    fire: ['ack_action', {}, { event: 'g_fire.event' }],
  },
  { fired: 'fire.outcome', elapsed: 'elapsed.result', expire: 'expire.result', pending: 'pending1.result' },
  'debounce',
)
