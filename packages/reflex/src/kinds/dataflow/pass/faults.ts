import { type CatalogueEntry, defineFaults } from '../../../kernel/index.ts'

const DURING = 'during a run'

/** The faults of a pass (R1370 to R1376), and of a function that is not pure (R1379). */
export const faults = defineFaults({
  R1370: {
    title: 'A compute returns an error',
    verdict: 'fail',
    when: DURING,
    rules: ['dataflow CMP-12', 'dataflow B.2'],
    means: 'The compute cannot give a result for its inputs. The pass ends: it has no outputs and no effects, and no later node runs.',
    often: 'a division by zero for an event that nobody expected',
    fix: 'Use safe_divide, or a condition before the compute.',
  },
  R1371: {
    title: 'A node emits a number that is not finite',
    verdict: 'fail',
    when: DURING,
    rules: ['dataflow NUM-FINITE-1'],
    means:
      'The result is too large for a number, or a function of the host returns NaN. No such value reaches another node: the pass ends.',
    fix: 'Bound the inputs, with min and max for instance.',
  },
  R1372: {
    title: 'A source does not find its key in the context',
    verdict: 'fail',
    when: DURING,
    rules: ['dataflow SRC-10', 'dataflow SRC-11'],
    means: 'The merged payload of the event lacks a key that the source requires, or has it with another type. The pass ends.',
    often: 'a run without an adapter, which would have refused the event',
    fix: 'Add the key to the payload, or correct its type.',
  },
  R1373: {
    title: 'A function of the host returns what its manifest does not declare',
    verdict: 'fail',
    when: DURING,
    rules: ['dataflow CMP-11', 'dataflow V.4', 'dataflow R.7'],
    means:
      'The function of a source or compute returns exactly the declared outputs, each of its type. A trigger returns "Emitted" or "NotEmitted", an action its outcome. A promise is refused: a pass does not wait.',
    fix: 'Correct the function. What waits belongs into a channel, whose answer is a later event.',
  },
  R1374: {
    title: 'A function of the host throws',
    verdict: 'fail',
    when: DURING,
    means: 'The pass ends. It is not tried again: the function is pure, so it would throw again.',
    fix: 'Correct the function, or let a compute return an error that its manifest declares.',
  },
  R1375: {
    title: 'A node has a parameter that its primitive cannot take',
    verdict: 'fail',
    when: DURING,
    rules: ['dataflow X.11', 'dataflow I.4', 'dataflow I.3'],
    means: 'A graph that was made without its documents has a parameter of the wrong type, out of range, or lacks one.',
    fix: 'Give the node the value that its manifest declares.',
  },
  R1376: {
    title: 'A pass with intents has no ids',
    verdict: 'fail',
    when: DURING,
    rules: ['dataflow GW-EFX-META-1'],
    means: 'The id of an intent is made of the ids of the graph and of the event, so that a retry and a replay give the same one.',
    fix: 'Pass the id of the graph and of the event.',
  },
  R1379: {
    title: 'A function of the host is not pure',
    verdict: 'bug',
    when: 'in a test',
    rules: ['dataflow X.4', 'dataflow R.6'],
    means:
      'The function gave two results for the same inputs and parameters, or changed them. A replay cannot repeat it. It reads a clock, a random number or a variable that it changes.',
    fix: 'Take what it needs as an input, and write what it remembers to the context with an action.',
  },
} satisfies Record<string, CatalogueEntry>)
