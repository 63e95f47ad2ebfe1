import { type Form, list, object, text, words } from './fields.ts'
import { EXPRESSIONS, SCHEMA, SKILL_ID, TOOL, WRITE_PATH } from './patterns.ts'
import { plan } from './plan-fields.ts'
import { provenance, rollout, tests } from './release-fields.ts'
import { signature } from './signature-fields.ts'
import { activation, llmSupport, policy } from './support-fields.ts'

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
