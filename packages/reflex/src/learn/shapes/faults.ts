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
  R1488: {
    title: 'A transcript cannot be read',
    verdict: 'fail',
    when: 'when transcripts are imported',
    means:
      'The file is no text of a format that is known: messages of OpenAI, Anthropic or the AI SDK, a session of Claude Code or of MCP, a trajectory of SWE-agent.',
    often: 'a file that was cut off, a format that `--format` does not match',
    fix: 'Correct the line that the message names, or name the format with `--format`.',
  },
  R1489: {
    title: 'A part of a transcript was left out',
    verdict: 'fail',
    when: 'when transcripts are imported',
    means: 'The message or call at this place does not have the form of its format. The rest of the transcript is imported.',
    fix: 'Correct the place that the message names and import the file again, or accept that this part is missing.',
  },
  R1497: {
    title: 'A call of a transcript has no partner',
    verdict: 'fail',
    when: 'when transcripts are imported',
    means: 'A call has no result, or a result has no call. A call without a result counts neither as succeeded nor as failed.',
    often: 'a session that was stopped during a call, a transcript without its beginning',
    fix: 'Nothing is needed. Export the whole session if the call matters.',
  },
})
