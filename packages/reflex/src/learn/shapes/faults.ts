import { defineFaults } from '../../kernel/index.ts'

/** The faults of learning: mining, and drafts of skills (R1485 to R1499), and imported transcripts (R2166 to R2168). */
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
  R2166: {
    title: 'A transcript cannot become a run',
    verdict: 'fail',
    when: 'when transcripts are imported',
    means:
      'The conversation was read, and its run could not be made or stored. Nothing of it is in the store; other conversations are imported.',
    often: 'a value that no journal can hold, a store that cannot be written',
    fix: 'Correct the cause that the message names, and import the file again.',
  },
  R2167: {
    title: 'A call of an imported transcript has failed',
    verdict: 'fail',
    when: 'in the journal of an imported run',
    means: 'The transcript says that this call of a tool failed. The message has what the tool gave. Nothing was called by Reflex.',
    fix: 'Nothing is needed: the run is over.',
  },
  R2168: {
    title: 'The session of an imported transcript has failed',
    verdict: 'fail',
    when: 'in the journal of an imported run',
    means: 'The transcript says that its session ended without success, such as a trajectory that submitted nothing.',
    fix: 'Nothing is needed. Mining uses only sessions that succeeded.',
  },
  R1498: {
    title: 'A call of a transcript has no partner',
    verdict: 'fail',
    when: 'when transcripts are imported',
    means: 'A call has no result, or a result has no call. A call without a result counts neither as succeeded nor as failed.',
    often: 'a session that was stopped during a call, a transcript without its beginning',
    fix: 'Nothing is needed. Export the whole session if the call matters.',
  },
})
