import type { RunOptionTable } from '../../../programs/run-options.ts'

/** The options of runs of skills. */
export const SKILL_RUN_OPTIONS = {
  draft: {
    flag: '--draft',
    type: 'flag',
    does: 'try a skill out that nobody has approved yet; its tools are real',
    root: true,
    ignored: (kind: string) => `a ${kind} needs no approval`,
  },
} as const satisfies RunOptionTable
