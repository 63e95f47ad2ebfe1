import { describe, expect, it } from 'vitest'
import type { ExpressionFunction } from '../../../../src/text/index.ts'
import { decide, dryRun } from '../../../../src/kinds/skill/gate/decide.ts'
import { decisionReasons } from '../../../../src/kinds/skill/gate/explain.ts'
import { confirmationFingerprint } from '../../../../src/kinds/skill/gate/read-features.ts'
import { unknownSkill } from '../../../../src/kinds/skill/gate/skill-ref.ts'
import type { GateSnapshot } from '../../../../src/kinds/skill/model/decision.ts'
import { DEPLOY, decideOn, FUNCTIONS, INPUTS, proposal, SHOW, skillOf, snapshot } from './support.ts'

/** The functions of the host, each with one answer. */
function hostFunctions(answers: Readonly<Record<string, string>>): readonly ExpressionFunction[] {
  return FUNCTIONS.map((one) => ({ ...one, call: () => answers[one.name] ?? '' }))
}

const OPEN = { deploy_window: 'open', risk_scan: 'low' }
const skill = skillOf(DEPLOY)

/** Decides on the skill of the seed as a port does: the functions of the host are called first, and their answers recorded. */
function decideDeploy(changes: Partial<GateSnapshot> = {}, answers = OPEN, inputs = INPUTS, ref = DEPLOY.id) {
  const asked = snapshot(changes)
  const proposed = proposal(inputs, { skill_ref: ref })
  const functionResults = dryRun(skill, asked, proposed, hostFunctions(answers))
  return decide(skill, { ...asked, functionResults }, proposed)
}

describe('the order of the stages', () => {
  // proves: skill 45, skill 46
  it('reports only the first stage that fails, and the next one after it is fixed', () => {
    const wrong: Partial<GateSnapshot> = {
      facts: { env: 'production', toolset: 'v6', repo: 'github.com/acme/payments' },
      state: 'draft',
      userText: 'Hello',
      principal: { id: 'bo', roles: [] },
    }
    const { facts: _facts, ...fits } = wrong
    const { state: _state, ...active } = fits
    const { userText: _text, ...scored } = active
    const stages = [wrong, fits, active, scored, {}].map((changes) => {
      const { reason, compat, preconditions, score, policy } = decideDeploy(changes)
      return [reason, ...[compat, preconditions, score, policy].map((stage) => (typeof stage === 'string' ? stage : stage.ok))]
    })
    const later = 'not_evaluated'
    expect(stages).toEqual([
      ['compat.env', false, later, later, later],
      ['state.draft', true, false, later, later],
      ['below_tau', true, true, false, later],
      ['policy.role', true, true, true, false],
      ['approved', true, true, true, true],
    ])
  })

  it('calls no function of the host before its stage', () => {
    const called: string[] = []
    const functions = FUNCTIONS.map((one) => ({ ...one, call: () => called.push(one.name) && 'open' }))
    dryRun(skill, snapshot({ facts: {} }), proposal(INPUTS), functions)
    expect(called).toEqual([])
    dryRun(skill, snapshot({ userText: 'Hello' }), proposal(INPUTS), functions)
    expect(called).toEqual(['deploy_window'])
  })

  it('lists every reason of the stage that decides', () => {
    const record = decideDeploy({ state: 'quarantined', tools: [], hostFacts: {} }, { ...OPEN, deploy_window: 'closed' })
    expect(record.reason).toBe('state.quarantined')
    expect(decisionReasons(record)).toEqual(['state.quarantined', 'tool_missing', 'invariant_false', 'invariant_error'])
    const compat = decideDeploy({ facts: { toolset: 'v5' } })
    expect(decisionReasons(compat)).toEqual(['compat.env', 'compat.toolset', 'compat.repo'])
    const policy = decideDeploy({ principal: { id: 'bo', roles: [] } }, { ...OPEN, risk_scan: 'high' })
    expect(decisionReasons(policy)).toEqual(['policy.role', 'policy.deny_if'])
  })

  it('does not score what a program calls', () => {
    const { userText: _text, ...rest } = snapshot()
    const proposed = proposal(INPUTS, { carrier: 'program' })
    const functionResults = dryRun(skill, rest, proposed, hostFunctions(OPEN))
    expect(decide(skill, { ...rest, functionResults }, proposed)).toMatchObject({ score: 'not_applicable', verdict: 'approved' })
  })
})

describe('compat', () => {
  // proves: skill 47
  it.each([
    ['equality', { env: 'staging' }, { env: 'staging' }, { env: 'Staging' }],
    ['membership', { env: ['test', 'staging'] }, { env: 'staging' }, { env: 'production' }],
    ['a fact with several values', { env: 'staging' }, { env: ['test', 'staging'] }, { env: ['test'] }],
    ['a range of toolsets', { toolset: '>=6' }, { toolset: 'v6' }, { toolset: 'v5' }],
    ['a range of exact toolsets', { toolset: '^6.2.0' }, { toolset: '6.3.1' }, { toolset: '6.1.0' }],
    ['any value', { region: '*' }, { region: 'eu' }, {}],
    ['the project', { project: 'acme/payments' }, {}, undefined],
  ])('compares %s', (_name, compat, passes, fails) => {
    expect(decideOn({ compat }, { facts: passes }).verdict).toBe('approved')
    const [key = ''] = Object.keys(compat)
    const other = fails === undefined ? { project: 'acme/other' } : { facts: fails }
    const { verdict, reason, compat: result } = decideOn({ compat }, other)
    expect([verdict, reason]).toEqual(['denied', `compat.${key}`])
    expect(result).toMatchObject({ ok: false, checks: [{ key, ok: false }] })
  })

  it('ignores facts that the manifest leaves out', () => {
    expect(decideOn({ compat: {} }, { facts: { env: 'anywhere' } }).verdict).toBe('approved')
  })
})

describe('preconditions', () => {
  // proves: skill 53
  it('deny a quarantined skill, whatever its score', () => {
    expect(decideDeploy({ state: 'quarantined' })).toMatchObject({ verdict: 'denied', reason: 'state.quarantined', score: 'not_evaluated' })
  })

  it('let a deprecated version run only for those who name it', () => {
    expect(decideDeploy({ state: 'deprecated' }).reason).toBe('state.deprecated')
    expect(decideDeploy({ state: 'deprecated' }, OPEN, INPUTS, `${DEPLOY.id}@1.3.0`).verdict).toBe('approved')
    expect(decideDeploy({ state: 'tested' }, OPEN, INPUTS, `${DEPLOY.id}@1.3.0`).reason).toBe('state.not_active')
  })

  it('need data of the blackboard, for which nobody is asked', () => {
    const preconditions = { tools_available: ['app.show'], data_present: ['work.ticket'] }
    const missing = decideOn({ preconditions })
    expect([missing.verdict, missing.reason, missing.missing]).toEqual(['denied', 'slot_missing', undefined])
    const board = { ...snapshot().board, work: { ticket: 'T1' } }
    expect(decideOn({ preconditions }, { board }).verdict).toBe('approved')
  })

  it('do not evaluate invariants while a slot has no valid value', () => {
    const { preconditions } = decideDeploy({}, OPEN, { app_name: 'pay-stg', image_tag: '; rm -rf /' })
    expect(preconditions).toMatchObject({ ok: false, invariants: 'not_evaluated' })
  })
})

describe('the policy', () => {
  // proves: skill 54
  it('lets anybody in if no role is named, and only these roles otherwise', () => {
    const principal = { id: 'bo', roles: ['Reader'] }
    expect(decideOn({ policy: {} }, { principal }).verdict).toBe('approved')
    expect(decideOn({ policy: { allow_roles: ['Reader'] } }, { principal }).verdict).toBe('approved')
    expect(decideOn({ policy: { allow_roles: ['Admin'] } }, { principal }).reason).toBe('policy.role')
  })

  // proves: skill 55
  it('denies whatever the control plane allows', () => {
    const remote = { verdict: 'allow', reason: 'ok', cached: false, age_s: 0 } as const
    const record = decideDeploy({ remote }, { ...OPEN, risk_scan: 'high' })
    expect([record.verdict, record.reason]).toEqual(['denied', 'policy.deny_if'])
    expect(record.policy).toMatchObject({ remote })
    expect(typeof record.policy === 'string' ? [] : record.policy.rules).toContainEqual({ rule: 'remote', verdict: 'allow', detail: 'ok' })
  })

  it.each([
    ['deny', 'policy.remote_deny'],
    ['needs_promotion', 'policy.needs_promotion'],
    ['unavailable', 'policy.unavailable'],
  ] as const)('follows a remote verdict "%s"', (verdict, reason) => {
    const remote = { verdict, reason: 'r', cached: true, age_s: 9 }
    expect(decideDeploy({ remote }).reason).toBe(reason)
    // A skill that changes nothing outside runs while the control plane is down.
    expect(decideOn({}, { remote }).verdict).toBe(verdict === 'unavailable' ? 'approved' : 'denied')
  })

  // proves: skill 56
  it('only advises in the mode "advise"', () => {
    const record = decideDeploy({ policyMode: 'advise', principal: { id: 'bo', roles: [] } })
    expect([record.verdict, record.reason]).toEqual(['approved', 'approved'])
    expect(record.policy).toMatchObject({
      ok: false,
      mode: 'advise',
      enforced: false,
      rules: [{ rule: 'allow_roles', verdict: 'deny' }, {}, {}],
    })
  })

  // proves: skill 57
  it('asks for the confirmation of exactly these arguments', () => {
    const manifest = {
      ...SHOW,
      signature: { inputs: [{ name: 'app', type: 'string' }] },
      policy: { require_confirmation: true },
    }
    const confirmed = [confirmationFingerprint(skillOf(manifest), { app: 'pay' })]
    expect(decideOn(manifest, {}, { app: 'pay' }).reason).toBe('policy.confirmation')
    expect(decideOn(manifest, { confirmed }, { app: 'pay' }).verdict).toBe('approved')
    expect(decideOn(manifest, { confirmed }, { app: 'other' }).reason).toBe('policy.confirmation')
    expect(decideOn({ ...manifest, version: '1.0.1' }, { confirmed }, { app: 'pay' }).reason).toBe('policy.confirmation')
  })

  // proves: skill 58
  it.each([
    ['a key of a service', `sk-${'a1B2'.repeat(8)}`],
    ['a password in an address', 'postgres://ana:hunter2hunter2@db.example/pay'],
    ['a secret inside a value', { headers: [{ authorization: `ghp_${'x1'.repeat(20)}` }] }],
    ['the mark of a masked secret', 'token ‹secret 4f1c›'],
  ])('refuses %s, and does not repeat it', (_name, value) => {
    const manifest = { signature: { inputs: [{ name: 'note', type: 'json' }] } }
    const record = decideOn(manifest, {}, { note: value })
    expect([record.verdict, record.reason]).toEqual(['denied', 'policy.secret'])
    expect(JSON.stringify(record)).not.toMatch(/hunter2|a1B2|x1x1/)
    expect(decideOn(manifest, {}, { note: 'https://example.com/a?b=c' }).verdict).toBe('approved')
  })

  it('keeps data in the regions that the blackboard names', () => {
    const board = { ...snapshot().board, policy: { residency: ['eu'] } }
    expect(decideOn({}, { board, facts: { region: 'eu' } }).verdict).toBe('approved')
    expect(decideOn({}, { board, facts: { region: 'us' } }).reason).toBe('policy.residency')
    expect(decideOn({}, { board, facts: {} }).reason).toBe('policy.residency')
  })

  it('forbids a shell where the host forbids it', () => {
    const manifest = { plan: { steps: [{ tool: 'app.show', args: {}, shell: true }] }, policy: { allow_shell: true } }
    expect(decideOn(manifest).verdict).toBe('approved')
    const board = { ...snapshot().board, policy: { allow_shell: false } }
    expect(decideOn(manifest, { board }).reason).toBe('policy.shell')
  })
})

describe('an unknown skill', () => {
  // proves: skill 65
  it('is denied, with the nearest active ids', () => {
    const active = [DEPLOY.id, 'deploy.container.appservices', 'refund.lost_parcel']
    const record = unknownSkill(snapshot(), proposal({}, { skill_ref: 'deploy.container.appservise' }), active)
    expect(record).toMatchObject({ verdict: 'denied', reason: 'unknown_skill', skill: null, compat: 'not_evaluated', fn_results: [] })
    expect(record.nearest).toEqual([DEPLOY.id, 'deploy.container.appservices'])
  })

  it.each(['', '@', 'x@', '__proto__', 'a'.repeat(5000), '<SKILL_PROPOSE>', 'a..b'])(
    'is denied for a reference that is no name: %j',
    (ref) => {
      const record = unknownSkill(snapshot(), proposal({}, { skill_ref: ref }), [DEPLOY.id])
      expect(record.reason).toBe('unknown_skill')
      expect(record.proposal.skill_ref.length).toBeLessThanOrEqual(200)
    },
  )
})
