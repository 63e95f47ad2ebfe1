import { defineFaults } from '../../../kernel/index.ts'

const RUN = 'when a skill is proposed or called'

/** The catalogue entries of skills that are carried out (R1470 to R1484). */
export const faults = defineFaults({
  R1470: {
    title: 'A skill was not carried out',
    verdict: 'fail',
    when: RUN,
    means:
      'The gate asks four questions in a fixed order: does the skill belong to this place, do its conditions hold, is the score high enough, does the policy allow it. One of them was answered no, or the registry refused it: the same key is in progress, the last execution was too recent, or too many are running. Nothing was changed.',
    often:
      'a version that nobody has activated, a condition that does not hold now, an execution under the same idempotency key with other arguments',
    fix: 'Run `reflex trace RUN`: the decision in it has each question with its answer. A version that nobody has activated runs with `--draft`.',
  },
  R1471: {
    title: 'A skill failed and has changed nothing',
    verdict: 'fail',
    when: 'while a plan is carried out',
    means: 'A guard, a template, a limit or a step stopped the plan before any step had changed anything, so there was nothing to undo.',
    often: 'a tool that fails, a guard that does not hold, a limit of time or cost that is too low',
    fix: 'Correct what the message names, and call the skill again: its idempotency key is free.',
  },
  R1472: {
    title: 'A skill failed in the middle',
    verdict: 'fail',
    when: 'while a plan is carried out',
    means:
      'A step had changed something, or may have, when the plan stopped. The undos of the plan were carried out, the last step first; the message says whether all of them succeeded.',
    often: 'a tool that fails or takes too long after an earlier step has succeeded',
    fix: 'Run `reflex trace RUN` to see each step and undo. If an undo has failed, put it right by hand, then approve the skill again.',
  },
  R1473: {
    title: 'The registry of skills cannot be used',
    verdict: 'retry',
    when: RUN,
    means:
      'Other processes have changed the same entries of the registry each time that this one tried to write, or the registry has a newer form.',
    often: 'very many executions of one skill at the same moment, a store that a newer Reflex has written',
    fix: 'Call the skill again, or raise `activation.max_concurrency` of the skill to spread the calls; for a newer form, update Reflex.',
  },
  R1474: {
    title: 'A skill has given no valid result',
    verdict: 'fail',
    when: 'while a plan is carried out',
    means: 'All steps have succeeded, but an output that the skill declares could not be made of their results, or has another type.',
    often: 'a tool that answers in another form than when the skill was made',
    fix: 'Run `reflex trace RUN` to see the results of the steps, and correct `plan.result_map` or the type of the output.',
  },
  R1475: {
    title: 'The file skills.yaml cannot be used',
    verdict: 'fail',
    when: 'when a turn of a wrapped agent begins, and when a skill is called or looked at',
    means:
      'The file beside the project has values for the blackboard of skills: ctx, env and goal_labels. It is a small and safe part of YAML: at most 64 KiB, one document, no tags, anchors, aliases and directives, each name once, and numbers as JSON has them. While it has a mistake, skills are not carried out, because their conditions could hold only since a value is missing; a wrapped agent works without skills.',
    often: 'a name with a capital letter or a hyphen, an indentation with a tab, a number with zeros at its begin, such as 007',
    fix: 'Correct the line that the message shows.',
  },
  R1477: {
    title: 'Secrets are recorded only where that is meant',
    verdict: 'fail',
    when: 'when an application sets the options of its skills',
    means:
      'With `logContent: "full"`, texts that look like keys, tokens and passwords are written to the store, where everybody who reads it finds them. One option alone does not turn this on.',
    often: 'a setting that was copied from a test',
    fix: 'Write `logContent: "redacted"`; or add `recordSecrets: true`, if the store may have secrets.',
  },
  R1478: {
    title: 'Records keep secrets',
    verdict: 'fail',
    severity: 'warning',
    when: 'when the first turn or skill of an application begins',
    means:
      'The application has set `logContent: "full"` and `recordSecrets: true`: what users, models and tools write is recorded without looking for secrets. Values that Reflex knows to be secret, and sealed ones, are left out as before.',
    fix: 'Write `logContent: "redacted"` when the records with secrets are not needed any more, and delete these runs.',
  },
})
