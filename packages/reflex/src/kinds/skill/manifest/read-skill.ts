import { copyJson, digest, type Fault, isFault, isObject } from '../../../kernel/index.ts'
import { type AnswerCall, type ExpressionFunction, type JsonText, type Path, quote, readJson, suggest } from '../../../text/index.ts'
import type { Manifest } from '../model/manifest.ts'
import type { SkillTool } from '../model/skill-tool.ts'
import { compileSlotRule } from '../templates/extract.ts'
import { manifestJson, manifestText, MOST_BYTES } from './canonical.ts'
import { checkRest, type Prompts, type RateFloor } from './check-activation.ts'
import { checkPlan, hasEffects } from './check-plan.ts'
import { checkSignature } from './check-signature.ts'
import { compilePlan, toolsOf } from './compile-plan.ts'
import { RuleCompiler } from './compile-rules.ts'
import type { CompiledSkill } from './compiled.ts'
import { completeManifest } from './complete.ts'
import { decodeForm } from './decode.ts'
import { withSkillFunctions } from './functions.ts'
import { ManifestReport, pointerLocator, withDetails } from './report.ts'
import { MANIFEST } from './table.ts'

/** What a host has for its skills. What is absent is not known: an unknown tool counts as one that changes something outside. */
export interface SkillHost {
  readonly tools?: readonly SkillTool[] | undefined
  /** The functions of its expressions. They must be pure over their arguments and the snapshot of the decision. */
  readonly functions?: readonly ExpressionFunction[] | undefined
  /**
   * Answers calls of functions that it does not have, from a record: a decision is made again in a process without its functions. Such a
   * function stays one that the skill lacks.
   */
  readonly answer?: AnswerCall | undefined
  /** The names of its facts, each a variable of expressions, such as `az`. */
  readonly facts?: readonly string[] | undefined
  /** Its prompts. If present, each prompt of a parser must exist, and its hash is pinned. */
  readonly prompts?: Prompts | undefined
  /** The least rates of success that its registry accepts. Default: 0.95 and 0.85. */
  readonly floor?: RateFloor | undefined
}

/** A skill as read, and everything that is wrong with it. Without `skill`, a finding is an error. */
export interface ReadSkill {
  readonly skill?: CompiledSkill
  readonly findings: readonly Fault[]
}

const FLOOR: RateFloor = { unit: 0.95, fuzz: 0.85 }

/**
 * Reads the manifest of a skill, in JSON with comments, and compiles it. Returns every problem of the text, of the fields, of the rules of reference
 * skill 1.3 and of all templates and expressions, in the order of their paths, each with its place. Never throws.
 */
export function readSkill(text: string, file?: string, host: SkillHost = {}): ReadSkill {
  const json = readJson(text, file)
  // A key that occurs twice would hide the first one, which can be a rule of safety.
  const syntax = json.findings.map((finding) => (finding.code === 'R1002' ? withDetails(finding, { severity: 'error' }) : finding))
  if (json.value === undefined) return { findings: syntax }
  const { skill, findings } = read(json.value, host, json)
  const all = [...syntax, ...findings]
  return skill === undefined || syntax.some(({ severity }) => severity === 'error') ? { findings: all } : { skill, findings: all }
}

/** Reads and compiles a manifest that is a value. Its findings have JSON pointers only. Never throws. */
export function decodeSkill(value: unknown, host: SkillHost = {}): ReadSkill {
  try {
    return read(copyJson(value, 'manifest'), host)
  } catch (thrown) {
    // A value of a module can be no JSON: a cycle, a date, a number that is not finite.
    if (isFault(thrown)) return { findings: [thrown] }
    throw thrown
  }
}

/** Compiles a manifest with the tools and functions of a host. A stored manifest of another version of Reflex is checked again. */
export function compileSkill(manifest: Manifest, host: SkillHost = {}): ReadSkill {
  return read(manifestJson(manifest), host)
}

function read(value: unknown, host: SkillHost, json?: JsonText): ReadSkill {
  const report = new ManifestReport(pointerLocator(json))
  if (!isObject(value)) {
    report.add('E_TYPE', [], 'a manifest must be an object', 'write { "id": … }')
    return { findings: report.findings() }
  }
  const decoded = decodeForm(MANIFEST, value, [], report)
  const manifest = pinPrompts(completeManifest(decoded as typeof value, value), host.prompts)
  const tools = new Map(host.tools?.map((tool) => [tool.name, tool]))
  checkSignature(manifest, report)
  checkPlan(manifest, tools, report)
  checkRest(manifest, value, host.prompts, host.floor ?? FLOOR, report)
  const text = manifestText(manifest)
  const skill = compile(manifest, digest(text), host, tools, report)
  if (Buffer.byteLength(text) > MOST_BYTES)
    report.add('E_SIZE', [], `the manifest has more than ${MOST_BYTES / 1024} KiB`, 'move data into files, or split the skill')
  return { ...(report.hasErrors ? {} : { skill }), findings: report.findings() }
}

function compile(manifest: Manifest, hash: string, host: SkillHost, tools: Map<string, SkillTool>, report: ManifestReport): CompiledSkill {
  const functions = withSkillFunctions(host.functions ?? [])
  const rules = new RuleCompiler(
    { functions, isKnown: host.functions !== undefined, answer: host.answer, facts: host.facts },
    manifest,
    report,
  )
  const plan = compilePlan(manifest, tools, rules, report)
  const invariants = rules.compile(manifest.preconditions.invariants, ['preconditions', 'invariants'])
  const denyIf = rules.compile(manifest.policy.deny_if, ['policy', 'deny_if'])
  const missing = toolsOf(manifest).filter((tool) => !tools.has(tool))
  if (host.tools !== undefined) for (const tool of missing) warnTool(tool, manifest, tools, report)
  return {
    manifest,
    hash,
    ...plan,
    invariants,
    denyIf,
    slotExtractors: manifest.llm_support.extractors.flatMap(({ slot, from, take }) => {
      const extract = compileSlotRule(take)
      return typeof extract === 'function' ? [{ slot, from, extract }] : []
    }),
    requiredSlots: manifest.activation.required_slots,
    hasEffects: hasEffects(manifest, tools),
    unbound: { tools: missing, functions: [...rules.unknownFunctions], facts: [...rules.unknownFacts] },
  }
}

function warnTool(tool: string, { plan }: Manifest, tools: ReadonlyMap<string, SkillTool>, report: ManifestReport): void {
  const index = plan.steps.findIndex((step) => step.tool === tool)
  const path: Path =
    index >= 0 ? ['plan', 'steps', index, 'tool'] : plan.verify?.tool === tool ? ['plan', 'verify', 'tool'] : ['plan', 'compensation']
  const guess = suggest(tool, tools.keys())
  const fix = guess === undefined ? `register the tool ${quote(tool)} on the host` : `register it on the host, or write ${quote(guess)}`
  report.add('W_UNBOUND', path, `the host has no tool ${quote(tool)}`, fix, { guess })
}

/** Adds the hashes of the prompts that a manifest does not pin yet. */
function pinPrompts(manifest: Manifest, prompts: Prompts | undefined): Manifest {
  if (prompts === undefined || manifest.llm_support.parsers.length === 0) return manifest
  const parsers = manifest.llm_support.parsers.map((parser) => {
    const prompt = parser.prompt_sha256 === undefined ? prompts(parser.prompt_ref) : undefined
    return prompt === undefined ? parser : { ...parser, prompt_sha256: digest(prompt) }
  })
  return { ...manifest, llm_support: { ...manifest.llm_support, parsers } }
}
