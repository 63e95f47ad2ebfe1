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
} as const satisfies RunOptionTable
