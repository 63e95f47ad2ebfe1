import { COMPENSATION_CAUSES } from '../model/manifest.ts'
import { type Field, FLAG, type Form, list, number, object, TEMPLATE, text, whole, words } from './fields.ts'
import { EXPRESSIONS, NAME_TEXT, TOOL, WORK_PATH } from './patterns.ts'

const extractor: Form = {
  kind: 'either',
  what: 'an extractor: "/json/pointer", {"regex", "group"}, {"line"} or {"json": true, "pointer"}',
  forms: [
    text(400, { what: 'a JSON pointer' }),
    object({
      regex: { form: text(200, { what: 'a pattern of RE2' }), isRequired: true, about: 'The pattern that finds the text' },
      group: {
        form: whole(0, 20),
        about: 'The group that is taken: 0 for the whole match, or 1. Default: the first group, if there is one',
      },
    }),
    object({ line: { form: whole(1, 1_000_000), isRequired: true, about: 'The line that is taken; the first is 1' } }),
    object({
      json: { form: FLAG, isRequired: true, about: 'true: the text is JSON' },
      pointer: { form: text(400), isRequired: true, about: 'The place in it' },
    }),
  ],
}

const call = {
  tool: { form: TOOL, isRequired: true, change: 'minor', about: 'The tool that is called, or the program' },
  args: { form: { kind: 'json', isObject: true }, fallback: {}, change: 'minor', about: 'Its arguments; texts are templates' },
} as const satisfies Record<string, Field>

const guards: Field = {
  form: EXPRESSIONS,
  fallback: [],
  rule: 'E_TYPE',
  change: 'minor',
  about: 'Conditions that must all hold before the step',
}

const step: Form = object({
  id: { form: NAME_TEXT, rule: 'E_STEP_ID', change: 'minor', about: 'Its name for later steps. Default: s and its index' },
  ...call,
  timeout_ms: {
    form: whole(1, 600_000),
    rule: 'E_TIMEOUT',
    change: 'patch',
    about: 'Its time limit. Default: 30 s, or the budget if that is less',
  },
  guards,
  on_guard_false: { form: words(['stop', 'skip']), fallback: 'stop', change: 'minor', about: 'What happens if a guard does not hold' },
  capture: {
    form: { kind: 'map', of: extractor, keys: WORK_PATH, most: 16 },
    fallback: {},
    rule: 'E_EXTRACTOR',
    change: 'minor',
    about: 'What is copied from the result, by path of the blackboard',
  },
  retry: {
    form: object({
      max: { form: whole(0, 3), isRequired: true, about: 'How often it is tried again' },
      backoff_ms: { form: whole(0, 60_000), fallback: 100, about: 'The pause before, doubled each time' },
    }),
    fallback: { max: 0, backoff_ms: 0 },
    change: 'minor',
    about: 'Further attempts, for a tool that reads or is idempotent',
  },
  shell: { form: FLAG, fallback: false, change: 'minor', about: 'true: the command needs a shell, which policy.allow_shell allows' },
})

const compensation: Form = object({
  when: {
    form: words(COMPENSATION_CAUSES),
    isRequired: true,
    change: 'minor',
    about: 'The cause; any and partial_failure are every cause',
  },
  for_step: { form: text(48), change: 'minor', about: 'The step that it undoes. Default: it stands for the whole plan' },
  ...call,
  timeout_ms: {
    form: whole(1, 600_000),
    fallback: 30_000,
    rule: 'E_TIMEOUT',
    change: 'patch',
    about: 'Its time limit, outside the budget of the plan',
  },
  guards,
})

/** The fields of `plan`. */
export const plan: Form = object({
  idempotence_key: {
    form: TEMPLATE,
    change: 'minor',
    about: 'A template of slots: two calls with one key change something once. Required in a plan with effects',
  },
  idempotence_ttl_s: { form: whole(60, 31_536_000), fallback: 86_400, change: 'patch', about: 'How long a key counts' },
  budget: {
    form: object({
      max_cost_usd: { form: number(0), fallback: 0.1, change: 'patch', about: 'The most that an execution costs' },
      max_latency_ms: { form: whole(1, 600_000), fallback: 30_000, change: 'patch', about: 'The longest time of an execution' },
    }),
    fallback: {},
    about: 'The limits of an execution',
  },
  steps: {
    form: { ...(list(step, 32) as Form & { kind: 'list' }), least: 1 },
    isRequired: true,
    rule: 'E_STEPS',
    change: 'minor',
    about: 'The calls, in their order',
  },
  verify: { form: step, change: 'minor', about: 'A call that reads, and tells if a stored success still holds' },
  compensation: {
    form: { kind: 'either', what: 'a list of calls, or "none"', forms: [list(compensation, 64), words(['none'])] },
    fallback: [],
    change: 'minor',
    about: 'The calls that undo a failed plan. Required in a plan with effects',
  },
  irreversible_reason: {
    form: text(400, { least: 1, isProse: true }),
    rule: 'E_TEXT',
    change: 'patch',
    about: 'Why nothing can be undone; required for "none"',
  },
  result_map: {
    form: { kind: 'map', of: { kind: 'json' }, most: 16 },
    fallback: {},
    rule: 'E_RESULT_MAP',
    change: 'minor',
    about: 'A template for each output',
  },
})
