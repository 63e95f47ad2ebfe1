import { isObject, type Json, type JsonObject, type Port, replay, type Run, type Store } from '../../../../src/kernel/index.ts'
import type { RunSettings } from '../../../../src/policy/index.ts'
import type { DecisionRecord } from '../../../../src/kinds/skill/model/decision.ts'
import type { Manifest } from '../../../../src/kinds/skill/model/manifest.ts'
import type { LookResult, PlannedCall, PlannedUndo, PlanProgram, PlanValues } from '../../../../src/kinds/skill/plan/compiled-plan.ts'
import { skillKind } from '../../../../src/kinds/skill/plan/kind.ts'
import { registryPorts } from '../../../../src/kinds/skill/plan/registry-port.ts'
import { skillHost } from '../../../../src/kinds/skill/plan/skill-host.ts'
import { memoryStore } from '../../../../src/store/index.ts'
import { type World, worldOf } from '../../../kernel/world.ts'

/** A step of a plan in a test. */
export interface StepSource {
  readonly id: string
  readonly free?: boolean
  readonly retries?: number
  readonly timeout?: number
  readonly cost?: number
  readonly guard?: boolean
  readonly skip?: boolean
  readonly capture?: string
  readonly program?: string
}

export interface PlanSource {
  readonly steps: readonly StepSource[]
  readonly undos?: readonly (StepSource & { readonly when?: string; readonly of?: string })[]
  readonly verify?: boolean
  readonly keyed?: boolean
  readonly deny?: boolean
  readonly asks?: string
  readonly latency?: number
  readonly budget?: number
  readonly cooldown?: number
  readonly most?: number
  readonly writes?: readonly string[]
  readonly badResult?: boolean
}

function plannedCall(source: StepSource): PlannedCall {
  const { id, free = false, retries = 0, timeout = 30_000, cost = 0, guard = true, skip = false, capture, program } = source
  return {
    id,
    tool: program ?? id,
    isProgram: program !== undefined,
    isEffectful: !free,
    isRepeatable: free,
    timeout,
    retries,
    backoff: 100,
    estimatedCost: cost,
    onGuardFalse: skip ? 'skip' : 'stop',
    guard: ({ steps }) => {
      // A verification is asked about its result.
      if (id === 'verify') return steps['verify']?.result === true ? undefined : 'it is not done'
      return guard ? undefined : 'the guard is false'
    },
    args: ({ slots }) => ({ ok: true, value: { ...slots } }),
    capture: (result) => (capture === undefined ? {} : { [capture]: result }),
  }
}

const decisionOf = (verdict: DecisionRecord['verdict'], missing?: readonly string[]): DecisionRecord => ({
  v: 1,
  proposal: { carrier: 'program', skill_ref: 'deploy', inputs_hash: '' },
  skill: { id: 'deploy', version: '1.0.0', content_hash: 'h' },
  now: '2026-01-05T00:00:00.000Z',
  compat: 'not_evaluated',
  preconditions: 'not_evaluated',
  score: 'not_evaluated',
  policy: 'not_evaluated',
  fn_results: [],
  verdict,
  reason: verdict === 'approved' ? 'approved' : verdict === 'clarify' ? 'slot_missing' : 'below_tau',
  ...(missing === undefined ? {} : { missing }),
})

function compile(json: Json): PlanProgram {
  const source = json as unknown as PlanSource
  const steps = source.steps.map(plannedCall)
  const undos: PlannedUndo[] = (source.undos ?? []).map((undo) => ({
    ...plannedCall(undo),
    when: undo.when ?? 'any',
    forStep: undo.of,
  }))
  const manifest = {
    id: 'deploy',
    version: '1.0.0',
    signature: {
      inputs: [],
      outputs: [{ name: 'endpoint', type: 'string', sensitive: false }],
      blackboard_bindings: { inputs: {}, outputs: { endpoint: 'work.endpoint' } },
    },
    plan: { budget: { max_cost_usd: source.budget ?? 1, max_latency_ms: source.latency ?? 60_000 }, idempotence_ttl_s: 3600 },
    effects: { writes: source.writes ?? ['work.endpoint'], external: [] },
    activation: { cooldown_s: source.cooldown ?? 0, max_concurrency: source.most ?? 1 },
  } as unknown as Manifest
  return {
    manifest,
    hash: 'h',
    hasEffects: steps.some((step) => step.isEffectful),
    steps,
    verify: source.verify === true ? plannedCall({ id: 'verify', free: true }) : undefined,
    undos,
    key: ({ slots }: PlanValues) =>
      source.keyed === true ? { ok: true, value: `deploy:${JSON.stringify(slots['app'] ?? null)}` } : undefined,
    outputs: ({ steps: results }) =>
      source.badResult === true
        ? { ok: false, fault: { message: 'endpoint is not there' } as never }
        : { ok: true, value: { endpoint: results[steps[0]?.id ?? '']?.result ?? 'none' } },
    decide({ inputs }) {
      if (source.deny === true) return { decision: decisionOf('denied'), slots: {} }
      if (source.asks !== undefined && inputs[source.asks] === undefined)
        return { decision: decisionOf('clarify', [source.asks]), slots: {} }
      return { decision: decisionOf('approved'), slots: inputs }
    },
    features: () => ({ rules: {}, results: [], lacks: false }),
    parsers: () => [],
    ask: (missing) => ({
      text: `Which value for ${missing.join()}?`,
      schema: { type: 'object', properties: Object.fromEntries(missing.map((slot) => [slot, { type: 'string' }])), required: [...missing] },
      questions: missing.map((slot) => ({ slot, question: `Which value for ${slot}? (string)` })),
    }),
  }
}

const LOOK = { env: 'staging', project: 'acme', hostFacts: {}, principal: { id: 'ana', roles: [] } } as unknown as LookResult

/** What a tool does in a test: it gives a value, throws, or never ends: `hangs`. */
export type Doing = Json | Error | ((args: JsonObject) => Json | Error)

/** A world with the kind of skills, the registry, and tools that do what a test says. */
export class PlanWorld {
  readonly store: Store
  readonly world: World
  /** The tools that were called, in their order. */
  readonly calls: string[] = []
  readonly keys: string[] = []
  readonly #does: Record<string, Doing>

  /** `later`: another process with the store of an earlier one, at its time in milliseconds since the epoch. */
  constructor(does: Readonly<Record<string, Doing>> = {}, later?: { readonly store: Store; readonly at: number }) {
    this.#does = { ...does }
    this.store = later?.store ?? memoryStore()
    const tool: Port = {
      leaves: true,
      repeat: 'keyed',
      perform: async (call) => {
        const { tool: name, args } = call.args as unknown as { tool: string; args: JsonObject }
        this.calls.push(name)
        this.keys.push(call.key)
        const does = this.#does[name] ?? 'ok'
        const result = typeof does === 'function' ? does(args) : does
        if (result === 'hangs') return new Promise(() => undefined)
        if (result instanceof Error) throw result
        return result
      },
    }
    const host = skillHost({ project: 'acme', compat: { env: 'staging' } }, 'work')
    this.world = worldOf([skillKind(compile)], {
      ports: { tool, 'skills.look': { leaves: false, repeat: 'free', perform: () => LOOK } },
      store: this.store,
      ...(later === undefined ? {} : { at: later.at }),
    })
    const ports = registryPorts({ store: this.store, host: this.world.runtime.host }, host)
    for (const [name, port] of Object.entries(ports)) this.world.runtime.ports.set(name, port)
  }

  does(tool: string, what: Doing): void {
    this.#does[tool] = what
  }

  async start(source: PlanSource, args: JsonObject = {}): Promise<Run> {
    const run = await this.#begin(source, args)
    await run.idle()
    return run
  }

  /** Starts a plan, and returns once a tool of it is called that never ends. */
  async startUntil(tool: string, source: PlanSource, args: JsonObject = {}): Promise<Run> {
    const before = this.calls.length
    const run = await this.#begin(source, args)
    for (let turn = 0; turn < 10_000 && !this.calls.slice(before).includes(tool); turn++) await new Promise(setImmediate)
    return run
  }

  #begin(source: PlanSource, args: JsonObject): Promise<Run> {
    const program = this.world.runtime.programs.add('skill', 'deploy', source as unknown as Json)
    return this.world.runtime.start(program, { args })
  }

  /** Runs a plan to its end, and checks that its journal replays. */
  async ran(source: PlanSource, args: JsonObject = {}): Promise<readonly [status: string, value: Json | undefined]> {
    const run = await this.start(source, args)
    const { records } = await this.world.runtime.history(run.id)
    const { difference } = replay(records, this.world.runtime.programs)
    if (difference !== undefined) throw new Error(JSON.stringify(difference))
    const { ended } = run.state
    return [ended?.status ?? 'running', ended?.value]
  }
}

export const AGENT: JsonObject = { _proposal: { carrier: 'text' } }

export function outcome(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

export type Settings = RunSettings
