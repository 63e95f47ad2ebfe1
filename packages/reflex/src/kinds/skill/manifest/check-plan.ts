import { type Path, quote, quoteAll, suggest } from '../../../text/index.ts'
import type { Compensation, Manifest, PlanStep } from '../model/manifest.ts'
import type { SkillTool } from '../model/skill-tool.ts'
import { compileExtractor } from '../templates/extract.ts'
import { checkWritten, nameFix } from './check-signature.ts'
import type { ManifestReport } from './report.ts'

/** The tools of a host by name. One that is not there counts as one that changes something outside, and cannot be repeated. */
export type ToolTable = ReadonlyMap<string, SkillTool>

/** Arguments that are taken for command lines in calls of tools that are not known. */
export const COMMAND_ARGUMENTS: readonly string[] = ['cmd', 'command', 'command_line', 'commandLine']

/** True for the name of a program, `kind:id`, in place of a tool. */
export function isProgramName(tool: string): boolean {
  return /^[a-z][a-z0-9-]*:[A-Za-z0-9_]/.test(tool)
}

/** True if a call of a tool can change something. */
export function isEffectful(tool: string, tools: ToolTable): boolean {
  return tools.get(tool)?.sideEffects !== 'none'
}

/** True if a skill can change something outside of its blackboard. */
export function hasEffects({ plan, effects }: Manifest, tools: ToolTable): boolean {
  return effects.external.length > 0 || plan.steps.some(({ tool }) => isEffectful(tool, tools))
}

/** Returns the names of the tools of steps, each once. */
function namesOf(steps: readonly PlanStep[]): string[] {
  return [...new Set(steps.map(({ tool }) => tool))]
}

/** Checks the steps, their tools, and what makes the plan safe to repeat and to undo. */
export function checkPlan(manifest: Manifest, tools: ToolTable, report: ManifestReport): void {
  const { plan } = manifest
  checkIds(plan.steps, report)
  for (const [index, step] of plan.steps.entries()) checkStep(step, ['plan', 'steps', index], manifest, tools, report)
  if (plan.verify !== undefined) {
    const at = ['plan', 'verify']
    checkStep(plan.verify, at, manifest, tools, report)
    if (isEffectful(plan.verify.tool, tools))
      report.add(
        'E_VERIFY_TOOL',
        [...at, 'tool'],
        `${quote(plan.verify.tool)} can change something, and verify only reads`,
        'use a tool whose sideEffects are "none"',
      )
  }
  checkSafety(manifest, tools, hasEffects(manifest, tools), report)
  checkCompensation(manifest, tools, report)
  checkResults(manifest, report)
}

function checkIds(steps: readonly PlanStep[], report: ManifestReport): void {
  const seen = new Set<string>()
  for (const [index, { id }] of steps.entries()) {
    if (seen.has(id)) report.add('E_STEP_ID', ['plan', 'steps', index, 'id'], `two steps are called ${quote(id)}`, 'rename one of the two')
    seen.add(id)
  }
}

function checkStep(
  step: PlanStep,
  at: Path,
  { plan, effects, preconditions, policy }: Manifest,
  tools: ToolTable,
  report: ManifestReport,
): void {
  checkTool(step.tool, preconditions.tools_available, [...at, 'tool'], report)
  const limit = plan.budget.max_latency_ms
  if (step.timeout_ms > limit)
    report.add(
      'E_TIMEOUT',
      [...at, 'timeout_ms'],
      `the limit of the step is longer than that of the plan, ${limit} ms`,
      `write at most ${limit}`,
    )
  const tool = tools.get(step.tool)
  if (step.retry.max > 0 && tool?.sideEffects !== 'none' && tool?.idempotent !== true) {
    const why = tool === undefined ? 'is not known here, and counts as a tool that' : ''
    report.add(
      'E_RETRY_UNSAFE',
      [...at, 'retry'],
      `${quote(step.tool)} ${why} changes something each time it is called`.replace('  ', ' '),
      'remove retry, or declare the tool idempotent if it is',
    )
  }
  if (step.shell && !policy.allow_shell)
    report.add(
      'E_SHELL_POLICY',
      [...at, 'shell'],
      'the step uses a shell, and the policy does not allow it',
      'write "allow_shell": true in policy, or remove "shell"',
    )
  if (tool !== undefined) checkCommand(step, tool, at, policy.allow_shell, report)
  for (const [path, extractor] of Object.entries(step.capture)) {
    const place = [...at, 'capture', path]
    checkWritten(path, effects.writes, place, report, 'key')
    const compiled = compileExtractor(extractor)
    if (typeof compiled === 'function') continue
    const { problem, key, fix } = compiled
    report.add('E_EXTRACTOR', key === undefined ? place : [...place, key], problem, fix)
  }
}

/** Checks that a tool which runs commands gets one, and that a text of a shell is allowed: otherwise the step would fail only when it runs. */
function checkCommand(
  { tool, args, shell }: PlanStep | (Compensation & { readonly shell?: false }),
  { commandLine, script }: SkillTool,
  at: Path,
  isShellAllowed: boolean,
  report: ManifestReport,
): void {
  const argument = commandLine ?? script
  if (argument === undefined) return
  if (!Object.hasOwn(args, argument)) {
    const other = Object.keys(args).find((name) => COMMAND_ARGUMENTS.includes(name))
    const fix = other === undefined ? `add ${quote(argument)}` : `write ${quote(argument)} in place of ${quote(other)}`
    const place = other === undefined ? [...at, 'args'] : [...at, 'args', other]
    report.add('E_COMMAND_ARG', place, `${quote(tool)} takes its command in ${quote(argument)}`, fix, { part: 'key' })
  } else if (script !== undefined && !(shell === true && isShellAllowed)) {
    const message = `${quote(tool)} runs a text of a shell, and the step and the policy must both allow it`
    const fix = 'write "shell": true in the step and "allow_shell": true in policy, or call a tool that takes a list of words'
    report.add('E_SHELL_POLICY', [...at, 'args', argument], message, fix)
  }
}

function checkTool(tool: string, listed: readonly string[], at: Path, report: ManifestReport): void {
  if (tool === '' || listed.includes(tool) || isProgramName(tool)) return
  const fix = `add ${quote(tool)} to preconditions.tools_available`
  report.add('E_TOOL_UNDECLARED', at, `${quote(tool)} is not listed in preconditions.tools_available`, fix, {
    guess: suggest(tool, listed),
  })
}

function checkSafety({ plan, signature, effects }: Manifest, tools: ToolTable, effectful: boolean, report: ManifestReport): void {
  const { idempotence_key: key, compensation, irreversible_reason: reason } = plan
  const isKnown = effects.external.length > 0 || plan.steps.some(({ tool }) => tools.has(tool) && isEffectful(tool, tools))
  const unknown = isKnown ? [] : namesOf(plan.steps.filter(({ tool }) => isEffectful(tool, tools)))
  const assumed =
    unknown.length === 0
      ? 'the plan changes something'
      : `the plan may change something, because this host has no tool ${quoteAll(unknown)}:`
  const link = unknown.length === 0 ? 'and' : 'it'
  const declare = unknown.length === 0 ? '' : 'give the tools with --tools FILE; or '
  const path = ['plan', 'idempotence_key']
  if (key === undefined) {
    if (effectful)
      report.add(
        'E_IDEMPOTENCE_REQUIRED',
        path,
        `${assumed} ${link} has no key that makes a second call harmless`,
        `${declare}${keyExample(signature.inputs)}`,
      )
  }
  if (compensation === 'none') {
    if (reason === undefined)
      report.add(
        'E_IRREVERSIBLE',
        ['plan', 'irreversible_reason'],
        'the plan cannot be undone and does not say why',
        'add "irreversible_reason": the reason',
      )
  } else if (effectful && compensation.length === 0) {
    const fix = `${declare}add "compensation": the calls that undo it; or "none" with irreversible_reason`
    report.add('E_COMPENSATION_REQUIRED', ['plan', 'compensation'], `${assumed} ${link} cannot be undone`, fix)
  }
}

function keyExample(inputs: readonly { readonly name: string }[]): string {
  return `add "idempotence_key": a template of slots, such as "${inputs[0] === undefined ? 'constant:name' : `name:{{${inputs[0].name}}}`}"`
}

function checkCompensation({ plan, preconditions }: Manifest, tools: ToolTable, report: ManifestReport): void {
  if (plan.compensation === 'none') return
  const ids = plan.steps.map(({ id }) => id)
  for (const [index, entry] of plan.compensation.entries()) {
    const { tool, for_step: step } = entry
    const at = ['plan', 'compensation', index]
    checkTool(tool, preconditions.tools_available, [...at, 'tool'], report)
    const known = tools.get(tool)
    if (known !== undefined) checkCommand(entry, known, at, false, report)
    if (step === undefined || ids.includes(step)) continue
    const guess = suggest(step, ids)
    report.add('E_REF', [...at, 'for_step'], `there is no step ${quote(step)}`, nameFix(ids, guess, 'step'), { guess })
  }
}

function checkResults({ plan, signature }: Manifest, report: ManifestReport): void {
  const outputs = signature.outputs.map(({ name }) => name)
  const at = ['plan', 'result_map']
  const unmapped = outputs.filter((name) => name !== '' && !Object.hasOwn(plan.result_map, name))
  if (unmapped.length > 0)
    report.add('E_RESULT_MAP', at, `the plan has no value for ${quoteAll(unmapped)}`, `add a template for ${quoteAll(unmapped)}`)
  for (const name of Object.keys(plan.result_map)) {
    if (outputs.includes(name)) continue
    const guess = suggest(name, outputs)
    report.add('E_RESULT_MAP', [...at, name], `the signature has no output ${quote(name)}`, nameFix(outputs, guess, 'output'), {
      part: 'key',
      guess,
    })
  }
  const sum = plan.steps.reduce((total, { timeout_ms: limit }) => total + limit, 0)
  const { max_latency_ms: most } = plan.budget
  if (sum > most && plan.steps.length > 1)
    report.add(
      'W_TIMEOUT_SUM',
      ['plan', 'steps'],
      `the limits of the steps are ${sum} ms together, and the plan stops after ${most} ms`,
      'raise plan.budget.max_latency_ms, or lower the limits',
    )
}
