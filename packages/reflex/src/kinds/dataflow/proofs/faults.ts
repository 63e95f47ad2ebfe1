import { type CatalogueEntry, defineFaults } from '../../../kernel/index.ts'

const COMMON = { verdict: 'fail', severity: 'warning', when: 'before a run' } as const

/** The findings of the proofs (R1395 to R1399). */
export const proofFaults = defineFaults({
  R1395: {
    ...COMMON,
    title: 'A calculation of a graph can fail',
    means:
      'For the values that the schemas of the adapter allow, a node divides by 0 or has a result that is too large for a number, at the first event or after equal events in a row. The pass of such an event ends without outputs and effects. The message names values for which this happens. It is an error if it happens for every event.',
    often: 'a field that may be 0, or that an event may leave out: it is read as 0 then',
    fix: 'Use safe_divide, or state "exclusiveMinimum", "minimum" and "maximum" in the schema of the field.',
  },
  R1396: {
    ...COMMON,
    title: 'An action of a graph never fires',
    means:
      'The gates of the action do not emit together for any event that the adapter allows, in any state that the graph can reach. Comparisons of the same numbers are judged together; a key that an action writes is taken from the context, not from the event.',
    often: 'a limit that lies outside the schema of the field, or two conditions that exclude each other',
    fix: 'Correct the condition, or remove the action.',
  },
  R1397: {
    ...COMMON,
    title: 'Two actions write one key in the same pass',
    means:
      'There is an event at which both actions fire. The later one in the order of evaluation wins, and the value of the other is lost. The message names such an event.',
    fix: 'Let one action write the key and select its value before, or make the conditions exclude each other.',
  },
  R1398: {
    ...COMMON,
    title: 'The state of a graph is stuck, or its first event is special',
    means:
      'All states of the Bool keys that the graph can reach were searched, from the first event on, where every key is absent. A key becomes true and then never false again although an action could write false; or an action writes a key that stays false for ever; or an action always fires at the first event because a number that no action has written yet is read as 0. A count, a total or a constant may begin with 0; the last value of a field, or a mean, may not.',
    often: 'a latch that is never reset, or a comparison with the value of the last event without a key that says that there was one',
    fix: 'Correct the condition that resets or sets the key. For the first event, add a Bool key that states whether there is a value.',
  },
  R1399: {
    ...COMMON,
    title: 'A series of a graph grows without a bound',
    means:
      'An action writes a series to a key after `append` has added a value to the series of the same key, and no `window` on the way keeps only the last values. Each event makes the series longer: passes become slower, and the journal grows with the square of the number of events.',
    fix: 'Put `window` between append and the action that writes the key.',
  },
} satisfies Record<string, CatalogueEntry>)
