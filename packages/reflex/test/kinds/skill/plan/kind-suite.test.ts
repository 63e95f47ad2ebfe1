import { describe, expect, it } from 'vitest'
import { digest, type Json, type JsonObject, type Port } from '../../../../src/kernel/index.ts'
import type { LookResult } from '../../../../src/kinds/skill/plan/compiled-plan.ts'
import { skillKind } from '../../../../src/kinds/skill/plan/kind.ts'
import { registryPorts } from '../../../../src/kinds/skill/plan/registry-port.ts'
import { skillHost } from '../../../../src/kinds/skill/plan/skill-host.ts'
import { SkillMaker } from '../../../../src/kinds/skill/plan/skill-program.ts'
import { memoryStore } from '../../../../src/store/index.ts'
import { type KindSubject, kindSuite, virtualHost } from '../../../../src/testing/index.ts'
import { flow } from '../../../kernel/probes/flow.ts'
import { worldOf } from '../../../kernel/world.ts'
import { runsSettings } from '../../../policy/settings.ts'
import { tool } from '../skills.ts'

const host = skillHost({ project: 'acme', principal: { id: 'ana', roles: [] } }, 'work')
const TOOLS = [tool('show', { sideEffects: 'none', idempotent: true }), tool('set'), tool('restart'), tool('unset')]
const maker = new SkillMaker(host, () => TOOLS)

/** What the gate finds: an active skill whose tools are all there. */
const LOOK: LookResult = {
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

const READS = skill({ steps: [show('before'), show('after')], result_map: { seen: '{{steps.after.result.image}}' } })

const FAILS = skill(
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
const tools: Port = {
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
  times: ['at', 'time', 'undoAt', 'finished', 'started_at'],
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

const SUBJECTS: readonly KindSubject[] = [
  subject('a skill that reads', READS),
  subject('a skill with a key and undos that fails in the middle', FAILS),
  subject('a skill that calls a program as a step', calling('flow:review'), { calling }),
  subject('a skill that asks for a slot', READS, { args: {} }),
]

it.each<[KindSubject, string, Json]>(
  SUBJECTS.map((one, index) => [
    one,
    index === 1 ? 'failed' : 'done',
    index === 1 ? { code: 'R1472', data: { outcome: { compensated: 'full' } } } : { seen: expect.stringMatching(/^[0-9a-f]{8}/) as Json },
  ]),
)('$0.name ends as it is meant to', async ({ kinds, programs, ports, script, args }, status, value) => {
  const store = memoryStore()
  const world = worldOf(kinds, { ports: ports?.(store, virtualHost()) ?? {}, store, settings: runsSettings() })
  for (const { kind, id, source } of programs) world.runtime.programs.add(kind, id, source)
  const [{ kind, id, source } = { kind: '', id: '', source: null }] = programs
  const run = await world.runtime.start(world.runtime.programs.add(kind, id, source), { args: args ?? null })
  await run.idle()
  for (const wait of run.state.waits.values()) await run.answer(wait.id, script?.answer?.(wait) ?? null)
  await run.idle()
  expect(run.state.ended).toMatchObject({ status, value })
})

for (const one of SUBJECTS) {
  // proves: skill 129-crash, skill 148
  describe(`a plan keeps the promises of a kind: ${one.name}`, () => {
    for (const { name, run } of kindSuite(one)) it(name, { timeout: 120_000 }, run)
  })
}
