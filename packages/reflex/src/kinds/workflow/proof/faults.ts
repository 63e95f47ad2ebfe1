import { defineFaults } from '../../../kernel/index.ts'

const BEFORE = 'before a run'

/** Faults that proofs find in a workflow without a run. */
export const proofFaults = defineFaults({
  R1061: {
    title: 'Some state leaves a node without an open edge',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['workflow NO_VALID_EDGE'],
    means:
      'A run can reach this node with the shown board, and then no edge of the node is open: the agent has no edge to choose, and the run ' +
      'suspends. A guard whose expression fails does not open its edge either.',
    often: 'a value that no guard covers, a key that is missing on some path, two guards with a gap between them',
    fix: 'Add an edge for the shown state, or an edge without a guard. If a caller always provides the key, declare it as an input with "required" and "inherited".',
  },
  R1062: {
    title: 'An edge is never open',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['workflow DEAD_EDGE'],
    means:
      'The guard of the edge passes in no state that a run can have at this node: the key cannot have the value, no earlier node writes the key, ' +
      'or an earlier guard excludes it. A decision cannot open its own edges: guards read the board as it was before the decision.',
    often: 'a misspelt value, a guard on a key that the same node writes, a guard that contradicts an earlier one',
    fix: 'Correct the guard, write the value that it needs at an earlier node, or remove the edge.',
  },
  R1063: {
    title: 'A value is read that some path does not write',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['workflow READ_BEFORE_WRITE'],
    means: 'On the shown path, all guards can be open and no node writes the key before this read. A run on this path fails here.',
    often: 'a branch that skips the writing node, an output that is not always written, a child that does not always return the key',
    fix: 'Write the key on each path, guard the edge with "exists", give the read an "else", or declare the key as an input with "inherited": true.',
  },
  R1064: {
    title: 'A key is read that nothing writes, and a similar key is written',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['workflow UNKNOWN_KEY'],
    means: 'No node writes or returns the key and no declaration names it. It may be an input, but it is probably misspelt.',
    often: 'a misspelt key, a key that was renamed in one place',
    fix: 'Correct the name, or declare the key as an input with "inherited": true.',
  },
  R1065: {
    title: 'A call does not provide what its child needs',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['workflow MISSING_CALL_INPUT'],
    means:
      'A node of the child declares a required input that is not inherited. The child does not write it, and neither the caller nor the input map of the call provides it.',
    often: 'a misspelt key, a missing input map',
    fix: 'Write the key before the call, pass it with "inputMap", or declare it in the child as "inherited": true.',
  },
  R1066: {
    title: 'A call never returns',
    verdict: 'fail',
    when: BEFORE,
    rules: ['workflow ENDLESS_RECURSION'],
    means: 'Each path of the called workflow leads to a call that never returns, so no run of it can end: the recursion is endless.',
    often: 'a workflow that calls itself on its only path, two that call each other',
    fix: 'Add a path to an end without such a call, and let a guard choose between the two paths.',
  },
  R1067: {
    title: 'A value of a call can never fit',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['workflow CONTRACT_MISMATCH'],
    means:
      'The boards of caller and child have schemas for the two keys, and no value fits both. A value that does not fit is not written.',
    often: 'a number on one side and text on the other, lists of values that have no value in common',
    fix: 'Correct one of the two schemas, or map another key.',
  },
  R1068: {
    title: 'A key is written that the board does not declare, and a similar key is declared',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['workflow UNDECLARED_KEY'],
    means:
      'The workflow declares its keys in "board". This key is not declared and never read, but a similar key is declared: a value written to this key would ' +
      'be lost silently, and not checked.',
    often: 'a misspelt key in "writes", in a return map or in an input map, a key that was renamed in one place',
    fix: 'Correct the name, or declare the key in "board".',
  },
  R1069: {
    title: 'A part of a value is read that its schema does not have',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['workflow UNKNOWN_PART'],
    means:
      'The schema of this key lists the parts of its value, and the part that is read is not among them: the read finds nothing, or fails.',
    often: 'a misspelt name after the point, a renamed part, an outdated schema',
    fix: 'Correct the name, or add the part to the schema of the key.',
  },
  R1070: {
    title: 'A value never fits the schema of its key',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['workflow VALUE_REFUSED'],
    means:
      'This value does not fit the schema of the key. If it is written, it is refused and the run suspends; in a condition, the key never equals it.',
    often: 'a misspelt word, a number in quotes, a value that the schema does not list yet',
    fix: 'Write a value that the schema allows, or add this value to the schema.',
  },
  R1071: {
    title: 'A part of an expression can never be evaluated',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['workflow NEVER_EVALUATED'],
    means:
      'The board declares the types of the values, and this part of the expression always fails for values of these types. The guard fails with it, unless another part decides the result.',
    often: 'a number compared with text, a function of texts or lists that gets a number',
    fix: 'Compare values of the same type: write the number without quotes, or convert one side with int(…) or string(…).',
  },
})
