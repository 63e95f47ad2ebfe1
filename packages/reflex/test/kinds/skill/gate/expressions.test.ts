import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../src/kernel/index.ts'
import { decide, dryRun } from '../../../../src/kinds/skill/gate/decide.ts'
import { functionTable } from '../../../../src/kinds/skill/gate/functions.ts'
import { decodeSkill } from '../../../../src/kinds/skill/manifest/read-skill.ts'
import type { GateSnapshot } from '../../../../src/kinds/skill/model/decision.ts'
import type { ExpressionFunction } from '../../../../src/text/index.ts'
import { DEPLOY, INPUTS, proposal, SHOW, skillOf, snapshot, TOOLS } from './support.ts'

/** Decides on one invariant with functions of a host, and says what the functions were asked. */
function decideWith(invariant: string, functions: readonly ExpressionFunction[] = [], changes: Partial<GateSnapshot> = {}) {
  const skill = skillOf({ ...SHOW, preconditions: { tools_available: ['app.show'], invariants: [invariant] } }, functions)
  const asked = snapshot({ userText: 'status', ...changes })
  const proposed = proposal({}, { skill_ref: SHOW.id })
  const functionResults = dryRun(skill, asked, proposed, functions)
  const record = decide(skill, { ...asked, functionResults }, proposed)
  const { preconditions } = record
  if (typeof preconditions === 'string' || typeof preconditions.invariants === 'string') throw new Error('not evaluated')
  return { record, found: preconditions.invariants[0]?.value, functionResults }
}

/** Throws anything, as the code of a host can. */
function raise(thrown: unknown): never {
  throw thrown as Error
}

const risk = (call: (...args: Json[]) => Json): ExpressionFunction => ({ name: 'risk', params: ['any'], returns: 'any', call })

describe('expressions of the gate', () => {
  // proves: skill 35
  it('read the facts and the functions of the seed', () => {
    const functions = [
      { name: 'deploy_window', params: ['string'], returns: 'string', call: () => 'open' },
      {
        name: 'risk_scan',
        params: ['map'],
        returns: 'string',
        call: (args: Json) => (JSON.stringify(args).includes('abc') ? 'low' : 'high'),
      },
    ] as const
    const skill = skillOf(DEPLOY)
    const functionResults = dryRun(skill, snapshot(), proposal(INPUTS), functions)
    expect(decide(skill, snapshot({ functionResults }), proposal(INPUTS)).verdict).toBe('approved')
  })

  // proves: skill 36
  it('fail closed for a missing key, as an invariant and as a reason to deny', () => {
    const { record, found } = decideWith("ctx.absent == 'x'")
    expect([found, record.reason]).toEqual(['error', 'invariant_error'])
    const denied = decide(
      skillOf({ ...SHOW, policy: { deny_if: ["ctx.absent == 'x'"] } }),
      snapshot({ userText: 'status' }),
      proposal({}, { skill_ref: SHOW.id }),
    )
    expect(denied.reason).toBe('policy.deny_if')
    expect(JSON.stringify(denied.policy)).toContain('it cannot be evaluated')
  })

  it('fail closed for a fact that the host did not state, and for a root that a fact would hide', () => {
    expect(decideWith('az.account == 1', [], { hostFacts: {} }).found).toBe('error')
    expect(decideWith("ctx.subscription == 's1'", [], { hostFacts: { ctx: { subscription: 'other' } } }).found).toBe(true)
  })

  // proves: skill 37
  it('leave a skill unbound whose function the host does not have, and are an error at the gate', () => {
    const { skill } = decodeSkill(DEPLOY, { tools: TOOLS, functions: functionTable([]).expressionFunctions, facts: ['az'] })
    expect(skill?.unbound.functions).toEqual(expect.arrayContaining(['deploy_window', 'risk_scan']))
    const record = decide(skillOf(DEPLOY, []), snapshot(), proposal(INPUTS))
    expect(record.reason).toBe('invariant_error')
  })

  // proves: skill 38
  it.each([
    ['1 / 0 == 1 || true', true],
    ['1 / 0 == 1 && false', false],
    ['1 / 0 == 1 && true', 'error'],
    ['true || 1 / 0 == 1', true],
  ])('absorb an error as CEL does: %s is %s', (text, value) => {
    expect(decideWith(text).found).toBe(value)
  })

  // proves: skill 39
  it('call a function of the host once, and not at all in a replay', () => {
    let calls = 0
    const { record, functionResults } = decideWith('risk(1) == 7 && risk(1) == 7', [risk(() => (++calls, 7))])
    expect([calls, record.verdict]).toEqual([1, 'approved'])
    expect(functionResults).toMatchObject([{ fn: 'risk', result: 7 }])
    expect(record.fn_results).toEqual(functionResults)
    // Other arguments are another call; the order of keys is none.
    expect(decideWith("risk({'a': 1, 'b': 2}) == risk({'b': 2, 'a': 1})", [risk(() => 7)]).functionResults).toHaveLength(1)
    expect(decideWith('risk(1) == risk(2)', [risk(() => 7)]).functionResults).toHaveLength(2)
  })

  it('take a recorded answer for what it is, and a missing one for an error', () => {
    const skill = skillOf({ ...SHOW, preconditions: { tools_available: ['app.show'], invariants: ['risk(1) == 7'] } }, [risk(() => 0)])
    const proposed = proposal({}, { skill_ref: SHOW.id })
    expect(decide(skill, snapshot({ userText: 'status' }), proposed).reason).toBe('invariant_error')
  })

  // proves: skill 40
  it.each<[string, (...args: Json[]) => Json]>([
    ['throws', () => raise(new Error(`no connection with sk-${'a1B2'.repeat(8)}`))],
    ['throws no error', () => raise(null)],
    ['throws what cannot be read', () => raise({ toString: () => raise(new Error('again')) })],
    ['returns a promise', () => Promise.reject(new Error('later')) as unknown as Json],
    ['returns what JSON does not have', () => (() => 1) as unknown as Json],
  ])('fail closed if a function of the host %s', (_name, call) => {
    const { record, found, functionResults } = decideWith('risk(1) == 7', [risk(call)])
    expect([found, record.reason]).toEqual(['error', 'invariant_error'])
    expect(functionResults).toMatchObject([{ fn: 'risk', error: expect.any(String) as string }])
    expect(JSON.stringify(record)).not.toContain('a1B2')
  })

  // proves: skill 41
  it('match patterns in linear time', () => {
    const attack = `'${'a'.repeat(30)}!'.matches('^(a+)+$')`
    expect(decideWith(`!${attack}`).found).toBe(true)
    expect(decideWith(`!'${'a'.repeat(1200)}!'.matches('^(a+)+$')`).found).toBe(true)
  })

  // proves: skill 42
  it('are refused if they are too large, and stop when they compute too much', () => {
    const refused = [
      '"x" == "' + 'x'.repeat(2000) + '"',
      Array.from({ length: 300 }, () => '1 == 1').join(' && '),
      '('.repeat(33) + 'true' + ')'.repeat(33),
    ]
    for (const text of refused) {
      const manifest = { ...SHOW, preconditions: { tools_available: ['app.show'], invariants: [text] } }
      expect(decodeSkill(manifest).findings.map(({ rule }) => rule)).toContain('E_EXPR')
    }
    const board = { ...snapshot().board, ctx: { list: Array.from({ length: 1000 }, (_, i) => i) } }
    expect(decideWith('ctx.list.all(a, ctx.list.all(b, a + b >= 0))', [], { board }).found).toBe('error')
    expect(decideWith('ctx.list.all(a, a >= 0)', [], { board }).found).toBe(true)
  })

  it('call functions of the host a limited number of times', () => {
    const board = { ...snapshot().board, ctx: { list: Array.from({ length: 2000 }, (_, i) => i) } }
    const { found, functionResults } = decideWith('ctx.list.all(a, risk(a) == 7)', [risk(() => 7)], { board })
    expect(found).toBe('error')
    expect(functionResults).toHaveLength(1000)
  })

  // proves: skill 43
  it('compare numbers as JSON has them', () => {
    const board = { ...snapshot().board, ctx: { n: 3, x: 0.5 } }
    expect(decideWith('1.0 == 1 && ctx.n == 3 && ctx.n == 3.0 && ctx.n < 3.5 && ctx.x == 0.5', [], { board }).found).toBe(true)
  })

  // proves: skill 44
  it.each(['now()', 'random()', 'process.env.HOME', 'fetch("https://example.com")', 'ctx.constructor', 'ctx.__proto__', 'require("fs")'])(
    'have no access to %s',
    (text) => {
      expect(decideWith(`${text} == 1`).found).toBe('error')
    },
  )

  it('know the tools and the roles of the decision', () => {
    expect(decideWith("has_tool('app.show') && !has_tool('x') && has_role('ReleaseManager') && !has_role('x')").found).toBe(true)
    expect(decideWith("glob('src/a', 'src/*') && semver('6.2.0', '>=6')").found).toBe(true)
  })

  it('keep decisions apart when a function of the host makes one', () => {
    const inner = (): Json => String(decideWith("has_tool('app.show')", [], { tools: ['app.show'] }).found)
    expect(decideWith("risk(1) == 'true' && has_role('ReleaseManager')", [risk(inner)]).found).toBe(true)
  })
})

describe('functions of a host', () => {
  it('have names of their own', () => {
    const form = { params: [], returns: 'any' } as const
    const names = ['size', 'has_tool', 'a b', '', 'twice', 'twice', 'fine']
    const { findings, expressionFunctions } = functionTable(names.map((name) => ({ name, ...form })))
    expect(findings.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'R1445 "size" cannot be the name of a function',
      'R1445 "has_tool" cannot be the name of a function',
      'R1445 "a b" cannot be the name of a function',
      'R1445 "" cannot be the name of a function',
      'R1445 "twice" is declared twice',
    ])
    expect(expressionFunctions.map(({ name }) => name)).toEqual(['has_tool', 'has_role', 'twice', 'fine'])
  })
})
