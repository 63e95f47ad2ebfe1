import { SCORE_FEATURES } from '../model/manifest.ts'
import { FLAG, type Form, list, number, object, text, whole } from './fields.ts'
import { EXPRESSIONS } from './patterns.ts'

/** The fields of `activation`. */
export const activation: Form = object({
  required_slots: {
    form: list(text(48), 32),
    change: 'major',
    about: 'The slots without which it does not run. Default: all that are required',
  },
  goal_labels: {
    form: list(text(40, { pattern: /^[a-z0-9_-]{1,40}$/, what: 'a lower-case word' }), 16),
    fallback: [],
    rule: 'E_LABEL',
    change: 'patch',
    about: 'Labels of the goals that it serves',
  },
  keywords_any: {
    form: list(text(60, { least: 1, isProse: true }), 32),
    fallback: [],
    change: 'patch',
    about: 'Phrases of users that it serves',
  },
  score_weights: {
    form: { kind: 'map', of: number(0), most: SCORE_FEATURES.length },
    fallback: { goal_label: 3, keyword_hit: 1, entity_type: 0, recent_success: 1.5 },
    rule: 'E_WEIGHT',
    change: 'patch',
    about: 'The points of each feature; one that is not listed has none',
  },
  tau: {
    form: { kind: 'number', above: 0 },
    rule: 'E_TAU_UNREACHABLE',
    change: 'patch',
    about: 'The threshold in points. Default: that of the host, which is normalised',
  },
  cooldown_s: { form: whole(0, 86_400), fallback: 0, change: 'patch', about: 'The pause between two executions' },
  max_concurrency: { form: whole(1, 64), fallback: 1, change: 'patch', about: 'How many executions run at the same time' },
})

/** The fields of `llm_support`. */
export const llmSupport: Form = object({
  parsers: {
    form: list(
      object({
        name: { form: text(60, { least: 1 }), isRequired: true, about: 'Its name' },
        model: { form: text(120, { least: 1 }), isRequired: true, about: 'The pinned model' },
        temperature: { form: { kind: 'number', least: 0, most: 0 }, fallback: 0, rule: 'E_PARSER_TEMP', about: 'Always 0' },
        prompt_ref: {
          form: text(200, { pattern: /^[A-Za-z0-9_][A-Za-z0-9_./-]*$/, what: 'the name of a prompt' }),
          isRequired: true,
          rule: 'E_PROMPT_REF',
          about: 'The prompt',
        },
        prompt_sha256: {
          form: text(64, { pattern: /^[0-9a-f]{64}$/, what: 'a SHA-256 in hexadecimal' }),
          rule: 'E_PROMPT_REF',
          about: 'The hash of the prompt, which is pinned when the skill is registered',
        },
        inputs: { form: list(text(60), 16), fallback: ['raw_text'], about: 'What it reads' },
        outputs: { form: list(text(48), 16), isRequired: true, about: 'The slots that it fills' },
      }),
      16,
    ),
    fallback: [],
    change: 'minor',
    about: 'Models that fill slots',
  },
  extractors: {
    form: list(
      object({
        slot: { form: text(48), isRequired: true, about: 'The slot that it fills' },
        from: { form: text(400), isRequired: true, about: 'user_text, or a path of the blackboard' },
        regex: { form: text(200, { what: 'a pattern of RE2' }), about: 'A pattern' },
        group: { form: whole(0, 20), about: 'The group of the pattern that is taken' },
        enum: { form: list(text(200), 200), about: 'Words of which the first that occurs is taken' },
        json_pointer: { form: text(400), about: 'The place in a value' },
      }),
      32,
    ),
    fallback: [],
    rule: 'E_EXTRACTOR',
    change: 'minor',
    about: 'Rules that fill slots without a model',
  },
})

/** The fields of `policy`. */
export const policy: Form = object({
  allow_roles: { form: list(text(120, { least: 1 }), 64), fallback: [], change: 'minor', about: 'Who may use it. Empty: everybody' },
  deny_if: { form: EXPRESSIONS, fallback: [], change: 'minor', about: 'Conditions of which none may hold' },
  allow_shell: { form: FLAG, fallback: false, change: 'major', about: 'true: steps can use a shell' },
  require_confirmation: { form: FLAG, fallback: false, change: 'minor', about: 'true: a person confirms each execution' },
  min_tau: {
    form: { kind: 'number', above: 0, most: 1 },
    change: 'patch',
    about: 'A normalised threshold, which can only raise that of the skill',
  },
})
