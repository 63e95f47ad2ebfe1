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
      'A stage failed, its attempts were used up, and no edge, retry target or goal gate led on; or a bound of the run was reached. The message has the reason.',
    often: 'a command that exits with an error, a capability that is not granted, a loop that does not end',
    fix: 'Read the trace for what the stage did. Give the failure a way on with condition="outcome=fail", a label "fail" or a retry_target.',
  },
  R2202: {
    title: 'A checkpoint was changed',
    verdict: 'fail',
    when: 'before a run',
    rules: ['pipeline tampered'],
    means: 'The signature of the checkpoint is missing or does not belong to what it holds and to the secret. Nothing was executed.',
    often: 'a checkpoint that was edited, the secret of another run, a file cut short',
    fix: 'Resume from the journal of the run, or from a checkpoint that nobody has changed.',
  },
  R2203: {
    title: 'A checkpoint cannot be resumed from',
    verdict: 'fail',
    when: 'before a run',
    means: 'The file is no checkpoint, or one of another pipeline: it names a stage that is not there, or the hash of another graph.',
    fix: 'Name the checkpoint of this pipeline, or say --force if the graph was changed on purpose.',
  },
  R2204: {
    title: 'A stage was under way when a checkpoint was written',
    verdict: 'wait',
    when: 'before a run',
    rules: ['pipeline indeterminate_side_effect'],
    means:
      'The stage does something outside, and nobody knows whether it had happened. It is not done a second time without being told to.',
    fix: 'Find out, then set on_resume="retry" on the graph, or resume from the checkpoint before.',
  },
  R2205: {
    title: 'A handler or a middleware cannot be registered',
    verdict: 'fail',
    when: 'before a run',
    means: 'Its name cannot be written as a type, or it has neither execute nor the three phases prepare, run and apply_result.',
    fix: 'Give it a name of letters, digits, points, dashes and underscores, and an execute function.',
  },
  R2206: {
    title: 'An input has a name that the engine keeps for itself',
    verdict: 'fail',
    when: 'before a run',
    means:
      'Keys that begin with "#", "__", "graph." or "internal." and the names current_node, outcome, preferred_label and last_stage are set by the engine. So is budget_status; an input may state that it is low or over, which the engine then takes as no better.',
    fix: 'Give the input another name.',
  },
  R2207: {
    title: 'A handler of the host is not registered',
    verdict: 'wait',
    when: DURING,
    means: 'The run was started by a program that had registered a handler for this type. This process has not.',
    often: 'a run that is resumed by the command, or by a worker that does not load the same module',
    fix: 'Register the handler before the run is resumed.',
  },
  R2208: {
    title: 'A handler of the host failed',
    verdict: 'fail',
    when: DURING,
    means:
      'It threw, or answered with something that is no outcome. What it threw is the cause; a message that speaks of the network may be tried again.',
    fix: 'Correct the handler. An outcome has a status: success, partial_success, retry, fail or skipped.',
  },
  R2209: {
    title: 'The folder of a run cannot be written',
    verdict: 'fail',
    severity: 'warning',
    when: DURING,
    means:
      'Its manifest, checkpoint and the files of its stages are missing or no longer kept up. The run goes on: the journal has everything.',
    often: 'a folder that belongs to somebody else, a full disk',
    fix: 'Make room or name another folder with --logs. A resume writes what is missing.',
  },
  R2210: {
    title: 'A stage failed',
    verdict: 'fail',
    when: DURING,
    means:
      'An execution of a node ended with `fail`, and no attempt is left. The message has the reason that its handler gave. Where an effect of the stage failed, the fault has the code of that effect instead.',
    fix: 'Correct what the message names, or lead on from the failure: an edge with `condition="outcome=fail"`, a `retry_target`, or `max_retries`.',
  },
  R2215: {
    title: 'There is no such artifact',
    verdict: 'fail',
    when: DURING,
    means: 'A handler asked for a piece of data that no node of the run has stored, or that was taken away again.',
    fix: 'Ask for `<node>/<name>`; the list of the store says what is there.',
  },
  R2220: {
    title: 'A service of the host failed',
    verdict: 'fail',
    when: DURING,
    means: 'A session, a memory or a search that the host has given answered with an error. The message has its words.',
    fix: 'Correct the service, or give the failure of the node a way on.',
  },
  R2222: {
    title: 'There is no such action',
    verdict: 'fail',
    when: DURING,
    means: 'The node names an action that neither Reflex nor this host has. Points and underscores are one in the names of actions.',
    often: 'a slip in the name, an action of another runner that the host has not registered',
    fix: 'Correct the name, register the action with the option actions, or give the failure of the node a way on.',
  },
  R2223: {
    title: 'An action of the host failed',
    verdict: 'fail',
    when: DURING,
    means:
      'It threw, gave something that is no JSON, or its parameters do not fit. A message that speaks of the network may be tried again.',
    fix: 'Correct the action or its parameters.',
  },
})
