import { isList, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { lacksAnswers } from '../gate/answers.ts'
import { clarifyQuestions } from '../gate/clarify.ts'
import { decideBy, dryRun, readFeatures } from '../gate/decide.ts'
import { keptFeatures, type RecordedFeatures } from '../gate/features.ts'
import { functionTable, type FunctionTable } from '../gate/functions.ts'
import { parserRequests } from '../gate/parsers.ts'
import { evaluateRule, variablesOf } from '../gate/rules.ts'
import { openConfirmation } from '../gate/policy.ts'
import { type BoundSkill, bindSkill } from '../gate/skill.ts'
import type { CompiledCall, CompiledCompensation, CompiledRule, CompiledSkill, CompiledStep, Unbound } from '../manifest/compiled.ts'
import { promptsBeside } from './prompt-files.ts'
import { decodeSkill, type ReadSkill, type SkillHost as Surroundings } from '../manifest/read-skill.ts'
import { readSlotValue } from '../manifest/slot-values.ts'
import type { FunctionResult, GateSnapshot } from '../model/decision.ts'
import type { Manifest } from '../model/manifest.ts'
import type { SkillProposal } from '../model/proposal.ts'
import type { SkillTool } from '../model/skill-tool.ts'
import type { Slot } from '../model/slot.ts'
import type { CompiledValue } from '../templates/compiled-value.ts'
import { renderFault } from '../templates/rendered.ts'
import type { TemplateValues } from '../templates/scope.ts'
import type {
  GateAnswer,
  GateQuestion,
  ParserQuestion,
  PlannedCall,
  PlannedUndo,
  PlanProgram,
  PlanValues,
  Rendered,
  SlotQuestion,
} from './compiled-plan.ts'
import { faults } from './faults.ts'
import { type HiddenParts, hiddenParts } from './hidden-parts.ts'
import type { SkillHost } from './skill-host.ts'

/** A skill of a host: its gate and its plan, ready to be run. */
export class SkillProgram implements PlanProgram {
  readonly manifest: Manifest
  readonly hash: string
  readonly hasEffects: boolean
  readonly steps: readonly PlannedCall[]
  readonly verify: PlannedCall | undefined
  readonly undos: readonly PlannedUndo[]
  readonly bound: BoundSkill
  readonly unbound: Unbound
  readonly #host: SkillHost

  constructor(bound: BoundSkill, host: SkillHost) {
    this.bound = bound
    this.unbound = bound.unbound
    this.#host = host
    this.manifest = bound.manifest
    this.hash = bound.hash
    this.hasEffects = bound.hasEffects
    const hides = hiddenParts(bound)
    this.steps = bound.steps.map((step) => plannedStep(step, hides))
    this.verify = bound.verify === undefined ? undefined : { ...plannedStep(bound.verify, hides), id: 'verify' }
    this.undos = bound.compensation.map((undo, index) => plannedUndo(undo, index, hides))
  }

  key(values: PlanValues): Rendered<string> | undefined {
    const { idempotenceKey } = this.bound
    if (idempotenceKey === undefined) return undefined
    const key = renderValue(idempotenceKey, values)
    return key.ok ? { ok: true, value: typeof key.value === 'string' ? key.value : JSON.stringify(key.value) } : key
  }

  outputs(values: PlanValues): Rendered<JsonObject> {
    const { outputs } = this.manifest.signature
    const mapped: Record<string, Json> = {}
    for (const { output, value } of this.bound.results) {
      const rendered = renderValue(value, values)
      if (!rendered.ok) return rendered
      const declared = outputs.find(({ name }) => name === output)
      const read = declared === undefined ? { value: rendered.value } : readSlotValue(slotOf(declared), rendered.value)
      if ('problem' in read) return { ok: false, fault: faults.make('R1474', `the output ${output} ${read.problem}`, { path: output }) }
      mapped[output] = read.value
    }
    return { ok: true, value: mapped }
  }

  parsers(question: GateQuestion): readonly ParserQuestion[] {
    return parserRequests(this.bound, snapshotOf(question), this.#proposal(question)).flatMap(({ key, parser, inputs }) => {
      const prompt = Object.hasOwn(question.look.prompts, parser.prompt_ref) ? question.look.prompts[parser.prompt_ref] : undefined
      return prompt === undefined ? [] : [{ key, model: parser.model, prompt, inputs }]
    })
  }

  features(question: GateQuestion): RecordedFeatures {
    const [snapshot, proposal] = [snapshotOf(question), this.#proposal(question)]
    const read = readFeatures(this.bound, snapshot, proposal)
    decideBy(this.bound, snapshot, proposal, read)
    return read.recorded()
  }

  decide(question: GateQuestion, recorded?: RecordedFeatures): GateAnswer {
    const snapshot = snapshotOf(question)
    const proposal = this.#proposal(question)
    const features = recorded === undefined ? readFeatures(this.bound, snapshot, proposal) : keptFeatures(recorded)
    const decision = decideBy(this.bound, snapshot, proposal, features)
    const unconfirmed = openConfirmation(decision)
    const hasSlots = decision.verdict === 'approved' || unconfirmed !== undefined
    return {
      decision,
      slots: hasSlots ? { ...features.slots().values } : {},
      ...(unconfirmed === undefined ? {} : { unconfirmed }),
      lacksAnswers: recorded?.lacks ?? lacksAnswers(decision.fn_results),
    }
  }

  dryRun(question: GateQuestion): readonly FunctionResult[] {
    return dryRun(this.bound, snapshotOf(question), this.#proposal(question), this.#host.functions)
  }

  ask(missing: readonly string[]): SlotQuestion {
    const questions = clarifyQuestions(this.manifest, missing)
    const names = questions.map(({ slot }) => slot)
    return {
      text: questions.map(({ question }) => question).join('\n'),
      schema: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])), required: names },
      questions,
    }
  }

  #proposal({ inputs, proposal, isExact }: GateQuestion): SkillProposal {
    const { carrier, why } = proposal
    const { id, version } = this.manifest
    return { carrier, skill_ref: isExact ? `${id}@${version}` : id, inputs, ...(why === undefined ? {} : { why }) }
  }
}

/** The functions of every host. */
const NO_HOST = functionTable([])

/** Makes the skills of one host. Its tools are asked for each time: a host may get more. */
export class SkillMaker {
  readonly #host: SkillHost
  readonly #tools: () => readonly SkillTool[]
  readonly #table: FunctionTable

  constructor(host: SkillHost, tools: () => readonly SkillTool[]) {
    this.#host = host
    this.#tools = tools
    this.#table = functionTable(host.functions)
  }

  /** What manifests are checked against. */
  get surroundings(): Surroundings {
    const { expressionFunctions: functions, answer } = this.#table
    return { tools: this.#tools(), functions, answer, facts: Object.keys(this.#host.facts) }
  }

  /** The same for a manifest that is read: its prompts must exist, and their hashes are pinned. `file`: its file, if it has one. */
  readingFrom(file: string | undefined): Surroundings {
    const { prompts } = this.#host
    const beside = file === undefined ? undefined : promptsBeside(file)
    if (prompts === undefined && beside === undefined) return this.surroundings
    return { ...this.surroundings, prompts: (ref) => (prompts !== undefined && Object.hasOwn(prompts, ref) ? prompts[ref] : beside?.(ref)) }
  }

  /** Makes a skill of a manifest that was compiled with these surroundings. */
  bind(skill: CompiledSkill): SkillProgram {
    return new SkillProgram(bindSkill(skill, this.#table), this.#host)
  }

  /** True for a stored manifest that this host can compile. */
  compiles(source: Json): boolean {
    return decodeSkill(source, this.surroundings).skill !== undefined
  }

  /** Returns the functions and facts of a host that a stored manifest names; none for a manifest with errors. */
  named(source: Json): Pick<Unbound, 'functions' | 'facts'> {
    const { skill } = this.#decode(source, { ...this.surroundings, functions: NO_HOST.expressionFunctions, facts: [] })
    return skill?.unbound ?? { functions: [], facts: [] }
  }

  #decode(source: Json, { tools = [], ...surroundings }: Surroundings): ReadSkill {
    return decodeSkill(source, { ...surroundings, tools: [...tools, ...assumedTools(source, tools)] })
  }

  /** Makes a skill of a stored manifest. Throws its first error. */
  compile(source: Json): SkillProgram {
    const { skill, findings } = this.#decode(source, this.surroundings)
    if (skill !== undefined) return this.bind(skill)
    throw findings.find(({ severity }) => severity === 'error') ?? new TypeError('a manifest without a skill has a finding')
  }
}

/**
 * Returns what is assumed of tools that a stored manifest names and this process does not have. The manifest was checked with them, so what it
 * says of its effects holds; a gate that asks for such a tool denies. Without this, a process without the tools could not even show the run.
 */
function assumedTools(source: Json, known: readonly SkillTool[]): readonly SkillTool[] {
  const { preconditions, effects, plan } = isObject(source) ? source : {}
  const named = isObject(preconditions) && isList(preconditions['tools_available']) ? preconditions['tools_available'] : []
  const external = isObject(effects) && isList(effects['external']) ? effects['external'] : []
  const changes = external.length > 0 || (isObject(plan) && plan['idempotence_key'] !== undefined)
  const names = named.filter((name): name is string => typeof name === 'string' && !known.some((tool) => tool.name === name))
  return names.map((name) => ({ name, sideEffects: changes ? 'external' : 'none', idempotent: true }))
}

function snapshotOf({ look, board, proposal, parsed, remote, confirmed = [] }: GateQuestion): GateSnapshot {
  const { userText, goalLabels } = proposal
  const { env: _, prompts: __, mode: ___, asks_control_plane: ____, asks_confirmation: _____, seed: ______, ...facts } = look
  return {
    ...facts,
    confirmed: [...look.confirmed, ...confirmed],
    board,
    parsed,
    ...(remote === undefined ? {} : { remote }),
    ...(userText === undefined ? {} : { userText }),
    ...(goalLabels === undefined ? {} : { goalLabels }),
  }
}

function plannedStep(call: CompiledStep, hides: HiddenParts): PlannedCall {
  const { step, captures } = call
  return {
    ...planned(call),
    ...hides(call, step.id),
    id: step.id,
    timeout: step.timeout_ms,
    retries: step.retry.max,
    backoff: step.retry.backoff_ms,
    onGuardFalse: step.on_guard_false,
    capture: (result) =>
      Object.fromEntries(
        captures.flatMap(({ path, extract }) => {
          const value = extract(result)
          return value === undefined ? [] : [[path, value]]
        }),
      ),
  }
}

/** The tries of an undo whose tool may be called again (reference skill 1.19). */
const UNDO_RETRIES = 1

function plannedUndo(call: CompiledCompensation, index: number, hides: HiddenParts): PlannedUndo {
  const { entry } = call
  return {
    ...planned(call),
    ...hides(call),
    id: `undo${index}`,
    timeout: entry.timeout_ms,
    retries: UNDO_RETRIES,
    backoff: 0,
    onGuardFalse: 'skip',
    capture: () => ({}),
    when: entry.when,
    forStep: entry.for_step,
  }
}

function planned(
  call: CompiledCall,
): Pick<PlannedCall, 'tool' | 'isProgram' | 'isEffectful' | 'isRepeatable' | 'estimatedCost' | 'needs' | 'guard' | 'args'> {
  const { tool, isProgram, isEffectful, descriptor, args, guards } = call
  return {
    tool,
    isProgram,
    isEffectful,
    isRepeatable: !isEffectful || descriptor?.idempotent === true,
    estimatedCost: descriptor?.estimatedCost ?? 0,
    needs: guards.length > 0 ? [] : neededSlots(args),
    guard: (values) => firstFalse(guards, values),
    args: (values) => renderValue(args, values) as Rendered<JsonObject>,
  }
}

function neededSlots({ values }: CompiledValue): readonly string[] {
  return values.flatMap(({ piece: { reference, filters } }) =>
    reference.slot === undefined || filters.some(({ name }) => name === 'default') ? [] : [reference.slot.name],
  )
}

/** Returns the first guard that does not hold. One that has no value does not hold. */
function firstFalse(guards: readonly CompiledRule[], values: PlanValues): string | undefined {
  const variables = variablesOf({
    ...values.hostFacts,
    ...values.board,
    args: values.slots,
    principal: values.principal,
    steps: values.steps,
    exec: values.exec,
  })
  for (const guard of guards) {
    const result = evaluateRule(guard, variables)
    if ('error' in result) return `${guard.text}: ${result.error}`
    if (!result.value) return `${guard.text} is false`
  }
  return undefined
}

function renderValue(value: CompiledValue, values: PlanValues): Rendered<Json> {
  const { slots, board, steps, exec } = values
  const given: TemplateValues = { slots, ctx: board.ctx, env: board.env, work: board.work, steps, exec }
  const rendered = value.render(given)
  return rendered.ok ? rendered : { ok: false, fault: renderFault(rendered.failure) }
}

function slotOf({ name, type, sensitive }: { readonly name: string; readonly type: Slot['type']; readonly sensitive: boolean }): Slot {
  return { name, type, required: true, maxLength: Number.MAX_SAFE_INTEGER, description: '', sensitive }
}
