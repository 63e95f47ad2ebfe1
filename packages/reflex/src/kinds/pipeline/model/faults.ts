import { defineFaults } from '../../../kernel/index.ts'

const BEFORE = 'before a run'

/**
 * The catalogue entries for compiling a pipeline: attributes (R1106, R1107), joins (R1160), flow of values (R1161 to R1164),
 * operations (R1165).
 */
export const compileFaults = defineFaults({
  R1106: {
    title: 'A pipeline attribute is not known',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['pipeline unknown_attribute'],
    means:
      'Nothing reads the attribute, so it has no effect. It is kept, and so are those by which Graphviz draws, which are never reported. Attributes of the graph are values too, as `$name` and `graph.name`: one of them is reported only if it looks like a misspelling and nothing uses it.',
    often: 'a misspelling, an attribute of a node written at an edge, an attribute that nodes of another type read',
    fix: 'Rename it, move it, or remove it; docs/kinds/pipeline-attributes.md lists all.',
  },
  R1107: {
    title: 'The attributes of a pipeline do not fit its node',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['pipeline typed_schema'],
    means:
      'A value is not of the type that is read, or an attribute is missing without which the node fails when it is executed. A value of a node with which it would fail, such as a word where a number belongs or an unknown join_policy, is an error. The rest is a warning: a value that then counts as not written, and a missing attribute, because pipelines may hold nodes that no run enters.',
    often: 'a word where a number belongs, true and false in another spelling, a node that was begun and not finished',
    fix: 'Write a value of the type that the message names, or add the attribute.',
  },
  R1160: {
    title: 'Where branches join could not be worked out',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['pipeline join_inference'],
    means:
      'The node where the branches of a parallel node meet is inferred from the edges, with a bound on the work. This pipeline goes beyond it, so the branches of the node run to their ends and nothing joins them.',
    often: 'thousands of parallel nodes whose branches meet far away or never',
    fix: 'Write join_target at the parallel node.',
  },
  R1161: {
    title: 'A value from a model or from outside is used unchecked',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['pipeline missing_sanitization'],
    means:
      'What a model or somebody outside wrote comes to a command, a path or an address, and no node on the way checks it. Reflex confines paths, passes values to commands as environment alone and guards addresses; a check of what the value may be is more.',
    fix: 'Put an output.validate node with a pattern or a json_schema between the two, or let a person review the value.',
  },
  R1162: {
    title: 'A model rewrites a value after it was checked',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['pipeline sanitization_wiped'],
    means:
      'A value was checked, then a model read it and wrote a new one, and this comes to a command, a path or an address. The check says nothing of what the model made of it.',
    fix: 'Check the value behind the model.',
  },
  R1163: {
    title: 'Something that nobody has confirmed decides what runs',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['pipeline confidence_gap'],
    means:
      'What a model or somebody outside wrote is used as a program, as changes to the program or as a list of actions. Nothing on the way validates it, votes on it or asks a person.',
    fix: 'Put a gate, a council or a wait.human with reviews_keys between the two.',
  },
  R1164: {
    title: 'Sensitive data comes to a place that is not made for it',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['pipeline taint_flow'],
    means:
      'An edge leads from a node that handles more sensitive data to one that is for less sensitive data. It is an error where the author has written the class of both.',
    often: 'a data_class at one of two nodes that belong together',
    fix: 'Raise the data_class of the second node, or leave the values out before it.',
  },
  R1165: {
    title: 'An operation of a pipeline cannot be added',
    verdict: 'fail',
    when: BEFORE,
    means:
      'The description of the operation is wrong, or it does not fit the others: a parameter of an unknown type, an attribute that nothing has, a name or a type name that another operation has.',
    often: 'an operation that is registered twice, a type name of Reflex, a misspelt parameter type',
    fix: 'Correct the call of defineOperation that the message names.',
  },
})
