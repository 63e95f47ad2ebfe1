import { type Form, list, number, object, text, whole, words } from './fields.ts'
import { RATE } from './patterns.ts'

/** The fields of `tests`. */
export const tests: Form = object({
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

/** The fields of `provenance`. */
export const provenance: Form = object({
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

/** The fields of `rollout`. */
export const rollout: Form = object({
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
