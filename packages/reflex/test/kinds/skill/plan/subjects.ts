import { digest, type Json, type JsonObject, type Port } from '../../../../src/kernel/index.ts'
import type { LookResult } from '../../../../src/kinds/skill/plan/compiled-plan.ts'
import { skillKind } from '../../../../src/kinds/skill/plan/kind.ts'
import { registryPorts } from '../../../../src/kinds/skill/plan/registry-port.ts'
import { skillHost } from '../../../../src/kinds/skill/plan/skill-host.ts'
import { SkillMaker } from '../../../../src/kinds/skill/plan/skill-program.ts'
import type { KindSubject } from '../../../../src/testing/index.ts'
import { flow } from '../../../kernel/probes/flow.ts'
import { runsSettings } from '../../../policy/settings.ts'
import { tool } from '../skills.ts'

/** What the host of these skills says of itself. */
export const host = skillHost({ project: 'acme', principal: { id: 'ana', roles: [] } }, 'work')
const TOOLS = [tool('show', { sideEffects: 'none', idempotent: true }), tool('set'), tool('restart'), tool('unset')]
export const maker = new SkillMaker(host, () => TOOLS)

/** What the gate finds: an active skill whose tools are all there. */
export const LOOK: LookResult = {
  env: 'default',
  project: 'acme',
  now: '2026-01-05T00:00:00.000Z',
  facts: {},
  principal: { id: 'ana', roles: [] },
  state: 'active',
  tools: TOOLS.map(({ name }) => name),
  hostFacts: {},
  stats: { successes: 0, runs: 0 },
  tau: 0.85,
  policyMode: 'enforce',
  functionResults: [],
  confirmed: [],
  prompts: {},
}

/** A skill with a step for each given one. */
const skill = (plan: JsonObject, more: JsonObject = {}): Json => ({
  schema: 'reflex.capability/1',
  id: 'app.deploy',
  version: '1.0.0',
  owner: 'platform',
  description: 'Deploys an app.',
  compat: {},
  signature: {
    inputs: [{ name: 'app', type: 'hostname_label', description: 'Which app?' }],
    outputs: [{ name: 'seen', type: 'string' }],
    blackboard_bindings: { outputs: { seen: 'work.seen' } },
  },
  plan,
  preconditions: { tools_available: TOOLS.map(({ name }) => name) },
  effects: { writes: ['work.seen', 'work.before'] },
  activation: { keywords_any: ['deploy'], score_weights: { keyword_hit: 1 }, tau: 1 },
  ...more,
})

const show = (id: string): JsonObject => ({
  id,
  tool: 'show',
  args: { app: '{{app}}', step: id },
  timeout_ms: 1000,
  capture: { 'work.before': '/image' },
})

export const READS = skill({ steps: [show('before'), show('after')], result_map: { seen: '{{steps.after.result.image}}' } })

export const FAILS = skill(
  {
    idempotence_key: 'deploy:{{app}}',
    steps: [
      show('before'),
      { id: 'put', tool: 'set', args: { app: '{{app}}' }, timeout_ms: 1000 },
      { id: 'start', tool: 'restart', args: { app: '{{app}}' }, timeout_ms: 1000 },
    ],
    compensation: [
      { when: 'any', tool: 'unset', args: { app: '{{app}}' } },
      { when: 'partial_failure', for_step: 'put', tool: 'set', args: { app: '{{app}}', image: '{{work.before}}' } },
    ],
    result_map: { seen: '{{work.before}}' },
  },
  { effects: { writes: ['work.seen', 'work.before'], external: ['updated:app'] } },
)

/** A skill that calls a program as a step, and answers with its value. */
const calling = (program: string): Json =>
  skill(
    {
      idempotence_key: 'deploy:{{app}}',
      steps: [show('before'), { id: 'ask', tool: program, args: { app: '{{app}}' }, timeout_ms: 20_000 }],
      compensation: 'none',
      irreversible_reason: 'a review is an opinion',
      result_map: { seen: '{{work.before}} {{steps.ask.result | json}}' },
    },
    { effects: { writes: ['work.seen', 'work.before'], external: ['updated:review'] } },
  )

/** A port whose result depends on nothing but its arguments. */
export const tools: Port = {
  leaves: true,
  repeat: 'keyed',
  perform: ({ args }) => {
    const name = (args as { readonly tool?: string }).tool
    if (name === 'restart') throw new Error('it does not start')
    return { image: digest(JSON.stringify(args)).slice(0, 8), ok: true }
  },
}

const subject = (name: string, source: Json, given: Partial<KindSubject> = {}): KindSubject => ({
  name,
  kinds: [skillKind((json) => maker.compile(json)), flow],
  programs: [
    { kind: 'skill', id: 'app.deploy', source },
    { kind: 'flow', id: 'review', source: { entry: 'a', nodes: { a: { next: 'b' }, b: {} } } },
  ],
  args: { app: 'pay' },
  times: ['at', 'time', 'undoAt', 'undoTime', 'finished', 'started_at'],
  limitsTime: 'a plan has a budget of time',
  settings: runsSettings(),
  ports: (store, virtual) => ({
    tool: tools,
    'skills.look': { leaves: false, repeat: 'free', perform: () => LOOK },
    ...registryPorts({ store, host: virtual }, host),
    decide: { leaves: false, repeat: 'free', perform: () => 'yes' },
  }),
  script: { answer: () => ({ app: 'pay' }) },
  ...given,
})

/** A skill that has to be confirmed by somebody. */
const confirmed = (by: 'person' | 'host'): Pick<KindSubject, 'ports' | 'script'> => ({
  ports: (store, virtual) => ({
    tool: tools,
    'skills.look': { leaves: false, repeat: 'free', perform: () => ({ ...LOOK, asks_confirmation: by }) },
    'skills.confirm': { leaves: false, repeat: 'free', perform: () => true },
    ...registryPorts({ store, host: virtual }, host),
  }),
  script: { answer: () => 'yes' },
})
const CONFIRMED = skill({ ...(READS as { readonly plan: JsonObject }).plan }, { policy: { require_confirmation: true } })

/** Skills that together do what a plan can. */
export const PLANS: readonly KindSubject[] = [
  subject('a skill that reads', READS),
  subject('a skill with a key and undos that fails in the middle', FAILS),
  subject('a skill that calls a program as a step', calling('flow:review'), { calling }),
  subject('a skill that asks for a slot', READS, { args: {} }),
  subject('a skill that a person confirms', CONFIRMED, confirmed('person')),
  subject('a skill that the host confirms', CONFIRMED, confirmed('host')),
]
