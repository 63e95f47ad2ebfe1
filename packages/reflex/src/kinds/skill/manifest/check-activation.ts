import { digest } from '../../../kernel/index.ts'
import { type Path, quote, quoteAll, suggest } from '../../../text/index.ts'
import { type Manifest, SCORE_FEATURES, type SlotParser } from '../model/manifest.ts'
import { compileSlotRule } from '../templates/extract.ts'
import { pathProblem } from '../templates/paths.ts'
import { nameFix } from './check-signature.ts'
import { MUTATIONS } from './mutations.ts'
import type { ManifestReport } from './report.ts'
import { isToolsetRange } from './compat.ts'
import { isRange, isVersion } from './semantic-version.ts'
import { BOARD_PATH } from './patterns.ts'

/** Returns the text of a prompt; undefined for one that does not exist. */
export type Prompts = (reference: string) => string | undefined

/** The least rates of success that a registry accepts. */
export interface RateFloor {
  readonly unit: number
  readonly fuzz: number
}

/** Checks the identity, the compatibility, and the parts around the plan: activation, parsers, extractors, tests and rollout. */
export function checkRest(manifest: Manifest, given: object, prompts: Prompts | undefined, floor: RateFloor, report: ManifestReport): void {
  const { version, compat } = manifest
  if (!isVersion(version))
    report.add('E_VERSION', ['version'], `${quote(version)} is not a semantic version`, 'write three parts, such as 1.0.0, without "v"')
  for (const value of [compat.toolset ?? []].flat())
    if (isToolsetRange(value) && !isRange(value))
      report.add('E_COMPAT', ['compat', 'toolset'], `${quote(value)} is not a range of versions`, 'write a range such as ">=6" or "^6.1"')
  checkActivation(manifest, given, report)
  for (const [index, parser] of manifest.llm_support.parsers.entries())
    checkParser(parser, ['llm_support', 'parsers', index], manifest, prompts, report)
  checkExtractors(manifest, given, report)
  checkTests(manifest, floor, report)
  checkRollout(manifest, report)
}

function checkActivation({ activation, signature }: Manifest, given: object, report: ManifestReport): void {
  const slots = signature.inputs.map(({ name }) => name)
  for (const [index, name] of activation.required_slots.entries())
    checkSlotName(name, slots, ['activation', 'required_slots', index], report)
  const at = ['activation', 'score_weights']
  const written = memberOf(memberOf(given, 'activation'), 'score_weights')
  for (const feature of Object.keys(written ?? {})) {
    if (SCORE_FEATURES.some((known) => known === feature)) continue
    const guess = suggest(feature, SCORE_FEATURES)
    report.add(
      'E_WEIGHT',
      [...at, feature],
      `there is no feature ${quote(feature)}`,
      `write ${guess === undefined ? `one of ${quoteAll(SCORE_FEATURES)}` : quote(guess)}`,
      { part: 'key', guess },
    )
  }
  const sum = Object.values(activation.score_weights).reduce((total, weight) => total + weight, 0)
  if (sum <= 0) report.add('E_WEIGHT', at, 'all weights are 0', 'give one feature a weight above 0')
  else if (activation.tau !== undefined && activation.tau > sum)
    report.add(
      'E_TAU_UNREACHABLE',
      ['activation', 'tau'],
      `the threshold ${activation.tau} is above the sum of the weights, ${sum}`,
      `write at most ${sum}`,
    )
}

function checkSlotName(name: string, slots: readonly string[], at: Path, report: ManifestReport): void {
  if (slots.includes(name)) return
  const guess = suggest(name, slots)
  report.add('E_REF', at, `there is no slot ${quote(name)}`, nameFix(slots, guess, 'slot'), { guess })
}

function checkParser(parser: SlotParser, at: Path, { signature }: Manifest, prompts: Prompts | undefined, report: ManifestReport): void {
  const slots = signature.inputs.map(({ name }) => name)
  for (const [index, name] of parser.outputs.entries()) {
    const path = [...at, 'outputs', index]
    checkSlotName(name, slots, path, report)
    if (signature.inputs.find((slot) => slot.name === name)?.sensitive === true)
      report.add(
        'E_PARSER_SECRET',
        path,
        `the slot ${quote(name)} is sensitive, and no model may read it`,
        'remove it; bind the slot, or let the caller give it',
      )
  }
  const path = [...at, 'prompt_ref']
  if (parser.prompt_ref.split('/').includes('..'))
    report.add('E_PROMPT_REF', path, 'the prompt is outside of the store', 'write its name without ".."')
  else if (prompts !== undefined && parser.prompt_ref !== '') checkPrompt(parser, prompts(parser.prompt_ref), path, report)
}

function checkPrompt(
  { prompt_ref: name, prompt_sha256: hash }: SlotParser,
  prompt: string | undefined,
  at: Path,
  report: ManifestReport,
): void {
  if (prompt === undefined)
    report.add('E_PROMPT_REF', at, `there is no prompt ${quote(name)}`, 'add the prompt to the store, or correct its name')
  else if (hash !== undefined && digest(prompt) !== hash)
    report.add(
      'E_PROMPT_REF',
      at,
      `the prompt ${quote(name)} has changed since the skill was registered`,
      'restore the prompt, or release a new version of the skill',
    )
}

function checkExtractors({ llm_support: support, signature }: Manifest, given: object, report: ManifestReport): void {
  const slots = signature.inputs.map(({ name }) => name)
  const written = memberOf(memberOf(given, 'llm_support'), 'extractors')
  for (const [index, { slot, from, take }] of support.extractors.entries()) {
    const at = ['llm_support', 'extractors', index]
    checkSlotName(slot, slots, [...at, 'slot'], report)
    if (from !== 'user_text' && !BOARD_PATH.test(from))
      report.add(
        'E_REF',
        [...at, 'from'],
        `${quote(from)} is neither user_text nor a path of the blackboard`,
        'write user_text, or a path such as ctx.name',
      )
    const ways = ['regex', 'enum', 'json_pointer'].filter((key) => memberOf(memberOf(written, index), key) !== undefined)
    if (ways.length !== 1)
      report.add(
        'E_EXTRACTOR',
        at,
        `the extractor has ${ways.length === 0 ? 'none' : 'more than one'} of regex, enum and json_pointer`,
        'write exactly one of them',
      )
    else {
      const rule = compileSlotRule(take)
      if (typeof rule !== 'function') report.add('E_EXTRACTOR', rule.key === undefined ? at : [...at, rule.key], rule.problem, rule.fix)
    }
  }
}

function checkTests({ tests, signature }: Manifest, floor: RateFloor, report: ManifestReport): void {
  for (const [index, file] of tests.unit_cases.entries()) {
    const problem = pathProblem(file)
    if (problem !== undefined)
      report.add(
        'E_PATH',
        ['tests', 'unit_cases', index],
        `the path ${quote(file)} ${problem}`,
        'write a path inside the folder of the skill',
      )
  }
  const known = ['all', ...MUTATIONS, ...signature.inputs.map(({ name }) => `alt_${name}`)]
  for (const [index, mutation] of tests.fuzz.mutations.entries()) {
    if (known.includes(mutation)) continue
    const guess = suggest(mutation, known)
    const fix =
      guess === undefined ? `write all, one of ${quoteAll(MUTATIONS, 20)}, or alt_ with the name of a slot` : `write ${quote(guess)}`
    report.add('E_MUTATION', ['tests', 'fuzz', 'mutations', index], `there is no mutation ${quote(mutation)}`, fix, { guess })
  }
  const rates = { pass_rate_unit: floor.unit, pass_rate_fuzz: floor.fuzz } as const
  for (const key of ['pass_rate_unit', 'pass_rate_fuzz'] as const)
    if (tests.expected[key] < rates[key])
      report.add(
        'E_THRESHOLD',
        ['tests', 'expected', key],
        `${tests.expected[key]} is below the rate of the registry`,
        `write at least ${rates[key]}`,
      )
}

function checkRollout({ rollout, version }: Manifest, report: ManifestReport): void {
  if (rollout === undefined) return
  const seen = new Set([version])
  for (const [index, share] of rollout.shares.entries()) {
    const path = ['rollout', 'shares', index, 'version']
    if (!isVersion(share.version))
      report.add('E_VERSION', path, `${quote(share.version)} is not a semantic version`, 'write three parts, such as 1.0.0')
    else if (seen.has(share.version))
      report.add('E_ROLLOUT', path, `the version ${quote(share.version)} has a share already`, 'write another version')
    seen.add(share.version)
  }
  const sum = rollout.shares.reduce((total, { share }) => total + share, 0)
  // The shares are decimals: 0.7 + 0.3 is not always 1.
  if (sum > 1 + 1e-9) report.add('E_ROLLOUT', ['rollout', 'shares'], `the shares are ${sum} together`, 'write shares of at most 1 together')
}

/** Returns a member of a value as written; undefined if it has none. */
function memberOf(value: unknown, key: string | number): object | undefined {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string | number, object | undefined>)[key]
    : undefined
}
