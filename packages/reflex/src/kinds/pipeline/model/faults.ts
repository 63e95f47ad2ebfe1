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
      'Nothing reads the attribute, so it has no effect; it stays in the file. Attributes that Graphviz uses for drawing are never reported. Attributes of the graph can be read as `$name` and `graph.name`, so such an attribute is reported only if nothing uses it and it looks like a misspelling.',
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
      'A value has the wrong type, or a required attribute of a node is missing. A value with which the node would fail, such as a word in place of a number or an unknown join_policy, is an error. Other wrong values are ignored, with a warning. A missing attribute is a warning too: no run may ever enter the node.',
    often: 'a word in place of a number, another spelling of true or false, an unfinished node',
    fix: 'Write a value of the type that the message names, or add the attribute.',
  },
  R1160: {
    title: 'The join of branches could not be inferred',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['pipeline join_inference'],
    means:
      'Reflex infers from the edges where the branches of a parallel node join, with a limited number of steps. This pipeline exceeds the limit, so the branches of the node run to their ends and are not joined.',
    often: 'thousands of parallel nodes whose branches join far away or never',
    fix: 'Write join_target at the parallel node.',
  },
  R1161: {
    title: 'A value from a model or from outside is used unchecked',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['pipeline missing_sanitization'],
    means:
      'A value from a model or from outside reaches a command, a path or an address, and no node checks it before. Reflex confines paths, passes values to commands only as environment variables, and restricts addresses; a check of the value itself is safer.',
    fix: 'Add an output.validate node with a pattern or a json_schema before the use, or let a person review the value.',
  },
  R1162: {
    title: 'A model rewrites a value after it was checked',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['pipeline sanitization_wiped'],
    means:
      'A value was checked. Then a model read it and wrote a new value, which reaches a command, a path or an address. Nothing has checked the new value.',
    fix: 'Check the value after the model.',
  },
  R1163: {
    title: 'An unconfirmed value decides what runs',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['pipeline confidence_gap'],
    means:
      'A value from a model or from outside is used as a program, as changes of the program or as a list of actions. No node before the use validates it, votes on it or asks a person.',
    fix: 'Add a gate, a council or a wait.human with reviews_keys before the use.',
  },
  R1164: {
    title: 'Sensitive data reaches a node for less sensitive data',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['pipeline taint_flow'],
    means:
      'An edge leads from a node with a higher data class to a node with a lower one. It is an error if the author has written the classes of both.',
    often: 'a data_class at only one of two related nodes',
    fix: 'Raise the data_class of the second node, or remove the sensitive values before it.',
  },
  R1165: {
    title: 'An operation of a pipeline cannot be added',
    verdict: 'fail',
    when: BEFORE,
    means:
      'The description of the operation is invalid, or conflicts with another operation: a parameter has an unknown type, an attribute does not exist, or another operation has the same name or type name.',
    often: 'an operation that is registered twice, a type name of Reflex, a misspelt parameter type',
    fix: 'Correct the call of defineOperation that the message names.',
  },
})
