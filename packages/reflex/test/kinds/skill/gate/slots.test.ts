import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { clarifyQuestions } from '../../../../src/kinds/skill/gate/clarify.ts'
import { decide } from '../../../../src/kinds/skill/gate/decide.ts'
import { parserRequests } from '../../../../src/kinds/skill/gate/parsers.ts'
import { fillSlots } from '../../../../src/kinds/skill/gate/slots.ts'
import type { GateSnapshot } from '../../../../src/kinds/skill/model/decision.ts'
import { decideOn, proposal, SHOW, skillOf, snapshot } from './support.ts'

const PARSER = {
  name: 'find_app',
  model: 'gpt-4o-2025-04',
  temperature: 0,
  prompt_ref: 'prompts/app.v1',
  inputs: ['raw_text'],
  outputs: ['app'],
}

function manifestWith(slot: object, more: object = {}): object {
  const bindings = { blackboard_bindings: { inputs: { app: 'ctx.app' } } }
  return { ...SHOW, signature: { inputs: [{ name: 'app', type: 'hostname_label', ...slot }], ...bindings }, ...more }
}

const RULES = { extractors: [{ slot: 'app', from: 'user_text', regex: 'app ([a-z_-]+)' }], parsers: [PARSER] }
const full = skillOf(manifestWith({ required: false, default: 'by-default' }, { llm_support: RULES }))

/** Fills the slot with a source for each that is named. */
function fill(inputs: JsonObject, ctx: JsonObject, text: string, output?: string) {
  const facts: GateSnapshot = snapshot({ userText: text, board: { ctx, env: {}, work: {}, policy: {} } })
  const [request] = parserRequests(full, facts, proposal(inputs))
  const parsed = output === undefined || request === undefined ? [] : [{ key: request.key, model: PARSER.model, output }]
  const { values, checks } = fillSlots(full, { ...facts, parsed }, { inputs })
  return [checks[0]?.source, values['app'] ?? checks[0]?.reason]
}

describe('a slot', () => {
  // proves: skill 66
  it('takes its value from the first source that has one', () => {
    const text = 'app by-rule, by-parser'
    expect(fill({ app: 'by-proposal' }, { app: 'by-board' }, text, '{"app":"by-parser"}')).toEqual(['proposal', 'by-proposal'])
    expect(fill({}, { app: 'by-board' }, text, '{"app":"by-parser"}')).toEqual(['binding', 'by-board'])
    expect(fill({}, {}, text, '{"app":"by-parser"}')).toEqual(['extractor', 'by-rule'])
    expect(fill({}, {}, 'by-parser', '{"app":"by-parser"}')).toEqual(['parser', 'by-parser'])
    expect(fill({}, {}, 'nothing')).toEqual(['default', 'by-default'])
    expect(fill({ app: null }, { app: null }, 'nothing')).toEqual(['default', 'by-default'])
  })

  // proves: skill 66
  it('does not fall through to a lower source if a value is invalid', () => {
    const problem = 'is not a label of a host name'
    expect(fill({ app: 'no label' }, { app: 'by-board' }, '')).toEqual(['proposal', problem])
    expect(fill({ app: 7 }, { app: 'by-board' }, '')).toEqual(['proposal', 'is not a text'])
    expect(fill({}, { app: '-' }, 'app by-rule')).toEqual(['binding', problem])
    expect(fill({}, {}, 'app _', '{"app":"by-parser"}')).toEqual(['extractor', problem])
    const record = decideOn(manifestWith({}), {}, { app: 'no label' })
    expect([record.verdict, record.reason, record.score]).toEqual(['denied', 'slot_invalid', 'not_evaluated'])
  })

  it('refuses an input that the skill does not have: the plan would do something else', () => {
    const record = decideOn(manifestWith({}), {}, { app: 'pay', dry_run: true, apps: 'x', ['__proto__x']: 1 })
    expect([record.verdict, record.reason]).toEqual(['denied', 'slot_invalid'])
    expect(JSON.stringify(record)).toContain('the skill has no such input; did you mean app?')
  })

  it('converts a number in its canonical text, and no other', () => {
    const inputs = (n: unknown) => decideOn({ signature: { inputs: [{ name: 'n', type: 'integer' }] } }, {}, { n } as JsonObject).verdict
    expect([inputs(3), inputs('3'), inputs('3.0'), inputs(' 3'), inputs('03'), inputs(3.5)]).toEqual([
      'approved',
      'approved',
      'denied',
      'denied',
      'denied',
      'denied',
    ])
  })
})

describe('missing slots', () => {
  const inputs = Array.from({ length: 7 }, (_, i) => ({
    name: `slot_${i}`,
    type: 'string',
    ...(i === 1 ? { description: 'Which one?' } : {}),
  }))

  // proves: skill 67
  it('are asked for once, together, and nothing is scored or run', () => {
    const record = decideOn({ signature: { inputs } }, {}, { slot_0: 'given' })
    expect(record).toMatchObject({ verdict: 'clarify', reason: 'slot_missing', score: 'not_evaluated', policy: 'not_evaluated' })
    expect(record.missing).toEqual(['slot_1', 'slot_2', 'slot_3', 'slot_4', 'slot_5', 'slot_6'])
    expect(clarifyQuestions(skillOf({ ...SHOW, signature: { inputs } }).manifest, record.missing ?? [])).toEqual([
      { slot: 'slot_1', question: 'Which one?' },
      { slot: 'slot_2', question: 'Which value for slot_2? (string)' },
      { slot: 'slot_3', question: 'Which value for slot_3? (string)' },
      { slot: 'slot_4', question: 'Which value for slot_4? (string)' },
      { slot: 'slot_5', question: 'Which value for slot_5? (string)' },
    ])
  })

  it('are not asked for if the skill would not run anyway', () => {
    expect(decideOn({ signature: { inputs } }, { state: 'quarantined' })).toMatchObject({ verdict: 'denied', reason: 'state.quarantined' })
    expect(decideOn({ signature: { inputs } }, { tools: [] })).toMatchObject({ verdict: 'denied', reason: 'tool_missing' })
  })
})

describe('a parser', () => {
  const manifest = manifestWith({}, { llm_support: { parsers: [PARSER] } })
  const skill = skillOf(manifest)
  const proposed = proposal({}, { skill_ref: SHOW.id })
  const TEXT = 'status of the app Pay-STG'

  function decideWith(answer: { model?: string; output?: string }, changes: Partial<GateSnapshot> = {}) {
    const facts = snapshot({ userText: TEXT, ...changes })
    const parsed = parserRequests(skill, facts, proposed).map(({ key }) => ({ key, model: PARSER.model, ...answer }))
    return decide(skill, { ...facts, parsed }, proposed)
  }

  it('fills a slot with what occurs in the text', () => {
    expect(decideWith({ output: '{"app":"pay-stg"}' })).toMatchObject({
      verdict: 'approved',
      preconditions: { slots: [{ source: 'parser' }] },
    })
  })

  // proves: skill 68
  it.each(['payments', 'pay', 'stg2'])('is not believed if it adds %j', (app) => {
    const expected = TEXT.toLowerCase().includes(app) ? 'approved' : 'clarify'
    expect(decideWith({ output: JSON.stringify({ app }) }).verdict).toBe(expected)
  })

  it('compares as Unicode does: compatibility and case do not count', () => {
    const folded = (userText: string, output: string) => decideWith({ output }, { userText }).verdict
    expect(folded('status ＰＡＹ', '{"app":"pay"}')).toBe('approved')
    expect(folded('status of straße', '{"app":"STRASSE"}')).toBe('approved')
  })

  it('must find a number in the text as well', () => {
    const parser = { ...PARSER, outputs: ['n'] }
    const numbers = skillOf({ ...SHOW, signature: { inputs: [{ name: 'n', type: 'integer' }] }, llm_support: { parsers: [parser] } })
    const verdict = (output: string): string => {
      const facts = snapshot({ userText: 'status 42' })
      const parsed = parserRequests(numbers, facts, proposed).map(({ key }) => ({ key, model: PARSER.model, output }))
      return decide(numbers, { ...facts, parsed }, proposed).verdict
    }
    expect([verdict('{"n":42}'), verdict('{"n":43}')]).toEqual(['approved', 'clarify'])
  })

  // proves: skill 69
  it('counts only with its pinned model, unless the host allows another', () => {
    const answer = { model: 'gpt-4o-2026-01', output: '{"app":"pay-stg"}' }
    const record = decideWith(answer)
    expect(record).toMatchObject({ verdict: 'clarify', preconditions: { slots: [{ source: 'missing', reason: 'parser_model_mismatch' }] } })
    expect(decideWith(answer, { parserModel: 'client' }).verdict).toBe('approved')
  })

  // proves: skill 70
  it('is asked once for the same text', () => {
    const facts = snapshot({ userText: TEXT })
    const [request, ...more] = parserRequests(skill, facts, proposed)
    expect([more.length, request?.inputs]).toEqual([0, { raw_text: TEXT }])
    expect(parserRequests(skill, { ...facts, parsed: [{ key: request?.key ?? '' }] }, proposed)).toEqual([])
    expect(parserRequests(skill, snapshot({ userText: TEXT }), proposed)[0]?.key).toBe(request?.key)
    expect(parserRequests(skill, snapshot({ userText: 'other' }), proposed)[0]?.key).not.toBe(request?.key)
    expect(parserRequests(skill, facts, proposal({ app: 'pay' }))).toEqual([])
  })

  it.each([{ state: 'quarantined' }, { tools: [] }] as const)('is not asked for a proposal that is denied anyway: %j', (changes) => {
    expect(parserRequests(skill, snapshot({ userText: TEXT, ...changes }), proposed)).toEqual([])
  })

  // proves: skill 71
  it.each([
    ['no answer', undefined],
    ['no JSON', 'The app is pay-stg.'],
    ['a fence', '```json\n{"app":"pay-stg"}\n```'],
    ['a comment', '{"app":"pay-stg" /* sure */}'],
    ['a trailing comma', '{"app":"pay-stg",}'],
    ['a key twice', '{"app":"other","app":"pay-stg"}'],
    ['another key', '{"app":"pay-stg","why":"clear"}'],
    ['no key', '{}'],
    ['a list', '["pay-stg"]'],
    ['null', '{"app":null}'],
    ['an empty text', '{"app":""}'],
    ['another type', '{"app":["pay-stg"]}'],
    ['too much', `{"app":"pay-stg"${' '.repeat(9000)}}`],
    ['a deep value', `{"app":${'['.repeat(4000)}${']'.repeat(4000)}}`],
  ])('that replies with %s leads to a question', (_name, output) => {
    expect(decideWith(output === undefined ? {} : { output })).toMatchObject({
      verdict: 'clarify',
      reason: 'slot_missing',
      missing: ['app'],
    })
  })

  // proves: skill 72
  it('is never asked for or about a sensitive slot', () => {
    const slots = [
      { name: 'app', type: 'hostname_label' },
      { name: 'pin', type: 'string', sensitive: true },
    ]
    const reads = { ...SHOW, signature: { inputs: slots }, llm_support: { parsers: [{ ...PARSER, inputs: ['pin'] }] } }
    expect(parserRequests(skillOf(reads), snapshot(), proposal({ pin: 'geheim' }))).toEqual([])
    // A manifest that asks for one is refused; a stored one of another version is not obeyed.
    const { manifest: checked } = skill
    const sensitive = {
      ...skill,
      manifest: {
        ...checked,
        signature: { ...checked.signature, inputs: checked.signature.inputs.map((slot) => ({ ...slot, sensitive: true })) },
      },
    }
    expect(parserRequests(sensitive, snapshot(), proposed)).toEqual([])
  })
})
