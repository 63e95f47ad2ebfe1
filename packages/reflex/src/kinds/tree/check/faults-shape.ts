const BEFORE = 'before a run'

/** The catalogue entries about the shape of a tree: children, loops, limits and operations. */
export const SHAPE_ENTRIES = {
  R1280: {
    title: 'A tree calls a program that does not exist',
    verdict: 'fail',
    when: BEFORE,
    means: 'BT.call names a program that is neither registered nor a file beside this one. The node fails each time it is ticked.',
    often: 'a missing kind: a bare id is a tree, so a workflow is written as workflow:refund',
    fix: 'Correct the name, or add the file.',
  },
  R1281: {
    title: 'A child is never ticked',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    means:
      'A child of a sequence stands behind one that never succeeds, or a child of a selector stands behind one that never fails. No tick reaches it.',
    often: 'a child that always succeeds in front of the alternatives of a selector',
    fix: 'Move the child to the front, or remove it.',
  },
  R1282: {
    title: 'A decorator changes nothing',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    means:
      'A retry, a timeout or another decorator reacts to an answer that its child never gives, such as a retry over a child that never fails.',
    fix: 'Remove the decorator, or put it around the node that is meant.',
  },
  R1283: {
    title: 'A loop never waits',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    means:
      'The loop ticks children that answer at once, and nothing in it changes what they answer. It uses the whole budget of ticks and does nothing else.',
    often: 'a repeater without a count over conditions, a retry without backoff_ms over a condition',
    fix: 'Give the loop a count or a backoff, put a wait into it, or write the key that its condition reads.',
  },
  R1295: {
    title: 'A limit of time is never reached',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['tree LLM timeout above the tree limit'],
    means: 'Another limit always ends the operation first: an outer timeout that is shorter, or a child that always ends before.',
    fix: 'Make the inner limit shorter than the outer one, or remove the limit that is never reached.',
  },
  R1296: {
    title: 'A retry falls into a cooldown',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['tree retry over cooldown'],
    means: 'The cooldown begins when its child has ended, so that each retry within its time fails without ticking the child.',
    fix: 'Put the cooldown around the retry, or make backoff_ms longer than cooldown_ms.',
  },
  R1297: {
    title: 'A node may wait for ever',
    verdict: 'wait',
    severity: 'info',
    when: BEFORE,
    means: 'A called program or a person may take any time, and neither the node nor a node around it nor the tree has a limit.',
    fix: 'Write timeout, put a BT.timeout around it, or set max_execution_ms, if there is a limit.',
  },
  R1298: {
    title: 'A person may be asked the same question again',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    means: 'The question stands below a retry: each new attempt asks the person again.',
    fix: 'Ask before the retry, or put the retry around the nodes that need it only.',
  },
  R1299: {
    title: 'An asynchronous node has no timeout of its own',
    verdict: 'fail',
    severity: 'info',
    when: BEFORE,
    rules: ['tree async node without any explicit timeout'],
    means: 'Only the default of its type limits the operation. Nobody has decided how long this one may take.',
    fix: 'Write timeout at the node, or put a BT.timeout around it.',
  },
  R1292: {
    title: 'The model calls of an execution',
    verdict: 'wait',
    severity: 'info',
    when: BEFORE,
    means:
      'The most calls of models in one execution: the product of the retries, repeats and collections around each node that asks a model.',
    fix: 'Nothing. A count, max_retries or budget_tokens makes it smaller.',
  },
} as const
