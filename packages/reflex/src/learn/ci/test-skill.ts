import { mutationsOf } from '../../kinds/skill/manifest/mutations.ts'
import type { Manifest } from '../../kinds/skill/model/manifest.ts'
import type { UnitCase } from './case.ts'
import { checkCase } from './check-case.ts'
import { Draw } from './draw.ts'
import { judge } from './judge.ts'
import { type Base, type FuzzCase, mutate } from './mutate.ts'
import { type CaseOptions, type CaseRun, runCase, type TestHost } from './run-case.ts'
import { SECURITY } from './slot-mutations.ts'

/** The result of one test of a skill. */
export interface CaseResult {
  readonly name: string
  readonly sort: 'unit' | 'fuzz'
  readonly mutation?: string
  readonly passed: boolean
  /** How the execution ended. */
  readonly status?: string
  readonly problems: readonly string[]
}

export interface PassRate {
  readonly passed: number
  readonly of: number
  /** The least share that must pass. */
  readonly needs: number
}

/** The result of all tests of a skill: the same in every run (reference skill 1.23). */
export interface CiReport {
  readonly skill: string
  readonly version: string
  readonly hash: string
  readonly passed: boolean
  /** Why it has not passed. */
  readonly reasons: readonly string[]
  readonly unit: PassRate
  readonly fuzz: PassRate & { readonly seed: number }
  readonly security: Omit<PassRate, 'needs'>
  /** The cost with the skill over the cost without it, minus one. */
  readonly delta_cost: number
  readonly cases: readonly CaseResult[]
}

/**
 * Runs the unit cases of a skill and the cases that its mutations make of them, each of them twice. It passes if enough of both pass, if not one
 * attack gets through, and if it does not cost more than the same work without it.
 */
export async function testSkill(
  { manifest, hash }: { readonly manifest: Manifest; readonly hash: string },
  cases: readonly UnitCase[],
  host: TestHost,
): Promise<CiReport> {
  const { tests, provenance } = manifest
  const units: { readonly result: CaseResult; readonly base: Base }[] = []
  for (const one of cases) {
    const { run, flaky } = await runTwice(manifest, one, host)
    units.push({ result: resultOf({ name: one.name, sort: 'unit' }, run, [...flaky, ...checkCase(one, run)]), base: { one, run } })
  }
  const bases = units.flatMap(({ result, base }) => (result.passed && result.status === 'ok' ? [base] : []))
  const fuzz: CaseResult[] = []
  for (const [index, one] of fuzzCases(manifest, bases, host).entries()) {
    const { run, flaky } = await runTwice(manifest, one.one, host, one.options)
    const name = [`fuzz ${index + 1}`, one.mutation, one.slot?.slot.name ?? one.failing].filter((part) => part !== undefined).join(' ')
    fuzz.push(resultOf({ name, sort: 'fuzz', mutation: one.mutation }, run, [...flaky, ...judge(one, run, manifest, host.tools)]))
  }
  const attacks = fuzz.filter(({ mutation = '' }) => SECURITY.has(mutation))
  const found = {
    unit: { ...rateOf(units.map(({ result }) => result)), needs: tests.expected.pass_rate_unit },
    fuzz: { ...rateOf(fuzz), needs: tests.expected.pass_rate_fuzz, seed: tests.fuzz.seed },
    security: rateOf(attacks),
    delta_cost: deltaCost(
      units.map(({ base }) => base),
      provenance.delta_cost,
    ),
  }
  const reasons = reasonsAgainst(found, bases.length > 0 || tests.fuzz.count === 0)
  const { id: skill, version } = manifest
  return { skill, version, hash, passed: reasons.length === 0, reasons, ...found, cases: [...units.map(({ result }) => result), ...fuzz] }
}

/** Runs a case twice: everything that it depends on is in the case, so a difference is a failure. */
async function runTwice(
  manifest: Manifest,
  one: UnitCase,
  host: TestHost,
  options: CaseOptions = {},
): Promise<{ readonly run: CaseRun; readonly flaky: readonly string[] }> {
  const run = await runCase(manifest, one, host, options)
  const again = await runCase(manifest, one, host, options)
  return { run, flaky: run.digest === again.digest ? [] : ['flaky: a second run of the same case was different'] }
}

function resultOf(named: Pick<CaseResult, 'name' | 'sort' | 'mutation'>, run: CaseRun, problems: readonly string[]): CaseResult {
  const status = run.outcomes.at(-1)?.status
  return { ...named, passed: problems.length === 0, ...(status === undefined ? {} : { status }), problems }
}

/** The mutations in turn, until there are as many cases as the manifest wants; one that applies nowhere is left out. */
function fuzzCases(manifest: Manifest, bases: readonly Base[], { tools }: TestHost): readonly FuzzCase[] {
  const { count, seed } = manifest.tests.fuzz
  const draw = new Draw(seed)
  const made: FuzzCase[] = []
  let mutations = mutationsOf(manifest)
  while (made.length < count && mutations.length > 0) {
    const left: string[] = []
    for (const mutation of mutations) {
      const base = draw.pick(bases)
      const one = base === undefined || made.length >= count ? undefined : mutate(mutation, { manifest, tools, base, draw })
      if (one === undefined) continue
      made.push(one)
      left.push(mutation)
    }
    mutations = left
  }
  return made
}

function rateOf(results: readonly CaseResult[]): Omit<PassRate, 'needs'> {
  return { passed: results.filter(({ passed }) => passed).length, of: results.length }
}

/** The costs of the cases that state one without the skill; otherwise what the miner has measured. */
function deltaCost(bases: readonly Base[], measured = 0): number {
  const stated = bases.filter(({ one }) => one.baseline_cost_usd !== undefined)
  const before = stated.reduce((sum, { one }) => sum + (one.baseline_cost_usd ?? 0), 0)
  const after = stated.reduce((sum, { run }) => sum + run.cost, 0)
  if (stated.length === 0) return measured
  return before === 0 ? (after > 0 ? 1 : 0) : Math.round((after / before - 1) * 1e6) / 1e6
}

type Found = Pick<CiReport, 'unit' | 'fuzz' | 'security' | 'delta_cost'>

/** Why a skill has not passed (reference skill 1.23). */
export function reasonsAgainst({ unit, fuzz, security, delta_cost }: Found, canMutate = true): readonly string[] {
  return [
    ...(unit.of === 0 ? ['there are no unit cases: name them under tests.unit_cases'] : rateReasons('unit cases', unit)),
    ...(canMutate ? rateReasons('mutated cases', fuzz) : ['no unit case ends with ok, so there is nothing to mutate']),
    ...(security.passed < security.of ? [`${security.of - security.passed} of ${security.of} attacks were not stopped; all must be`] : []),
    ...(delta_cost > 0 ? [`it costs ${Math.round(delta_cost * 1000) / 10} % more than the same work without it`] : []),
  ]
}

function rateReasons(what: string, { passed, of, needs }: PassRate): readonly string[] {
  const isEnough = of === 0 || passed >= needs * of - 1e-9
  return isEnough ? [] : [`${passed} of ${of} ${what} passed = ${(passed / of).toFixed(3)}, needs ${needs}`]
}
