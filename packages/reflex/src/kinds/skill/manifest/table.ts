import { COMPENSATION_CAUSES, SCORE_FEATURES } from '../model/manifest.ts'
import { SLOT_TYPES } from '../model/slot.ts'
import { EXPRESSION, type Field, FLAG, type Form, list, number, object, TEMPLATE, text, whole, words } from './fields.ts'

export const SCHEMA = 'reflex.capability/1'
/** A name of a slot, an output or a step. */
export const NAME = /^[a-z][a-z0-9_]{0,47}$/
/** A path of the blackboard that a skill can read. */
export const BOARD_PATH = /^(?:ctx|env|work)(?:\.[a-z0-9_]{1,60}){1,6}$/
/** A path of the blackboard that a skill can write. */
export const WORK_PATH = /^work(?:\.[a-z0-9_]{1,60}){1,6}$/
export const SKILL_ID = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*){0,7}$/

const NAME_TEXT = text(48, { pattern: NAME, what: 'a name: lower-case letters, digits and underscores, a letter first' })
const READ_PATH = text(400, { pattern: BOARD_PATH, what: 'a path such as ctx.name or work.image.tag' })
const WRITE_PATH = text(400, { pattern: WORK_PATH, what: 'a path such as work.image_tag' })
const TOOL = text(120, { least: 1, what: 'the name of a tool, or kind:id of a program' })
const RATE = number(0, 1)
const EXPRESSIONS = list(EXPRESSION, 16)

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

const slot: Form = object({
  name: {
    form: NAME_TEXT,
    isRequired: true,
    rule: 'E_SLOT_NAME',
    change: 'major',
    about: 'The name by which templates and callers use it',
  },
  type: { form: words(SLOT_TYPES), isRequired: true, rule: 'E_SLOT_TYPE', change: 'major', about: 'What its values are' },
  required: { form: FLAG, fallback: true, change: 'major', about: 'false: the skill can be called without it' },
  default: { form: { kind: 'json' }, change: 'minor', about: 'The value of an optional slot that nothing fills' },
  pattern: { form: text(200), rule: 'E_PATTERN', change: 'major', about: 'A pattern of RE2 that matches the whole value' },
  enum: { form: list(text(200), 200), rule: 'E_CONSTRAINT', change: 'major', about: 'The only values' },
  min: { form: { kind: 'number' }, rule: 'E_CONSTRAINT', change: 'major', about: 'The least number' },
  max: { form: { kind: 'number' }, rule: 'E_CONSTRAINT', change: 'major', about: 'The largest number' },
  minLength: { form: whole(0, 32_768), rule: 'E_CONSTRAINT', change: 'major', about: 'The least length of a text' },
  maxLength: { form: whole(0, 32_768), fallback: 1024, rule: 'E_CONSTRAINT', change: 'major', about: 'The largest length of a text' },
  description: {
    form: text(120, { isProse: true }),
    fallback: '',
    rule: 'E_TEXT',
    change: 'patch',
    about: 'What is asked for if it is missing',
  },
  sensitive: { form: FLAG, fallback: false, change: 'minor', about: 'true: its value is masked before any record. A secret_ref always is' },
})

const output: Form = object({
  name: { form: NAME_TEXT, isRequired: true, rule: 'E_SLOT_NAME', change: 'major', about: 'The name of the result' },
  type: { form: words(SLOT_TYPES), isRequired: true, rule: 'E_SLOT_TYPE', change: 'major', about: 'What its values are' },
  sensitive: { form: FLAG, fallback: false, change: 'minor', about: 'true: its value is masked before any record' },
})

const signature: Form = object({
  inputs: { form: list(slot, 32), isRequired: true, change: 'major', about: 'The slots' },
  outputs: { form: list(output, 16), fallback: [], change: 'major', about: 'The results' },
  blackboard_bindings: {
    form: object({
      inputs: {
        form: { kind: 'map', of: READ_PATH, most: 32 },
        fallback: {},
        rule: 'E_BINDING',
        change: 'minor',
        about: 'Where a slot is read from, by slot',
      },
      outputs: {
        form: { kind: 'map', of: WRITE_PATH, most: 16 },
        fallback: {},
        rule: 'E_BINDING',
        change: 'major',
        about: 'Where an output is written, by output',
      },
    }),
    fallback: {},
    about: 'The blackboard as the skill uses it',
  },
})

const plan: Form = object({
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

const activation: Form = object({
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

const llmSupport: Form = object({
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

const policy: Form = object({
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

const tests: Form = object({
  unit_cases: {
    form: list(text(400, { least: 1 }), 1000),
    fallback: [],
    rule: 'E_PATH',
    change: 'none',
    about: 'Files of cases, in the folder of the skill',
  },
  fuzz: {
    form: object({
      count: { form: whole(0, 10_000), fallback: 50, about: 'How many cases are generated' },
      mutations: { form: list(text(60), 64), fallback: ['all'], rule: 'E_MUTATION', about: 'The changes of a case, or all' },
      seed: { form: whole(0, 4_294_967_295), fallback: 1, about: 'The seed of the generator' },
    }),
    fallback: {},
    change: 'none',
    about: 'Generated cases',
  },
  expected: {
    form: object({
      pass_rate_unit: { form: RATE, fallback: 0.95, rule: 'E_THRESHOLD', about: 'The least rate of unit cases' },
      pass_rate_fuzz: { form: RATE, fallback: 0.85, rule: 'E_THRESHOLD', about: 'The least rate of generated cases' },
    }),
    fallback: {},
    change: 'none',
    about: 'The rates without which it is not activated',
  },
})

const provenance: Form = object({
  mined_from_traces: { form: list(text(200), 20), about: 'Runs that taught it' },
  support: { form: RATE, about: 'The share of runs that have the pattern' },
  success: { form: RATE, about: 'The share of them that succeeded' },
  delta_cost: { form: number(-1), about: 'Its cost against the calls without it: the ratio minus 1' },
  delta_p95: { form: number(-1), about: 'The same of the time in the 95th percentile' },
  miner: {
    form: object({
      version: { form: text(60), isRequired: true, about: 'The version of the miner' },
      params_hash: { form: text(64), isRequired: true, about: 'The hash of its parameters' },
    }),
    about: 'What mined it',
  },
  cost_unit: { form: words(['usd', 'tokens', 'calls']), about: 'The unit of costs' },
  pattern: { form: text(64), about: 'The hash of the mined pattern' },
})

const ending: Form = object({
  runs: { form: whole(1, 1_000_000), isRequired: true, about: 'After so many executions' },
  success: { form: RATE, isRequired: true, about: 'The rate of success that decides' },
})

const rollout: Form = object({
  experiment: { form: text(120, { least: 1 }), isRequired: true, about: 'The name that splits conversations' },
  shares: {
    form: list(
      object({
        version: { form: text(60), isRequired: true, rule: 'E_VERSION', about: 'Another version' },
        share: { form: { kind: 'number', above: 0, most: 1 }, isRequired: true, rule: 'E_ROLLOUT', about: 'Its share' },
      }),
      8,
    ),
    isRequired: true,
    about: 'The versions that get a part of the calls',
  },
  promote: { form: ending, about: 'When this version gets all calls' },
  rollback: { form: ending, about: 'When this version gets none' },
})

/**
 * The fields of a manifest (reference skill 1.3): the only source of the reader, of the published schema, of the page and of version suggestions. The
 * rules that need several fields are beside it, in the files `check-*.ts`.
 */
export const MANIFEST: Form & { readonly kind: 'object' } = {
  kind: 'object',
  fields: {
    $schema: { form: text(400), change: 'none', about: 'The schema of this file, for editors' },
    schema: { form: words([SCHEMA]), fallback: SCHEMA, rule: 'E_SCHEMA_VERSION', change: 'identity', about: 'The format of the manifest' },
    id: {
      form: text(96, { pattern: SKILL_ID, what: 'words in lower case with points between them' }),
      isRequired: true,
      rule: 'E_ID',
      change: 'identity',
      about: 'Its name',
    },
    version: { form: text(60), isRequired: true, rule: 'E_VERSION', change: 'identity', about: 'Its semantic version' },
    title: {
      form: text(80, { isProse: true }),
      rule: 'E_TEXT',
      change: 'patch',
      about: 'Its name for people. Default: the id with spaces',
    },
    description: {
      form: text(400, { isProse: true }),
      fallback: '',
      rule: 'E_TEXT',
      change: 'patch',
      about: 'What it does: the only prose of it that a model reads',
    },
    owner: { form: text(96, { least: 1 }), isRequired: true, change: 'patch', about: 'Who answers for it' },
    scope: { form: words(['project', 'org']), fallback: 'project', change: 'minor', about: 'Where it can be used' },
    compat: {
      form: { kind: 'map', of: { kind: 'either', what: 'a text or a list of texts', forms: [text(200), list(text(200), 64)] }, most: 32 },
      isRequired: true,
      rule: 'E_COMPAT',
      change: 'minor',
      about: 'Facts of the host that must hold',
    },
    signature: { form: signature, isRequired: true, about: 'What it takes and gives' },
    preconditions: {
      form: object({
        tools_available: { form: list(TOOL, 64), fallback: [], change: 'major', about: 'Every tool of the plan' },
        data_present: {
          form: list(text(400), 64),
          fallback: [],
          change: 'minor',
          about: 'Slots and paths of the blackboard that must have a value',
        },
        invariants: { form: EXPRESSIONS, fallback: [], change: 'minor', about: 'Conditions that must all hold' },
      }),
      fallback: {},
      about: 'What must be there before it runs',
    },
    plan: { form: plan, isRequired: true, about: 'What it does' },
    effects: {
      form: object({
        writes: {
          form: list(WRITE_PATH, 64, 'E_BINDING'),
          fallback: [],
          rule: 'E_BINDING',
          change: 'major',
          about: 'Every path of the blackboard that it writes',
        },
        external: {
          form: list(text(100, { pattern: /^[a-z][a-z0-9_-]*:[a-z0-9][a-z0-9_.-]*$/, what: 'verb:noun, such as updated:image' }), 16),
          fallback: [],
          rule: 'E_EFFECT',
          change: 'major',
          about: 'What it changes outside',
        },
      }),
      fallback: {},
      about: 'What it changes',
    },
    activation: { form: activation, fallback: {}, about: 'When it is offered' },
    llm_support: { form: llmSupport, fallback: {}, about: 'How its slots are filled from text' },
    policy: { form: policy, fallback: {}, about: 'Who may use it, and when not' },
    tests: { form: tests, fallback: {}, about: 'What it must pass before it is activated' },
    provenance: { form: provenance, fallback: {}, change: 'none', about: 'Where it comes from' },
    rollout: { form: rollout, change: 'none', about: 'How its versions share calls' },
  },
}
