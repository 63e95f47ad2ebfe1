import { defineFaults } from '../../../kernel/index.ts'

/** The catalogue entries of turns of wrapped agents (R1480 to R1484). */
export const faults = defineFaults({
  R1480: {
    title: 'A turn can continue only where its agent is',
    verdict: 'fail',
    when: 'when a run of the kind turn is resumed, answered or cancelled',
    means:
      'A turn is driven by the code of the agent that Reflex wraps. No other process has this code, so the run is left as it is: nothing of it is lost, and nothing is repeated.',
    often: 'a process that ended in the middle of a turn, and `reflex resume` on its run',
    fix: 'Wrap the agent as before, and resume the turn there: `await wrapped.resume(run)`.',
  },
})
