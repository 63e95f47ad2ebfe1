import { type CatalogueEntry, defineFaults } from '../../../kernel/index.ts'

const BEFORE = 'before a run'

/** Returns the names of rules as a catalogue entry lists them. */
function named(...rules: readonly string[]): readonly string[] {
  return rules.map((rule) => `dataflow ${rule}`)
}

/** The faults of events (R1331), adapters and host files (R1351 to R1359), and of a graph with an adapter (R1361 to R1366). */
export const faults = defineFaults({
  R1331: {
    title: 'An event does not fit its schema',
    verdict: 'fail',
    when: 'when an event arrives',
    rules: named(
      'CXT-1',
      'HST-6',
      'UnknownSemanticKind',
      'MissingSemanticKind',
      'MissingPayload',
      'PayloadMustBeObject',
      'PayloadSchemaMismatch',
      'UnsupportedFieldType',
      'MissingContextProvision',
      'ContextTypeMismatch',
    ),
    means:
      'The payload of an event, with the values of the context merged into it, must satisfy the schema that the adapter has for its kind. The event is refused: no pass runs, no id is used up, and the run continues with the next event.',
    often: 'a misspelt field, a number in quotes, null for a missing value, a kind that another adapter declares',
    fix: 'Correct the field that the message names, or declare it in the adapter.',
  },
  R1351: {
    title: 'An adapter is not identified correctly',
    verdict: 'fail',
    when: BEFORE,
    rules: named('ADP-1', 'ADP-2'),
    means: 'An id has lower-case letters, digits and underscores and begins with a letter. A version has three parts, such as 1.0.0.',
    fix: 'Correct the field that the message names.',
  },
  R1352: {
    title: 'An adapter needs another version of the runtime',
    verdict: 'fail',
    when: BEFORE,
    rules: named('ADP-3'),
    means:
      'runtime_compatibility is the oldest version of the runtime for which the adapter was written. This runtime is older, or the text is no version.',
    fix: 'Update Reflex, or state the version that the adapter needs.',
  },
  R1353: {
    title: 'The keys, kinds or effects of an adapter contradict each other',
    verdict: 'fail',
    when: BEFORE,
    rules: named('ADP-4', 'ADP-5', 'ADP-6', 'ADP-7', 'ADP-11', 'ADP-12', 'ADP-14', 'ADP-17'),
    means:
      'An adapter declares at least one key or kind of event, and each name once. A key has one of the types Number, Series, Bool and String and states if it is writable. A writable key is not required, because nothing has written it before the first event, and it needs the effect set_context.',
    fix: 'Correct the declaration that the message names.',
  },
  R1354: {
    title: 'A payload schema of an adapter cannot be used',
    verdict: 'fail',
    when: BEFORE,
    rules: named('ADP-8', 'ADP-13', 'ADP-18', 'ADP-19'),
    means:
      'Schemas are JSON Schema without oneOf, anyOf and references to other documents, and each object states "additionalProperties": false. The schema of an event is an object whose properties are numbers, booleans, strings or lists of numbers; a required property is a context key of the same type.',
    fix: 'Correct the schema, or declare the key that the message names.',
  },
  R1355: {
    title: 'The capture of an adapter cannot be made',
    verdict: 'fail',
    when: BEFORE,
    rules: named('ADP-9', 'ADP-10'),
    means:
      'capture states the version of the format and the fields that are captured: event.KIND for a kind of event, meta.adapter_id, meta.adapter_version, meta.timestamp.',
    fix: 'Correct the field that the message names.',
  },
  R1356: {
    title: 'A host file of a dataflow contradicts itself',
    verdict: 'fail',
    when: BEFORE,
    means:
      'Each route names a channel of the same file, durations are such as 250ms, 5s, 10m or 1h, and limits are stated as the message says.',
    fix: 'Correct the field that the message names.',
  },
  R1357: {
    title: 'An effect has no owner, or two',
    verdict: 'fail',
    when: BEFORE,
    rules: named('HST-5', 'RUN-CANON-2', 'MissingHandler', 'ConflictingCoverage'),
    means:
      'A graph with effects needs an adapter, and so does every run that is not a fixture. Each kind of effect that the graph can emit and the adapter accepts is realized by exactly one of a handler of the host and a route of the host file.',
    often: 'a host file without a route for a new kind of intent, a route for set_context, which Reflex itself applies',
    fix: 'Add or remove the route that the message names.',
  },
  R1358: {
    title: 'A route of the host file is never used',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    means: 'The graph has no action that can emit this kind of effect.',
    fix: 'Remove the route, or correct its kind.',
  },
  R1359: {
    title: 'An effect of a pass cannot be realized',
    verdict: 'fail',
    when: 'after a pass',
    rules: named(
      'HST-1',
      'HST-2',
      'UndeclaredKey',
      'NonWritableKey',
      'TypeMismatch',
      'InvalidValueConversion',
      'UnhandledEffectKind',
      'EffectsWithoutAdapter',
      'LifecycleViolation',
    ),
    means:
      'A write of a pass is applied if the adapter declares its key, as writable and of the same type. An intent is sent if it has one route. Effects before this one have been applied and stay; the run fails.',
    fix: 'Declare the key or the effect in the adapter. `validate` finds this before a run.',
  },
  R1361: {
    title: 'A source reads a key that the adapter does not provide as it needs it',
    verdict: 'fail',
    when: BEFORE,
    rules: named('COMP-1', 'COMP-2', 'SRC-10', 'SRC-11'),
    means: 'Each required key of a source is a context key of the adapter, and each key that the adapter has is of the type of the source.',
    fix: 'Declare the key in the adapter, or correct the key or the type in the graph. `reflex validate --write-adapter` declares it.',
  },
  R1362: {
    title: 'An action writes a key that the adapter does not let it write',
    verdict: 'fail',
    when: BEFORE,
    rules: named('COMP-11', 'COMP-12', 'COMP-13', 'COMP-14', 'COMP-16', 'ACT-14'),
    means:
      'A key that an action writes, also by a mirror write, is declared by the adapter as writable and of the same type, the adapter accepts set_context, and one action writes a key once. "$name" stands for the text in the parameter "name".',
    fix: 'Declare the key in the adapter. `reflex validate --write-adapter` declares it.',
  },
  R1363: {
    title: 'The adapter does not accept an intent of the graph',
    verdict: 'fail',
    when: BEFORE,
    rules: named('COMP-17', 'COMP-18', 'COMP-19'),
    means:
      'accepts.effects has each intent of the graph, with a schema that is a flat object: its properties are the fields of the intent, of type number, boolean, string or list of numbers, and a required property is a field.',
    fix: 'Correct accepts.effects, or the intent. `reflex validate --write-adapter` declares it.',
  },
  R1364: {
    title: 'The capture format of the adapter is unknown',
    verdict: 'fail',
    when: BEFORE,
    rules: named('COMP-3'),
    means: 'This runtime writes captures of format 1.',
    fix: 'Write "format_version": "1".',
  },
  R1365: {
    title: 'The memory of a graph is probably wired wrongly',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    means:
      'A graph remembers by writing a key of the context and reading it at a later event. It can run, but a key is written and never read, read and never provided, written by two actions, or hidden because the schema of an event does not have it.',
    fix: 'Do what the message says. `reflex validate --write-adapter` adds keys to schemas.',
  },
  R1366: {
    title: 'A graph has a rule of dataflows that surprises',
    verdict: 'fail',
    severity: 'info',
    when: BEFORE,
    means:
      'An absent key reads as 0, false, "" or []. The effects of an action follow from its execution: they are performed whatever outcome its function returns.',
    fix: 'Nothing, if it is meant. Else make the field required, or gate the action.',
  },
} satisfies Record<string, CatalogueEntry>)
