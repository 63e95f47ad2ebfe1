import type { RunOptionTable } from '../../../programs/run-options.ts'

const noFolder = (kind: string): string => `runs of kind ${kind} have no folder of their own`
const noPipeline = (): string => 'it contains no pipeline'

/** The options of runs of pipelines. */
export const PIPELINE_RUN_OPTIONS = {
  logs: {
    flag: '--logs',
    type: 'folder',
    does: "a pipeline's run folder; default: runs/RUN beside the store",
    root: true,
    ignored: noFolder,
    keep: 'logs.folder',
  },
  maxSteps: {
    flag: '--max-steps',
    type: 'count',
    does: 'the number of executed nodes after which a pipeline fails; default: 10000',
    ignored: () => 'it does not count executed nodes; set a budget of steps instead',
    keep: 'limits.maxSteps',
  },
  branchSteps: {
    flag: '--branch-steps',
    type: 'count',
    does: 'the number of executed nodes after which a branch of a pipeline fails; default: 100',
    ignored: noPipeline,
    keep: 'limits.branchSteps',
  },
  depth: {
    flag: '--depth',
    type: 'count',
    does: 'the largest depth of nested pipelines, counted also through programs of other kinds; a deeper call fails its node; default: 8',
    ignored: noPipeline,
    keep: 'limits.depth',
  },
  onUnroutedFailure: {
    flag: '--on-unrouted-failure',
    type: ['fail', 'lenient'],
    does: 'for a failure in a pipeline that no edge catches: fail ends the run, lenient follows an unconditional edge',
    ignored: noPipeline,
    keep: 'routing.onUnroutedFailure',
  },
  deadEnd: {
    flag: '--dead-end',
    type: ['success', 'fail'],
    does: 'for a stage of a pipeline without an edge to follow: success or fail ends the run',
    ignored: noPipeline,
    keep: 'routing.deadEnd',
  },
  persistArtifacts: {
    flag: '--persist-artifacts',
    type: 'flag',
    does: "write small artifacts into a pipeline's run folder too",
    root: true,
    ignored: noFolder,
    keep: 'persistArtifacts',
  },
  resumeFrom: {
    flag: '--resume-from',
    type: 'file',
    does: 'start from a checkpoint of the pipeline',
    root: true,
    ignored: (kind) => `runs of kind ${kind} write no checkpoints`,
    provedBy: 'hmacSecretFile',
  },
  force: {
    flag: '--force',
    type: 'flag',
    does: 'resume even if the checkpoint belongs to another graph',
    root: true,
    ignored: (kind) => `runs of kind ${kind} write no checkpoints`,
    with: ['resumeFrom', 'it does not resume from a checkpoint'],
  },
  hmacSecretFile: {
    flag: '--hmac-secret-file',
    type: 'file',
    does: 'sign checkpoints with the secret in this file, and verify the one to start from',
    root: true,
    ignored: (kind) => `runs of kind ${kind} write no checkpoints`,
    keep: 'logs.secret',
  },
  validate: {
    flag: '--no-validate',
    type: 'off',
    does: "skip a pipeline's lint rules",
    ignored: () => 'it has no lint rules to skip',
  },
} as const satisfies RunOptionTable
