import { defineFaults } from '../../../kernel/index.ts'

const DURING = 'during a run'

/** The code of a stage that reports its own failure. */
export const STAGE_FAILED = 'R2210'

/** The faults of running pipelines. */
export const pipelineFaults = defineFaults({
  R2201: {
    title: 'A pipeline failed',
    verdict: 'fail',
    when: DURING,
    means:
      'A stage failed after its last attempt, and there was no edge, retry target or goal gate to follow; or the run reached a limit. The message has the reason.',
    often: 'a command that exits with an error, a capability that is not granted, a loop that does not end',
    fix: 'Read the trace of the stage. Handle the failure with an edge with condition="outcome=fail" or label="fail", or with a retry_target.',
  },
  R2202: {
    title: 'A checkpoint was changed',
    verdict: 'fail',
    when: 'before a run',
    rules: ['pipeline tampered'],
    means: 'The signature of the checkpoint is missing, or does not match its content and the secret. Nothing was executed.',
    often: 'a checkpoint that was edited, the secret of another run, a truncated file',
    fix: 'Resume from the journal of the run, or from an unchanged checkpoint.',
  },
  R2203: {
    title: 'A checkpoint cannot be resumed from',
    verdict: 'fail',
    when: 'before a run',
    means:
      'The file is not a checkpoint, or belongs to another pipeline: it names a stage that does not exist, or the hash of another graph.',
    fix: 'Name the checkpoint of this pipeline, or add --force if the graph was changed on purpose.',
  },
  R2204: {
    title: 'A stage was in progress when a checkpoint was written',
    verdict: 'wait',
    when: 'before a run',
    rules: ['pipeline indeterminate_side_effect'],
    means: 'The stage has an effect outside, and it is unknown whether the effect happened. It is not repeated without permission.',
    fix: 'Find out whether it happened. Then set on_resume="retry" on the graph, or resume from an earlier checkpoint.',
  },
  R2205: {
    title: 'A handler or a middleware cannot be registered',
    verdict: 'fail',
    when: 'before a run',
    means: 'Its name cannot be written as a type, or it has neither execute nor the three phases prepare, run and apply_result.',
    fix: 'Give it a name of letters, digits, dots, dashes and underscores, and an execute function.',
  },
  R2206: {
    title: 'An input has a reserved name',
    verdict: 'fail',
    when: 'before a run',
    means:
      'Only the engine sets keys that begin with "#", "__", "graph." or "internal.", and the keys current_node, outcome, preferred_label, last_stage and budget_status. One exception: an input can set budget_status to low or over; the engine then never reports a better status.',
    fix: 'Give the input another name.',
  },
  R2207: {
    title: 'A handler of the host is not registered',
    verdict: 'wait',
    when: DURING,
    means: 'The process that started the run had registered a handler for this type. This process has not.',
    often: 'a run that is resumed by the reflex command, or by a worker that does not load the same module',
    fix: 'Register the handler, then resume the run.',
  },
  R2208: {
    title: 'A handler of the host failed',
    verdict: 'fail',
    when: DURING,
    means:
      'It threw an error, or returned a value that is not an outcome. The error is the cause. An error with a message about the network may be retried.',
    fix: 'Correct the handler. An outcome has a status: success, partial_success, retry, fail or skipped.',
  },
  R2209: {
    title: 'The folder of a run cannot be written',
    verdict: 'fail',
    severity: 'warning',
    when: DURING,
    means:
      'Its manifest, its checkpoint and the files of its stages are missing or out of date. The run continues: the journal has everything.',
    often: 'a folder of another user, a full disk',
    fix: 'Free disk space, or name another folder with --logs. A resume writes the missing files.',
  },
  R2210: {
    title: 'A stage failed',
    verdict: 'fail',
    when: DURING,
    means:
      'An execution of a node ended with `fail`, and no attempt is left. The message has the reason of its handler. If an effect of the stage failed, the fault has the code of that effect instead.',
    fix: 'Correct what the message names, or handle the failure: add an edge with `condition="outcome=fail"`, a `retry_target`, or `max_retries`.',
  },
  R2215: {
    title: 'There is no such artifact',
    verdict: 'fail',
    when: DURING,
    means: 'A handler requested an artifact that no node of the run has stored, or that was removed.',
    fix: 'Request it as `<node>/<name>`; `list` of the artifact store returns the names.',
  },
  R2220: {
    title: 'A service of the host failed',
    verdict: 'fail',
    when: DURING,
    means: 'A session, memory or search service of the host returned an error. The message has its text.',
    fix: 'Correct the service, or add an edge for the failure of the node.',
  },
  R2222: {
    title: 'There is no such action',
    verdict: 'fail',
    when: DURING,
    means: 'The node names an action that neither Reflex nor this host has. In the names of actions, dots and underscores are equal.',
    often: 'a misspelt name, an action of another runner that the host has not registered',
    fix: 'Correct the name, register the action with the option `actions`, or add an edge for the failure of the node.',
  },
  R2223: {
    title: 'An action of the host failed',
    verdict: 'fail',
    when: DURING,
    means:
      'It threw an error, returned a value that is not JSON, or its parameters are invalid. An error with a message about the network may be retried.',
    fix: 'Correct the action or its parameters.',
  },
  R2224: {
    title: 'A run is not of a pipeline',
    verdict: 'fail',
    when: 'at a request',
    means: 'The routes under /pipelines know the runs of pipelines only.',
    fix: 'Ask under /v1/runs.',
  },
})
