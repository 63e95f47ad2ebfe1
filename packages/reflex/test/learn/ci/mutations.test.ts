// proves: skill 172
import { describe, expect, it } from 'vitest'
import { MUTATIONS } from '../../../src/kinds/skill/manifest/mutations.ts'
import { judge } from '../../../src/learn/ci/judge.ts'
import { mutate } from '../../../src/learn/ci/mutate.ts'
import { runCase, type CaseRun } from '../../../src/learn/ci/run-case.ts'
import { Draw } from '../../../src/learn/ci/draw.ts'
import type { CaseCall } from '../../../src/learn/ci/recorded-tools.ts'
import { CASE, caseOf, compiled, DEPLOY, fuzzed, TOOLS, withPart } from './world.ts'

const UNDOES_NOTHING = withPart(DEPLOY, 'plan.compensation.0.when', 'cancelled')
/** Its result is that of a tool. */
const RETURNS_AN_IMAGE = withPart(
  withPart(UNDOES_NOTHING, 'plan.result_map.was', '{{steps.read.result.image}}'),
  'signature.outputs.0.type',
  'image_ref',
)

describe('each mutation (skill 172)', () => {
  it.each([...MUTATIONS, 'alt_app', 'alt_image'])('%s: a sound skill passes', async (mutation) => {
    const cases = await fuzzed(DEPLOY, mutation)
    expect(cases.map(({ problems }) => problems)).toEqual([[], [], []])
    expect(cases[0]?.name).toContain(mutation)
  })

  /** Skills that a mutation finds out: each is accepted by the reader of manifests. */
  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['tool_error', withPart(DEPLOY, 'plan.compensation.0.when', 'timeout'), 'its undo is: none'],
    ['tool_timeout', withPart(DEPLOY, 'plan.compensation.0.when', 'budget_exceeded'), 'its undo is: none'],
    ['partial_failure_at_k', UNDOES_NOTHING, 'its undo is: none'],
    ['budget_tight', UNDOES_NOTHING, 'its undo is: none'],
    ['tool_garbage', RETURNS_AN_IMAGE, 'its undo is: none'],
  ])('%s: a skill that does not clean up fails', async (mutation, source, problem) => {
    const cases = await fuzzed(source, mutation, 12, withPart(CASE, 'expect', { status: 'ok' }))
    expect(cases.flatMap(({ problems }) => problems).join('\n')).toContain(problem)
  })
})

/** A run in which something went wrong that no plan of Reflex does: what a broken engine would do. */
describe('a wrong run fails', () => {
  const { manifest } = compiled(DEPLOY)

  async function changed(mutation: string, change: (run: CaseRun) => CaseRun): Promise<readonly string[]> {
    const one = caseOf()
    const base = { one, run: await runCase(manifest, one, { tools: TOOLS }) }
    for (let seed = 1; seed < 50; seed++) {
      const fuzz = mutate(mutation, { manifest, tools: TOOLS, base, draw: new Draw(seed) })
      if (fuzz === undefined) continue
      const run = await runCase(manifest, fuzz.one, { tools: TOOLS }, fuzz.options)
      const problems = judge(
        fuzz,
        change({ ...base.run, outcomes: run.outcomes, decisions: run.decisions, callsAfter: run.callsAfter }),
        manifest,
        TOOLS,
      )
      if (problems.length > 0) return problems
    }
    return []
  }
  const calls = (change: (call: CaseCall) => CaseCall) => (run: CaseRun) => ({ ...run, calls: run.calls.map(change) })
  const image = (text: string) =>
    calls((call) => (call.step === 'set' ? { ...call, args: { cmd: ['setimage', '--app', 'pay', text] } } : call))

  it.each<[string, (run: CaseRun) => CaseRun, string]>([
    ['missing_slot', (run) => ({ ...run, broken: 'R9001 TypeError' }), 'the skill broke off: R9001 TypeError'],
    ['empty_string', calls((call) => ({ ...call, args: {} })), 'has another set of keys'],
    ['wrong_type', (run) => run, 'has an invalid value, and 3 tools were called'],
    ['overlong', (run) => run, 'has an invalid value, and 3 tools were called'],
    ['unicode_confusable', (run) => run, 'has an invalid value'],
    [
      'shell_meta',
      calls((call) => (call.step === 'set' ? { ...call, args: { cmd: ['setimage', '--app', 'pay', 'reg/pay:1', ';', 'id'] } } : call)),
      'set.cmd has 6 elements in place of 4',
    ],
    ['leading_dash', image('--config=reg/pay:1'), 'has become an option: --config=reg/pay:1'],
    [
      'path_traversal',
      (run) => ({ ...run, calls: [...run.calls, { step: 'x', tool: 'files.delete', args: {}, result: 'answered' }] }),
      'x called files.delete, which is not declared',
    ],
    ['template_injection', image('reflex-canary-7f3a'), 'filled in a template that a value brought'],
    ['policy_deny', (run) => ({ ...run, decisions: [] }), 'the policy denies it, and its verdict is none'],
    ['stale_compat', (run) => ({ ...run, decisions: [] }), 'compat does not hold, and its verdict is none'],
    [
      'duplicate_call',
      (run) => ({ ...run, calls: [...run.calls, ...run.calls], callsAfter: [3, 6] }),
      'set was called a second time under the same key',
    ],
    ['alt_image', (run) => ({ ...run, writes: { 'work.other': 1 } }), 'it wrote work.other, which is not declared'],
    [
      'tool_error',
      (run) => ({ ...run, outcomes: [{ skill_id: 'a', version: '1.0.0', status: 'ok' }] }),
      'failed, and the skill says that it succeeded',
    ],
    [
      'tool_garbage',
      (run) => ({ ...run, outcomes: [{ skill_id: 'a', version: '1.0.0', status: 'denied' }] }),
      'it was denied without a reason',
    ],
    [
      'alt_app',
      (run) => ({ ...run, outcomes: [{ skill_id: 'a', version: '1.0.0', status: 'failed', reason: 'long '.repeat(2000) }] }),
      'tokens, more than 50',
    ],
  ])('%s', async (mutation, change, problem) => {
    expect((await changed(mutation, change)).join('\n')).toContain(problem)
  })
})

describe('the structure of calls', () => {
  const FETCH = {
    ...DEPLOY,
    signature: { inputs: [{ name: 'part', type: 'string' }], outputs: [] },
    compat: {},
    preconditions: { tools_available: ['http.get'] },
    plan: {
      budget: { max_cost_usd: 1, max_latency_ms: 10_000 },
      steps: [{ id: 'get', tool: 'http.get', args: { url: 'https://api.example/v1/{{part}}/x' } }],
    },
    effects: {},
    policy: {},
  }
  const unit = { ...CASE, propose: { inputs: { part: 'a' } }, tools: [{ tool: 'http.get', result: {} }], expect: { status: 'ok' } }

  it.each(['url_authority', 'path_traversal', 'leading_dash', 'shell_meta'])('holds in a URL against %s', async (mutation) => {
    expect((await fuzzed(FETCH, mutation, 8, unit)).flatMap(({ problems }) => problems)).toEqual([])
  })

  it.each([
    ['https://api.example/v1/../x', 'leaves its folder'],
    ['https://api.example@evil.example/v1/a/x', 'another authority'],
    ['https://api.example/v1/a/y', 'outside of'],
    ['https://evil.example/v1/a/x', 'another authority'],
    ['https://api.example/v1/a/b/x', 'another path'],
    ['file:///etc/passwd', 'is no URL any more'],
  ])('is lost in %s', async (url, problem) => {
    const { structureProblems } = await import('../../../src/learn/ci/structure.ts')
    const call = (text: string): CaseCall => ({ step: 'get', tool: 'http.get', args: { url: text }, result: 'answered' })
    expect(
      structureProblems([call(url)], [call('https://api.example/v1/a/x')], { before: 'a/x'.slice(0, 1), after: 'b' }).join('\n'),
    ).toContain(problem)
  })
})
