// proves: skill 3, skill 5, skill 6, skill 9, skill 13, skill 38, skill 42, skill 43, skill 44
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../../src/kernel/index.ts'
import { manifestJson, manifestText } from '../../../../src/kinds/skill/manifest/canonical.ts'
import { matchCompat } from '../../../../src/kinds/skill/manifest/compat.ts'
import { fieldRows } from '../../../../src/kinds/skill/manifest/field-rows.ts'
import { MUTATIONS, mutationsOf } from '../../../../src/kinds/skill/manifest/mutations.ts'
import { compileSkill, decodeSkill, readSkill } from '../../../../src/kinds/skill/manifest/read-skill.ts'
import { manifestSchema } from '../../../../src/kinds/skill/manifest/schema.ts'
import { suggestVersion } from '../../../../src/kinds/skill/manifest/version.ts'
import type { Manifest } from '../../../../src/kinds/skill/model/manifest.ts'
import { schemaIssues } from '../../../../src/text/json-schema/check.ts'
import { changed, HOST } from '../skills.ts'

const TEXT = readFileSync(resolve(import.meta.dirname, '../../../../../../cases/skill/manifest/base.json'), 'utf8')
const BASE = JSON.parse(TEXT) as JsonObject

function manifestOf(set: Readonly<Record<string, unknown>> = {}, remove: readonly string[] = []): Manifest {
  const { skill, findings } = decodeSkill(changed(BASE, { set, remove }), HOST)
  if (skill === undefined) throw new Error(findings.map(String).join('\n'))
  return skill.manifest
}

function changedJson(base: JsonObject, changes: Parameters<typeof changed>[1]): Json {
  return changed(base, changes) as Json
}

/** The same JSON with the keys of every object in another order. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  )
}

describe('a manifest', () => {
  it('reports all of its problems, in the order of their paths', () => {
    const set = {
      '/version': '1',
      '/activation/tau': 9,
      '/plan/steps/2/timeout_ms': 'long',
      '/plan/steps/1/tool': 3,
      '/policy/deny_iff': [],
      '/signature/inputs/0/type': 'name',
    }
    const { findings } = decodeSkill(changed(BASE, { set }), HOST)
    expect(findings.map(({ path }) => path)).toEqual([
      '/activation/tau',
      '/plan/steps/1/tool',
      '/plan/steps/2/timeout_ms',
      '/policy/deny_iff',
      '/signature/inputs/0/type',
      '/version',
    ])
  })

  it('is the same whatever the order of its keys, its white space and its comments are', () => {
    const { skill } = readSkill(TEXT, 'a.skill.json', HOST)
    const other = readSkill(`// A comment\n${JSON.stringify(reversed(BASE))}`, 'b.skill.json', HOST)
    expect(other.skill?.hash).toBe(skill?.hash)
    const text = skill === undefined ? '' : manifestText(skill.manifest)
    expect(text).not.toContain('comment')
    expect(readSkill(text, 'c.skill.json', HOST).skill?.hash).toBe(skill?.hash)
    expect(decodeSkill(changed(BASE, { set: { '/activation/tau': 2.5 } }), HOST).skill?.hash).not.toBe(skill?.hash)
  })

  it('keeps notes at its top level, and ignores them elsewhere', () => {
    const manifest = manifestOf({ '/x_keep': true, '/policy/x_why': 'asked by legal' })
    expect(manifest.extra).toEqual({ x_keep: true })
    expect(manifestJson(manifest).x_keep).toBe(true)
    expect(manifestText(manifest)).not.toContain('legal')
  })

  it('refuses a key that occurs twice', () => {
    const { skill, findings } = readSkill(TEXT.replace('"owner"', '"owner": "a", "owner"'), 'a.skill.json', HOST)
    expect(skill).toBeUndefined()
    expect(findings).toMatchObject([{ code: 'R1002', severity: 'error' }])
  })

  it('is not silently another skill after a change of its prompt', () => {
    const prompts = { prompts: () => 'Find the note.' }
    const { skill } = readSkill(TEXT, 'a.skill.json', { ...HOST, ...prompts })
    if (skill === undefined) throw new Error('refused')
    expect(compileSkill(skill.manifest, { ...HOST, ...prompts }).skill?.hash).toBe(skill.hash)
    const later = compileSkill(skill.manifest, { ...HOST, prompts: () => 'Find the note, please.' })
    expect(later.skill).toBeUndefined()
    expect(later.findings).toMatchObject([{ rule: 'E_PROMPT_REF' }])
  })

  it('is refused if it is no JSON', () => {
    const cycle: Record<string, unknown> = { ...BASE }
    cycle.x_self = cycle
    for (const value of [cycle, { ...BASE, x_when: new Date(0) }, { ...BASE, activation: { tau: Number.NaN } }])
      expect(decodeSkill(value)).toMatchObject({ findings: [{ code: 'R2004' }] })
    for (const value of [null, 'skill', [BASE]]) expect(decodeSkill(value)).toMatchObject({ findings: [{ rule: 'E_TYPE' }] })
  })

  it('never makes its reader throw, whatever is in it', () => {
    const paths = fieldRows().map(({ path }) => `/${path.replaceAll('[]', '/0').replaceAll('.*', '/x').replaceAll('.', '/')}`)
    const written = paths.filter(
      (path) =>
        path
          .split('/')
          .slice(1, -1)
          .reduce<unknown>((at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined), BASE) instanceof Object,
    )
    const host = { ...HOST, prompts: () => 'x' }
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...written), fc.jsonValue({ maxDepth: 3 })), { minLength: 1, maxLength: 4 }),
        (changes) => {
          const copy = changes.reduce<unknown>((value, [path, member]) => {
            try {
              return changed(value, { set: { [path]: member } })
            } catch {
              return value
            }
          }, BASE)
          const { skill, findings } = decodeSkill(copy, host)
          expect(skill === undefined).toBe(findings.some(({ severity }) => severity === 'error'))
        },
      ),
      { numRuns: 150, seed: 7 },
    )
    fc.assert(
      fc.property(fc.jsonValue(), (value) => decodeSkill(value).skill === undefined),
      { numRuns: 50, seed: 7 },
    )
    fc.assert(
      fc.property(fc.string(), (text) => readSkill(text).skill === undefined),
      { numRuns: 100, seed: 7 },
    )
  })
})

describe('the mutations of a manifest', () => {
  it('are those that it names, and all of them with another value of each slot for "all"', () => {
    expect(mutationsOf(manifestOf())).toEqual(['missing_slot', 'alt_app'])
    const all = mutationsOf(manifestOf({ '/tests/fuzz': { mutations: ['all', 'missing_slot'] } }))
    expect(all).toEqual([...MUTATIONS, 'alt_app', 'alt_note', 'alt_count', 'alt_token'])
  })
})

describe('the schema and the rows of the table', () => {
  it('accept the base, and refuse a misspelt field', () => {
    expect(schemaIssues(manifestSchema(), BASE)).toEqual([])
    expect(schemaIssues(manifestSchema(), changedJson(BASE, { set: { '/x_note': 1 } }))).toEqual([])
    expect(schemaIssues(manifestSchema(), changedJson(BASE, { set: { '/policy/deny_iff': [] } }))).not.toEqual([])
    expect(schemaIssues(manifestSchema(), changedJson(BASE, { remove: ['/owner'] }))).not.toEqual([])
  })

  it('name every field once', () => {
    const paths = fieldRows().map(({ path }) => path)
    expect(new Set(paths).size).toBe(paths.length)
    expect(paths).toEqual(expect.arrayContaining(['plan.steps[].timeout_ms', 'policy.deny_if', 'llm_support.extractors[].json_pointer']))
  })
})

describe('the next version', () => {
  it.each<[string, Record<string, unknown>, string[], string | undefined]>([
    ['nothing changed', {}, [], undefined],
    ['only the tests and the provenance changed', { '/tests/fuzz/count': 99, '/provenance': { support: 0.1 } }, [], undefined],
    ['the threshold', { '/activation/tau': 3 }, [], 'patch'],
    ['a text', { '/description': 'Deploys an app again.' }, [], 'patch'],
    ['an argument of a step', { '/plan/steps/1/args/note': 'again' }, [], 'minor'],
    ['a condition', { '/policy/deny_if': [] }, [], 'minor'],
    ['the compensation', { '/plan/compensation/0/timeout_ms': 10 }, [], 'minor'],
    ['an optional slot is added', { '/signature/inputs/4': { name: 'extra', type: 'string', required: false } }, [], 'minor'],
    ['a required slot is added', { '/signature/inputs/4': { name: 'extra', type: 'string' } }, [], 'major'],
    ['a slot is retyped', { '/signature/inputs/2': { name: 'count', type: 'number', required: false } }, [], 'major'],
    ['a slot is removed', { '/llm_support/extractors': [] }, ['/signature/inputs/3'], 'major'],
    ['a tool is added', { '/preconditions/tools_available': ['deploy', 'read', 'shell', 'other'] }, [], 'major'],
    ['an effect is added', { '/effects/external': ['updated:app', 'sent:mail'] }, [], 'major'],
    ['an effect is removed', { '/effects/external': [] }, [], 'minor'],
  ])('after a change: %s', (_, set, remove, part) => {
    const holes =
      remove.length > 0 ? { ...set, '/signature/inputs': (BASE.signature as JsonObject & { inputs: Json[] }).inputs.slice(0, 3) } : set
    const suggestion = suggestVersion(manifestOf(), manifestOf(holes))
    expect(suggestion.part).toBe(part)
    const versions = { major: '2.0.0', minor: '1.1.0', patch: '1.0.1', none: '1.0.0' }
    expect(suggestion.version).toBe(versions[(part ?? 'none') as keyof typeof versions])
  })
})

describe('compat', () => {
  const facts = { project: 'pay', env: 'staging', toolset: 'v6.2', regions: ['eu', 'us'] }

  it.each<[string, Record<string, string | string[]>, boolean]>([
    ['nothing is needed', {}, true],
    ['an equal fact', { env: 'staging' }, true],
    ['another case', { env: 'Staging' }, false],
    ['one of a list', { env: ['test', 'staging'] }, true],
    ['one of the facts of the host', { regions: 'us' }, true],
    ['any value', { project: '*' }, true],
    ['any value of a fact that is not there', { owner: '*' }, false],
    ['a fact that every object has', { constructor: '*' }, false],
    ['a range of the toolset', { toolset: '>=6' }, true],
    ['a range that the toolset is not in', { toolset: '^7' }, false],
    ['a range of another fact is a text', { env: '>=6' }, false],
  ])('%s', (_, compat, ok) => {
    expect(matchCompat(compat, facts)).toMatchObject({ ok })
  })

  it('lists every key with what is wanted and what is there', () => {
    expect(matchCompat({ env: 'prod', owner: 'a' }, facts).checks).toEqual([
      { key: 'env', want: 'prod', have: 'staging', ok: false },
      { key: 'owner', want: 'a', have: null, ok: false },
    ])
  })
})

describe('a condition', () => {
  function evaluate(text: string, variables: Record<string, Json> = {}): unknown {
    const { skill } = decodeSkill(changed(BASE, { set: { '/preconditions/invariants': [text] } }), { tools: HOST.tools })
    return skill?.invariants[0]?.expression.evaluate(new Map(Object.entries(variables)))
  }

  it('with an unknown function is compiled, makes the skill unbound, and fails', () => {
    const { skill, findings } = decodeSkill(
      changed(BASE, { set: { '/policy/deny_if': ["risk(args) == 'high'", 'semvr("1.0.0", "^1")'] } }),
      HOST,
    )
    expect(skill?.unbound.functions).toEqual(['risk', 'semvr'])
    expect(findings).toMatchObject([{ rule: 'W_UNBOUND' }, { rule: 'W_UNBOUND', fix: 'register it on the host, or write "semver"' }])
    expect(skill?.denyIf[0]?.expression.evaluate(new Map([['args', {}]]))).toMatchObject({ ok: false, failure: { reason: 'function' } })
  })

  it('is true or false although one side fails, if the other side decides', () => {
    expect(evaluate('ctx.none || true', { ctx: {} })).toEqual({ ok: true, value: true })
    expect(evaluate('ctx.none && false', { ctx: {} })).toEqual({ ok: true, value: false })
    expect(evaluate('ctx.none && true', { ctx: {} })).toMatchObject({ ok: false })
    expect(evaluate('1.0 == 1 && ctx.n == 3 && ctx.n == 3.0', { ctx: { n: 3 } })).toEqual({ ok: true, value: true })
  })

  it('is refused if it is too large, and stops at its budget', () => {
    const parts = Array.from({ length: 600 }, () => '1').join(',')
    expect(evaluate(`[${parts}] == []`)).toBeUndefined()
    expect(evaluate(`${'('.repeat(40)}true${')'.repeat(40)}`)).toBeUndefined()
    const list = Array.from({ length: 1000 }, (_, i) => i)
    expect(evaluate('ctx.a.all(x, ctx.a.all(y, x + y >= 0))', { ctx: { a: list } })).toMatchObject({
      ok: false,
      failure: { reason: 'steps' },
    })
  })

  it('has no clock, no randomness and nothing of the process', () => {
    for (const call of ['now()', 'random()', 'getenv("HOME")', 'fetch("https://example.com")', 'process.env.HOME'])
      expect(evaluate(`${call} == ctx.x`, { ctx: { x: 1 } })).toMatchObject({ ok: false })
  })

  it('has the functions of every skill', () => {
    expect(evaluate('glob(ctx.image, "acr.io/*:v?")', { ctx: { image: 'acr.io/pay:v1' } })).toEqual({ ok: true, value: true })
    expect(evaluate('glob(ctx.image, "acr.io/*")', { ctx: { image: 'acr-io/pay' } })).toEqual({ ok: true, value: false })
    expect(evaluate('semver("1.2.3", "^1.2")')).toEqual({ ok: true, value: true })
    expect(evaluate('has_role("admin")')).toMatchObject({ ok: false, failure: { reason: 'function' } })
  })
})
