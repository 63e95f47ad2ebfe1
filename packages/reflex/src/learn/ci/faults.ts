import { defineFaults } from '../../kernel/index.ts'

/** The catalogue entries of the tests of skills (R1495 and R1496). */
export const faults = defineFaults({
  R1495: {
    title: 'A unit case of a skill cannot be read',
    verdict: 'fail',
    when: 'when a skill is tested',
    rules: ['E_CASE'],
    means:
      'A unit case says what a user asks for, what the tools answer, and what must happen. This file is missing, or it is not such a case. No test of the skill was run.',
    often: 'a misspelt field, a path that is not relative to the folder of the manifest',
    fix: 'Correct the field that the message names.',
  },
  R1496: {
    title: 'A test of a skill has no answer for a call of a tool',
    verdict: 'fail',
    when: 'when a skill is tested',
    rules: ['E_UNMATCHED_CALL'],
    means: 'A test never reaches a real tool. The plan called a tool with arguments for which the unit case has no recorded answer.',
    often: 'a step that was added or changed after the case was written',
    fix: 'Add an entry for the call under `tools` of the case, or correct the step.',
  },
})
