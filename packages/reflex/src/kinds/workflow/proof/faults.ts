import { defineFaults } from '../../../kernel/journal/fault.ts'

const BEFORE = 'before a run'

/** What can be proved wrong of a workflow without a run. */
export const proofFaults = defineFaults({
  R1061: {
    title: 'Some state leaves a node without an open edge',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['workflow NO_VALID_EDGE'],
    means:
      'A run can come to this node with its board as shown, and then no edge of it is open: whoever decides there has nothing to choose, and the run ' +
      'suspends. A guard whose expression fails in a state opens nothing either.',
    often: 'a value that no guard names, a key that is missing on some path, two guards with a gap between them',
    fix: 'Add an edge for the state that is shown, or one without a guard. A key that a caller always gives is declared as an input with "required" and "inherited".',
  },
  R1062: {
    title: 'An edge is never open',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['workflow DEAD_EDGE'],
    means:
      'In no state that a run can bring to this node does the guard of the edge pass: the value is not one that the key can have, nothing before writes the key, ' +
      'or an earlier guard has decided otherwise. A decision cannot open its own edges: guards see the board as it was before.',
    often: 'a misspelt value, a guard on what the same node writes, a guard that contradicts one before it',
    fix: 'Correct the guard, write what it asks for at a node before, or remove the edge.',
  },
  R1063: {
    title: 'A value is read that some path does not write',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['workflow READ_BEFORE_WRITE'],
    means:
      'The path that is shown leads to the read, its guards can be open, and nothing on it writes the key. A run that takes it fails there.',
    often: 'a branch that skips the node that writes, an output that is not written each time, a child that does not always return it',
    fix: 'Write the key on each path, guard the way with "exists", give the read an "else", or declare the key as an input with "inherited": true.',
  },
  R1064: {
    title: 'A key is read that nothing writes, and one of nearly that name is written',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['workflow UNKNOWN_KEY'],
    means: 'No node writes or returns the key and no declaration names it. It may be an input; more likely it is a slip.',
    often: 'a misspelt key, a key that was renamed in one place',
    fix: 'Write the name that was meant, or declare the key as an input with "inherited": true.',
  },
  R1065: {
    title: 'A call does not provide what its child needs',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['workflow MISSING_CALL_INPUT'],
    means:
      'A node of the child declares a required input that is not inherited. The child does not write it, and neither the caller nor the input map of the call does.',
    often: 'a misspelt key, an input map that was forgotten',
    fix: 'Write the key before the call, hand it down with "inputMap", or declare it in the child as "inherited": true.',
  },
  R1066: {
    title: 'A call never returns',
    verdict: 'fail',
    when: BEFORE,
    rules: ['workflow ENDLESS_RECURSION'],
    means:
      'Each path of the workflow that is called leads to a call that never returns, so no run of it can end: a loop by recursion without a way out.',
    often: 'a workflow that calls itself on its only path, two that call each other',
    fix: 'Give it a path to an end without such a call, and let a guard choose between the two.',
  },
  R1067: {
    title: 'What a call hands over can never fit',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['workflow CONTRACT_MISMATCH'],
    means:
      'The boards of caller and child say what the two keys hold, and there is no value that both allow. What does not fit is not written.',
    often: 'a number on one side and text on the other, lists of values without one in common',
    fix: 'Correct one of the two schemas, or map another key.',
  },
  R1068: {
    title: 'A key is written that the board does not declare, and one of nearly that name is',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['workflow UNDECLARED_KEY'],
    means:
      'The workflow says in "board" what its keys hold. This one is not among them and nobody reads it, and one of nearly that name is: what is written there would ' +
      'be lost without a word, and not checked.',
    often: 'a misspelt key in "writes", in a return map or in an input map, a key that was renamed in one place',
    fix: 'Write the name that was meant, or declare the key in "board".',
  },
  R1069: {
    title: 'A part of a value is read that its schema does not have',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['workflow UNKNOWN_PART'],
    means: 'The board lists what the value of this key has, and what is read there is not among it: the read finds nothing, or fails.',
    often: 'a misspelt name behind the point, a part that was renamed, a schema that was not kept up',
    fix: 'Write the name that was meant, or add the part to the schema of the key.',
  },
  R1070: {
    title: 'A value is named that its key can never hold',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['workflow VALUE_REFUSED'],
    means:
      'The board says what the key holds, and this value does not fit. Written, it is refused and the run suspends; in a condition, the key never equals it.',
    often: 'a misspelt word, a number in quotes, a value that the schema does not list yet',
    fix: 'Write a value that the schema allows, or allow this one there.',
  },
  R1071: {
    title: 'A part of an expression can never be evaluated',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['workflow NEVER_EVALUATED'],
    means:
      'The board says of which types the values are, and for such values this part of the expression always fails: a guard fails with it, unless another part decides.',
    often: 'a number compared with text, a function of texts or lists that is given a number',
    fix: 'Compare values of the same type: write the number without quotes, or convert one side with int(…) or string(…).',
  },
})
