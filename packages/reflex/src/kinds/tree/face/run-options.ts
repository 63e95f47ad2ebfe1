import type { RunOptionTable } from '../../../programs/run-options.ts'

/** The options of runs of trees. */
export const TREE_RUN_OPTIONS = {
  stays: {
    flag: '--stay',
    type: 'flag',
    does: 'keep a tree open for events after its root has answered; a message close ends it',
    root: true,
    ignored: (kind) => `a ${kind} ends when it is done`,
  },
  break: {
    flag: '--break',
    type: 'text',
    does: 'stop before a node of a tree: NODE, or NODE when CONDITION; signal RUN debug resume continues, step ticks one node',
    root: true,
    ignored: (kind) => `a ${kind} has no nodes that are ticked`,
  },
  step: {
    flag: '--step',
    type: 'flag',
    does: 'stop a tree before its first node; signal RUN debug step ticks one node',
    root: true,
    ignored: (kind) => `a ${kind} has no nodes that are ticked`,
  },
  substitute: {
    flag: '--substitute',
    type: 'text',
    does: 'in a test, replace nodes of a tree: NODE=success,NODE=failure, or JSON {"NODE": {"returns", "after", "writes"}}; * stands for any text',
    root: true,
    ignored: (kind) => `a ${kind} has no nodes that are ticked`,
  },
} as const satisfies RunOptionTable
