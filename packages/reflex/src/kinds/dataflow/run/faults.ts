import { defineFaults } from '../../../kernel/index.ts'

const RUN = 'while a graph runs'

/** The catalogue entries of running graphs and their channels (R1334, R1337 and R1380 to R1389). */
export const faults = defineFaults({
  R1334: {
    title: 'An event id was taken before',
    verdict: 'fail',
    severity: 'warning',
    when: 'when an event arrives',
    rules: ['dataflow HST-9'],
    means: 'An event with this id has run in this run, so this one is refused: each event has at most one pass.',
    often: 'a source that sends its last events again after a failure, two lines of a file with one id',
    fix: 'Nothing, if it is the same event; otherwise give it an id of its own.',
  },
  R1337: {
    title: 'A graph has no source of events',
    verdict: 'fail',
    when: 'before a run',
    rules: ['dataflow RUN-CANON-1'],
    means:
      'The adapter of the graph declares the events that it takes. The run has no source of them, and no inputs that could be one event.',
    fix: 'Add --events FILE, --events - or --stays, name a process or a timer as ingress in the host file, or give the fields of one event with --input.',
  },
  R1380: {
    title: 'An event has the wrong form',
    verdict: 'fail',
    severity: 'warning',
    when: 'when an event arrives',
    means:
      'An event is an object with event_id, kind, at, semantic_kind and payload, or a line of a fixture. This one is not, so it is refused and no pass runs.',
    often: 'a line that is not JSON, a misspelt key, a time that is not one, a payload that is not an object',
    fix: 'Correct the event and send it again: a refused event does not use up its id.',
  },
  R1381: {
    title: 'An event is too large',
    verdict: 'fail',
    severity: 'warning',
    when: 'when an event arrives',
    means: 'The JSON of an event has more than 1,000,000 characters, or more than 500 levels of objects and lists.',
    fix: 'Send less with one event, or a name by which an effect finds it.',
  },
  R1382: {
    title: 'A channel is not ready',
    verdict: 'fail',
    when: 'before the first event',
    means:
      'The process of a channel has not said that it is ready within 5 seconds, or it does not handle every kind of effect that is routed to it.',
    often: 'the process writes something else to its output first, or ends at once',
    fix: 'Let it write {"type": "ready", "protocol": "reflex-egress.v1", "handled_kinds": […]} as its first line, and everything else to its errors.',
  },
  R1383: {
    title: 'A channel broke the protocol',
    verdict: 'fail',
    when: RUN,
    rules: ['dataflow egress_protocol_violation'],
    means:
      'A channel answered an intent with something else than its acknowledgement. What it has done with the intent is unknown. No further intent is sent.',
    fix: 'Correct the channel; docs/kinds/dataflow.md lists its lines.',
  },
  R1384: {
    title: 'A channel did not acknowledge an intent in time',
    verdict: 'fail',
    when: RUN,
    rules: ['dataflow egress_ack_timeout'],
    means:
      'The time of the route has passed without an acknowledgement. What the channel has done with the intent is unknown. No further intent is sent.',
    fix: 'Raise ack_timeout of the route, or find out why the channel is slow. With "keyed": true an intent is sent once more to a restarted channel.',
  },
  R1385: {
    title: 'A channel has ended or cannot be reached',
    verdict: 'fail',
    when: RUN,
    rules: ['dataflow egress_io'],
    means:
      'The process of a channel ended, or a server could not be reached. What became of the intent is unknown. No further intent is sent.',
    fix: 'Look at what the channel wrote to its errors, which the message quotes.',
  },
  R1386: {
    title: 'A channel refused an intent',
    verdict: 'fail',
    when: RUN,
    means:
      'The channel has understood the intent and has not accepted it: an HTTP status from 400 to 499, or the failure of a tool or a program.',
    fix: 'Correct the intent or the route, then fork the run before it.',
  },
  R1387: {
    title: 'A source of events failed',
    verdict: 'fail',
    when: RUN,
    rules: ['dataflow driver_terminated', 'dataflow protocol_violation', 'dataflow driver_io'],
    means:
      'A process that sends events ended without {"type": "end"}, sent a line that is no frame, or a file of events could not be read. The events before it are handled.',
    fix: 'Correct the source. With a file, resume or start the run again.',
  },
  R1388: {
    title: 'A graph cannot be run as it is configured',
    verdict: 'fail',
    when: 'before a run',
    means:
      'The graph needs an adapter, a route, a channel or an input that is not there, or the configuration names something that does not exist.',
    fix: 'Add what the message names. `reflex validate FILE --write-adapter` writes the adapter that a graph needs.',
  },
})
