import { defineFaults } from '../../kernel/index.ts'

/** The faults of learning: mining, and drafts of skills (R1485 to R1499). */
export const faults = defineFaults({
  R1485: {
    title: 'A parameter of mining is not valid',
    verdict: 'fail',
    when: 'before mining',
    rules: ['skill 1.21'],
    means: 'Shares are numbers from 0 to 1. The shortest pattern has at least 2 calls, the longest at most 12.',
    fix: 'Correct the parameter that the message names.',
  },
  R1486: {
    title: 'A mined skill cannot be undone',
    verdict: 'fail',
    when: 'when a pattern is compiled',
    rules: ['skill E_COMPENSATION_REQUIRED'],
    means: 'A step of the skill changes something, and its tool declares no call that undoes it. How to undo it cannot be mined.',
    fix: 'Declare `undo` for the tool, or complete `plan.compensation` of the draft. It stays a draft until then.',
  },
  R1487: {
    title: 'A mined skill has few occurrences',
    verdict: 'fail',
    when: 'when a pattern is compiled',
    rules: ['skill 1.23'],
    means: 'A skill is tested with at least 5 occurrences that were not used to find it. There are fewer than 10 occurrences.',
    fix: 'Mine again when there are more runs.',
  },
})
