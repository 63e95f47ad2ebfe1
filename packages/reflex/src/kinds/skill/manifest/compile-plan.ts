import type { Json } from '../../../kernel/index.ts'
import { type Path, quote } from '../../../text/index.ts'
import type { Compensation, Manifest, PlanStep } from '../model/manifest.ts'
import type { SkillTool } from '../model/skill-tool.ts'
import { compileExtractor } from '../templates/extract.ts'
import { compileValue, type CompiledValue, type CompileValueOptions } from '../templates/compiled-value.ts'
import { problemFault } from '../templates/problem.ts'
import { type Root, ROOTS, type TemplateScope } from '../templates/scope.ts'
import { COMMAND_ARGUMENTS, isEffectful, isProgramName, type ToolTable } from './check-plan.ts'
import type { RuleCompiler } from './compile-rules.ts'
import type { CompiledCall, CompiledCompensation, CompiledSkill, CompiledStep } from './compiled.ts'
import type { ManifestReport } from './report.ts'

/** The begin of an idempotence key that has no slot on purpose. */
const CONSTANT = 'constant:'

type CompiledPlan = Pick<CompiledSkill, 'steps' | 'verify' | 'compensation' | 'idempotenceKey' | 'results'>

/** Compiles every template and guard of a plan. */
export function compilePlan(manifest: Manifest, tools: ToolTable, rules: RuleCompiler, report: ManifestReport): CompiledPlan {
  return new PlanCompiler(manifest, tools, rules, report).compile()
}

class PlanCompiler {
  readonly #manifest: Manifest
  readonly #tools: ToolTable
  readonly #rules: RuleCompiler
  readonly #report: ManifestReport
  readonly #slots: TemplateScope['slots']

  constructor(manifest: Manifest, tools: ToolTable, rules: RuleCompiler, report: ManifestReport) {
    this.#manifest = manifest
    this.#tools = tools
    this.#rules = rules
    this.#report = report
    // A slot whose type is refused breaks no rule of templates: they would only follow from it.
    const isTyped = (index: number): boolean => !report.isBroken(['signature', 'inputs', index, 'type'])
    this.#slots = new Map(manifest.signature.inputs.map((slot, i) => [slot.name, isTyped(i) ? slot : { ...slot, type: 'integer' }]))
  }

  compile(): CompiledPlan {
    const { plan } = this.#manifest
    const ids = plan.steps.map(({ id }) => id)
    const steps = plan.steps.map((step, index) => this.#step(step, ['plan', 'steps', index], this.#scope(ids.slice(0, index))))
    const all = this.#scope(ids)
    const compensation =
      plan.compensation === 'none'
        ? []
        : plan.compensation.map((entry, index) => this.#compensation(entry, ['plan', 'compensation', index], all))
    const results = Object.entries(plan.result_map).map(([output, value]) => ({
      output,
      value: this.#value(value, ['plan', 'result_map', output], all, { secrets: false }),
    }))
    const key = this.#key()
    return {
      steps,
      compensation,
      results,
      ...(plan.verify === undefined ? {} : { verify: this.#step(plan.verify, ['plan', 'verify'], this.#scope([])) }),
      ...(key === undefined ? {} : { idempotenceKey: key }),
    }
  }

  #scope(steps: readonly string[], roots: readonly Root[] = ROOTS): TemplateScope {
    return { slots: this.#slots, steps: new Set(steps), roots: new Set(roots) }
  }

  #step(step: PlanStep, at: Path, scope: TemplateScope): CompiledStep {
    const captures = Object.entries(step.capture).flatMap(([path, extractor]) => {
      const extract = compileExtractor(extractor)
      return typeof extract === 'function' ? [{ path, extract }] : []
    })
    return { ...this.#call(step, step.shell && this.#manifest.policy.allow_shell, at, scope), step, captures }
  }

  #compensation(entry: Compensation, at: Path, scope: TemplateScope): CompiledCompensation {
    const call = this.#call(entry, false, at, scope)
    this.#checkAvailable(call.args, [...at, 'args'])
    return { ...call, entry }
  }

  #call({ tool, args, guards }: PlanStep | Compensation, shell: boolean, at: Path, scope: TemplateScope): CompiledCall {
    const descriptor = this.#tools.get(tool)
    const isProgram = descriptor === undefined && isProgramName(tool)
    const argument =
      descriptor !== undefined
        ? descriptor.commandLine
        : isProgram
          ? undefined
          : COMMAND_ARGUMENTS.find((name) => Object.hasOwn(args, name))
    const options: CompileValueOptions = { secrets: true, ...(argument === undefined ? {} : { command: { argument, shell } }) }
    const compiled = this.#value(args, [...at, 'args'], scope, options)
    this.#checkScript(compiled, descriptor, [...at, 'args'])
    return {
      tool,
      descriptor,
      isProgram,
      isEffectful: isEffectful(tool, this.#tools),
      args: compiled,
      guards: this.#rules.compile(guards, [...at, 'guards'], scope.steps),
    }
  }

  /** No value becomes part of a text that a shell reads. */
  #checkScript({ values }: CompiledValue, descriptor: SkillTool | undefined, at: Path): void {
    const { name = '', script } = descriptor ?? {}
    if (script === undefined || !values.some(({ path }) => path[0] === script)) return
    const message = `a value would be part of the text that ${quote(name)} gives to a shell`
    this.#report.add(
      'E_SCRIPT_VALUE',
      [...at, script],
      message,
      'call a tool that takes a list of words, such as command with "argv" and "shell": true',
    )
  }

  #key(): CompiledValue | undefined {
    const { idempotence_key: key } = this.#manifest.plan
    if (key === undefined) return undefined
    const path = ['plan', 'idempotence_key']
    const value = this.#value(key, path, this.#scope([], ['ctx', 'env', 'work']), { secrets: false })
    const hasSlot = value.values.some(({ piece }) => piece.reference.slot !== undefined)
    if (!hasSlot && !key.startsWith(CONSTANT) && !this.#report.hasProblemBelow(path)) {
      const fix = `add a slot, such as {{${[...this.#slots.keys()][0] ?? 'name'}}}, or begin the key with "${CONSTANT}"`
      this.#report.add(
        'E_IDEMPOTENCE_CONSTANT',
        path,
        'the key is the same for all values of the slots, so only the first call would do anything',
        fix,
      )
    }
    return value
  }

  /** Reports values of a compensation that nothing sets: it could not undo anything. */
  #checkAvailable({ values }: CompiledValue, at: Path): void {
    const { plan, preconditions, signature } = this.#manifest
    if (plan.steps.some((_, index) => this.#report.hasProblemBelow(['plan', 'steps', index, 'capture']))) return
    const set = [
      ...plan.steps.flatMap(({ capture }) => Object.keys(capture)),
      ...preconditions.data_present,
      ...Object.values(signature.blackboard_bindings.inputs),
    ]
    for (const { piece, path } of values) {
      const { root, text } = piece.reference
      if (root !== 'work' || piece.filters.some(({ name }) => name === 'default')) continue
      if (set.some((known) => text === known || text.startsWith(`${known}.`) || text.startsWith(`${known}[`))) continue
      const { offset, length } = piece
      const fix = `capture it in an earlier step that reads: "capture": {${quote(text)}: …}, or list it in preconditions.data_present`
      const message = `nothing sets ${quote(text)}, so that the compensation could not run`
      this.#problem([...at, ...path], { rule: 'E_TEMPLATE_REF', message, fix, offset, length })
    }
  }

  #value(json: Json, at: Path, scope: TemplateScope, options: CompileValueOptions): CompiledValue {
    const { value, problems } = compileValue(json, scope, options)
    for (const { path, part, ...problem } of problems) this.#problem([...at, ...path], problem, part)
    return value
  }

  #problem(path: Path, problem: Parameters<typeof problemFault>[0], part?: 'key'): void {
    const { offset, length } = problem
    this.#report.addFault(
      path,
      problemFault(problem, (note) => this.#report.locate(path, part === undefined ? { span: { offset, length }, note } : { part, note })),
    )
  }
}

/** Returns the names of the tools that the plan of a manifest calls. */
export function toolsOf({ plan }: Manifest): readonly string[] {
  const undo = plan.compensation === 'none' ? [] : plan.compensation
  const calls = [...plan.steps, ...(plan.verify === undefined ? [] : [plan.verify]), ...undo]
  return [...new Set(calls.map(({ tool }) => tool))].filter((tool) => tool !== '' && !isProgramName(tool))
}
