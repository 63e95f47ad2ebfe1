import { type CatalogueEntry, defineFaults } from '../../../kernel/index.ts'

const BEFORE = 'before a run'

/** Returns the names of rules as a catalogue entry lists them. */
function named(rules: string): readonly string[] {
  return rules.split(' ').map((rule) => `dataflow ${rule}`)
}

/** The faults of the manifests of primitives, of the catalog, and of the values of parameters (R1341 to R1348). */
export const faults = defineFaults({
  R1341: {
    title: 'A primitive is not identified correctly',
    verdict: 'fail',
    when: BEFORE,
    rules: named('SRC-1 CMP-1 TRG-1 ACT-1 SRC-2 CMP-2 TRG-2 ACT-2 SRC-3 CMP-3 TRG-3 ACT-3'),
    means:
      'An id has lower-case letters, digits and underscores and begins with a letter. A version has three parts, such as 1.0.0. The kind is that of the function.',
    fix: 'Correct the field that the message names.',
  },
  R1342: {
    title: 'The ports of a primitive do not fit its kind',
    verdict: 'fail',
    when: BEFORE,
    rules: named(
      'SRC-4 CMP-4 TRG-4 ACT-4 CMP-5 TRG-5 ACT-5 CMP-13 TRG-6 ACT-6 CMP-14 TRG-12 SRC-5 CMP-6 TRG-7 ACT-7 SRC-6 CMP-7 ACT-8 SRC-7 CMP-20 TRG-8 ACT-9 X.6 X.7 X.8',
    ),
    means:
      'A source has no inputs and one or more scalar outputs. A compute has one or more of both. A trigger has one or more inputs and one Event output. An action has an Event input and one Event output, "outcome". Names are unique, and an input takes one edge.',
    fix: 'Change the ports, or the kind of the primitive.',
  },
  R1343: {
    title: 'A primitive states what its kind forbids',
    verdict: 'fail',
    when: BEFORE,
    rules: named(
      'SRC-8 CMP-9 TRG-9 TRG-STATE-1 ACT-10 SRC-9 CMP-8 TRG-10 ACT-11 SRC-12 CMP-17 TRG-11 ACT-17 SRC-13 CMP-16 CMP-10 ACT-16 R.5',
    ),
    means:
      'Every primitive is deterministic and keeps no state. Only actions have side effects, and an action cannot be retried. Memory is a key of the context that an action writes and a source reads in a later event.',
    often: 'a primitive that should be split: a source that reads, a compute that decides, an action that acts',
    fix: 'State what the message names, and write the function so that it is true.',
  },
  R1344: {
    title: 'A parameter of a primitive is not declared correctly',
    verdict: 'fail',
    when: BEFORE,
    rules: named('SRC-15 CMP-19 TRG-14 ACT-19 CMP-15 X.10'),
    means:
      'A parameter has one declaration and a default of its type, or none. A compute takes Number, Int and Bool. An Enum lists its values.',
    fix: 'Correct the declaration.',
  },
  R1345: {
    title: 'A key names a parameter that cannot hold it',
    verdict: 'fail',
    when: BEFORE,
    rules: named('SRC-16 SRC-17 ACT-20 ACT-21'),
    means: '"$name" stands for the key that the String parameter "name" holds. The primitive has no such parameter, or it is no String.',
    fix: 'Declare the parameter as a String, or write the key without "$".',
  },
  R1346: {
    title: 'The effects of an action do not fit its ports',
    verdict: 'fail',
    when: BEFORE,
    rules: named('ACT-13 ACT-14 ACT-15 ACT-22 ACT-23 ACT-24 ACT-25 ACT-26 ACT-27 ACT-28 ACT-29 ACT-30 ACT-31 ACT-32 ACT-33'),
    means:
      'The writes and intents of an action take their values from its inputs and parameters. Each name occurs once, each field has one origin, and types are equal. The origin is a required input, because a value must be there.',
    fix: 'Correct the write, the intent or the field that the message names.',
  },
  R1347: {
    title: 'Two primitives have one id',
    verdict: 'fail',
    when: BEFORE,
    rules: named('SRC-14 CMP-18 TRG-13 ACT-18'),
    means: 'A catalog has one primitive for an id. One that allows several versions has one for an id and a version.',
    often: 'a primitive of the host with the id of a built-in one',
    fix: 'Rename one of them.',
  },
  R1348: {
    title: 'A parameter cannot have this value',
    verdict: 'fail',
    when: BEFORE,
    rules: named('I.4 X.11'),
    means:
      'The type of a value is that of the parameter. JSON does not distinguish 4 and 4.0, so the declaration decides. An Int is at most 2^53, because beyond it not every integer is a number.',
    fix: 'Write a value of the type that the message names.',
  },
  R1349: {
    title: 'A primitive that a file declares has no function',
    verdict: 'fail',
    when: BEFORE,
    means:
      'A *.primitive.json beside a graph can only declare an action: its manifest says all of its effects, so it needs no function. A source, a compute and a trigger compute something.',
    fix: 'Give the primitive to Reflex with definePrimitive(manifest, function), or declare an action.',
  },
} satisfies Record<string, CatalogueEntry>)
