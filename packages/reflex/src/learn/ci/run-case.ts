import {
  canonicalJson,
  type Change,
  digest,
  isObject,
  type Json,
  type JsonObject,
  type Kind,
  type Port,
  type Run,
  Runtime,
  type VirtualHost,
  virtualHost,
} from '../../kernel/index.ts'
import type { DecisionRecord } from '../../kinds/skill/model/decision.ts'
import type { Manifest } from '../../kinds/skill/model/manifest.ts'
import type { SkillOutcome } from '../../kinds/skill/model/plan-result.ts'
import type { SkillTool } from '../../kinds/skill/model/skill-tool.ts'
import { writeArgs } from '../../kinds/skill/plan/args.ts'
import { confirmPort } from '../../kinds/skill/plan/confirm-port.ts'
import type { LookResult } from '../../kinds/skill/plan/compiled-plan.ts'
import { skillKind } from '../../kinds/skill/plan/kind.ts'
import { registryPorts } from '../../kinds/skill/plan/registry-port.ts'
import { skillHost } from '../../kinds/skill/plan/skill-host.ts'
import { SkillMaker } from '../../kinds/skill/plan/skill-program.ts'
import { manifestJson } from '../../kinds/skill/manifest/canonical.ts'
import type { RunSettings } from '../../policy/index.ts'
import { memoryStore } from '../../store/index.ts'
import type { ExpressionFunction } from '../../text/index.ts'
import type { UnitCase } from './case.ts'
import { recordedFunctions, recordedLook, recordedParsers, withRecordedPrograms } from './recorded-host.ts'
import { type CaseCall, RecordedTools, type ToolChange } from './recorded-tools.ts'

/** What a skill is tested with. */
export interface TestHost {
  /** What tools declare. A tool that is not listed counts as one that changes something. */
  readonly tools: readonly SkillTool[]
  /** The functions of the host, for their types: their answers come from the cases. */
  readonly functions?: readonly ExpressionFunction[] | undefined
  /** The normalised threshold of the host; default 0.85. */
  readonly tau?: number | undefined
  /** The texts of prompts, by their references. */
  readonly prompts?: Readonly<Record<string, string>> | undefined
}

/** How a case is run: as written, or changed by a mutation. */
export interface CaseOptions {
  readonly tools?: ToolChange
  /** The number of times that the skill is proposed, one after the other. */
  readonly times?: number
  readonly remote?: LookResult['remote']
}

/** What happened in a test. */
export interface CaseRun {
  /** The outcomes, one for each proposal. An execution that broke off or never ended has none. */
  readonly outcomes: readonly SkillOutcome[]
  /** Why an execution has no outcome. */
  readonly broken?: string
  readonly decisions: readonly DecisionRecord[]
  readonly calls: readonly CaseCall[]
  /** The number of calls that each proposal ended with. */
  readonly callsAfter: readonly number[]
  /** What it wrote to the blackboard, by path. */
  readonly writes: JsonObject
  readonly cost: number
  /** The digest of all records: two runs of one case have the same. */
  readonly digest: string
}

/** The turns of the event loop in which nothing happens before the clock goes on. */
const QUIET_TURNS = 6
/** No test takes more timers. */
const MOST_TICKS = 10_000

/**
 * Runs a skill as a case says, in a run of its own: on a clock that stands still, with recorded tools, functions and models, over a store in
 * memory. There is no other port, so nothing outside can be reached (reference skill 1.23). Never rejects for what the skill does.
 */
export async function runCase(manifest: Manifest, one: UnitCase, tested: TestHost, options: CaseOptions = {}): Promise<CaseRun> {
  const host = virtualHost({ at: Date.parse(one.turn.now) })
  const tools = new RecordedTools(host, one.tools, tested.tools, options.tools)
  const runtime = runtimeOf(manifest, one, { ...tested, host, toolPort: tools.port, remote: options.remote })
  runtime.programs.add('skill', manifest.id, manifestJson(manifest))
  const turn = runtime.programs.add('case', 'case', { skill: `skill:${manifest.id}` })
  const seen = new Observer(tools)
  const run = await runtime.start(turn, {
    args: { board: boardOf(one), proposals: Array.from({ length: options.times ?? 1 }, () => argsOf(one)) },
    settings: SETTINGS,
    prepare: (made) => void made.observe((change) => seen.observe(change)),
  })
  await untilEnd(run, host, seen)
  return seen.result(run)
}

const SETTINGS: RunSettings = { actor: 'tester', simulated: false, trust: 'untrusted', workdir: '', folder: '' }

interface CaseWorld extends TestHost {
  readonly host: VirtualHost
  readonly toolPort: Port<RunSettings>
  readonly remote: LookResult['remote']
}

function runtimeOf(manifest: Manifest, one: UnitCase, world: CaseWorld): Runtime<RunSettings> {
  const { host, tools, functions = [], prompts = {}, toolPort, remote } = world
  const own = skillHost(
    { project: 'test', functions: recordedFunctions(one, functions), tools, ...(world.tau === undefined ? {} : { tau: world.tau }) },
    'test',
  )
  const maker = new SkillMaker(own, () => tools)
  // The ledger is in memory, so an execution is admitted and settled as ever.
  const registry = registryPorts({ store: memoryStore(), host }, own)
  return new Runtime<RunSettings>({
    kinds: [skillKind((source) => withRecordedPrograms(maker.compile(source))), CASE_KIND],
    host,
    ports: {
      ...registry,
      'skills.look': recordedLook(one, { tau: own.tau, prompts, ...(remote === undefined ? {} : { remote }) }),
      // A test is about the plan, so it confirms by itself unless the case says otherwise.
      'skills.confirm': confirmPort({ confirm: () => one.confirm }, (value) => value),
      model: recordedParsers(one, manifest, prompts),
      tool: toolPort,
    },
  })
}

/** The kind of the turn of a case: it proposes the skill, as a wrapped agent does. */
const CASE_KIND: Kind<{ readonly skill: string }> = {
  name: 'case',
  rev: 1,
  compile: (source) => source as unknown as { readonly skill: string },
  calls: ({ skill }) => [skill],
  step(x, input) {
    const { board = {}, proposals = [] } = (x.args ?? {}) as { readonly board?: JsonObject; readonly proposals?: readonly Json[] }
    if (x.position === undefined) for (const [key, value] of Object.entries(board)) x.set(key, value)
    if (x.position !== undefined && input?.[0] !== 'end') return
    if (input?.[0] === 'end') x.adopt(input[1])
    const next = typeof x.position === 'number' ? x.position + 1 : 0
    const args = proposals[next]
    if (args === undefined) return x.done(null)
    x.go(next)
    x.spawn(x.def.skill, { sees: 'live', args })
  },
}

function argsOf({ turn, propose }: UnitCase): JsonObject {
  const { user, goal_labels } = turn
  return writeArgs({
    inputs: propose.inputs,
    proposal: {
      carrier: 'text',
      ...(user === undefined ? {} : { userText: user }),
      ...(goal_labels === undefined ? {} : { goalLabels: goal_labels }),
    },
  })
}

/** The blackboard of a case as keys of a board: `ctx.repo`. */
function boardOf({ turn }: UnitCase): JsonObject {
  const roots = Object.entries(turn.blackboard)
  return Object.fromEntries(roots.flatMap(([root, values]) => Object.entries(values).map(([key, value]) => [`${root}.${key}`, value])))
}

/** Collects what happens in a run of a case. */
class Observer {
  records = 0
  readonly #outcomes: SkillOutcome[] = []
  readonly #decisions: DecisionRecord[] = []
  readonly #callsAfter: number[] = []
  readonly #writes: Record<string, Json> = {}
  readonly #parts: string[] = []
  readonly #tools: RecordedTools
  #broken: string | undefined

  constructor(tools: RecordedTools) {
    this.#tools = tools
  }

  observe({ record, frame }: Change): void {
    this.records++
    this.#parts.push(
      canonicalJson([frame.id, record.elapsed, (record.input ?? null) as Json, record.writes ?? null, record.position ?? null]),
    )
    const note = record.more?.note
    if (isObject(note) && isObject(note['decision'])) this.#decisions.push(note['decision'] as unknown as DecisionRecord)
    if (frame.id !== 0) this.#keepWrites(record.writes ?? [])
    if (frame.id === 0 && record.input?.[0] === 'end') this.#keepOutcome(record.input[2], record.input[3])
  }

  #keepWrites(writes: readonly Json[]): void {
    for (let at = 0; at + 1 < writes.length; at += 2) {
      const key = writes[at]
      if (typeof key === 'string' && !key.startsWith('~')) this.#writes[key] = writes[at + 1] ?? null
    }
  }

  #keepOutcome(status: string, value: Json | undefined): void {
    this.#callsAfter.push(this.#tools.calls.length)
    if (status === 'done' && isObject(value)) this.#outcomes.push(value as unknown as SkillOutcome)
    else this.#broken = isObject(value) ? faultText(value) : status
  }

  result({ state }: Run<RunSettings>): CaseRun {
    const { calls, cost } = this.#tools
    const failure = state.ended?.status === 'failed' && isObject(state.ended.value) ? faultText(state.ended.value) : undefined
    const broken = this.#broken ?? failure ?? (state.ended === undefined ? 'it never ended' : undefined)
    const parts = [...this.#parts, canonicalJson(calls as unknown as Json)]
    return {
      outcomes: this.#outcomes,
      ...(broken === undefined ? {} : { broken }),
      decisions: this.#decisions,
      calls,
      callsAfter: this.#callsAfter,
      writes: this.#writes,
      cost,
      digest: digest(parts.join('\n')),
    }
  }
}

/** The code and the message of a stored fault. */
function faultText({ code, message }: JsonObject): string {
  return [code, message].filter((part) => typeof part === 'string').join(' ')
}

/** Runs until the run has ended, or nothing will happen any more. The clock goes on only while everything rests. */
async function untilEnd(run: Run<RunSettings>, host: VirtualHost, seen: Observer): Promise<void> {
  const ended = run.idle().then(
    () => undefined,
    () => undefined,
  )
  for (let ticks = 0; ticks < MOST_TICKS; ticks++) {
    let before: number
    do {
      before = seen.records
      await host.drain(QUIET_TURNS)
    } while (seen.records !== before && run.state.ended === undefined)
    if (run.state.ended !== undefined) return ended
    if (!(await host.tick())) return
  }
}
