import { PURE } from '../../agents/agent.ts'
import { type AgentCall, dispatch, type RunnableAgent } from '../../agents/index.ts'
import { type Host, isObject, type Json, type Port, type Runtime } from '../../kernel/index.ts'
import { type Surroundings, thisProcess } from '../../app/host.ts'
import { modelPort } from '../../models/index.ts'
import { requestOfCall } from '../../kinds/pipeline/contract/conversation.ts'
import { offersPort } from '../../kinds/pipeline/engine/offers.ts'
import type { OperatorPolicy, PolicyFile, RunSettings } from '../../policy/index.ts'
import type { ReflexOptions } from '../../app/options.ts'
import { suggest } from '../../text/index.ts'
import { toolCapability, toolPort, type Tools } from '../../tools/index.ts'
import { DECIDE } from '../../kinds/workflow/model/compile.ts'
import { decisionPort } from '../../kinds/workflow/face/runtime.ts'
import { scriptedDecisions } from './decide.ts'
import { OUTSIDE } from './answer-memory.ts'
import { scriptedModels } from './models.ts'
import type { Outside } from './outside.ts'
import type { ScriptedOptions } from './script.ts'
import { ScriptedTools } from './tools.ts'

/** The lease time in milliseconds: years, so that no heartbeat is needed. No other process takes over the run of a test. */
const LEASE_MS = 3_652 * 86_400_000

/** The parts of a `Reflex` that the scripted ports need. */
export interface WorldParts {
  readonly runtime: Pick<Runtime, 'ports'>
  readonly policy: OperatorPolicy
  readonly tools: Tools
  readonly workdir: string
}

/** The parts of a script that several lives of a run can share. */
export class ScriptedWorld {
  readonly script: ScriptedOptions
  readonly outside: Outside
  readonly #allowsUnknownTools: boolean

  /** `allowsUnknownTools`: the program can call unknown tools, because a recorded run has their answers. */
  constructor(script: ScriptedOptions, outside: Outside, allowsUnknownTools = false) {
    this.script = script
    this.outside = outside
    this.#allowsUnknownTools = allowsUnknownTools
  }

  /** The options of the `Reflex`, without its store and its surroundings. */
  get options(): ReflexOptions {
    const {
      decide: _decide,
      models: _models,
      tools: _tools,
      answers: _answers,
      now: _now,
      kind: _kind,
      substitute: _substitute,
      ...options
    } = this.script
    return { ...options, actor: 'the test', leaseMs: LEASE_MS, policy: [...(options.policy ?? []), this.#policy] }
  }

  /** The policy of the test: a scripted tool is allowed, and calls of other machines are denied. */
  get #policy(): PolicyFile {
    const names = Object.keys(this.script.tools ?? {})
    return { file: 'the test', allow: names.map(toolCapability), deny: names.includes('http') ? [] : [toolCapability('http')] }
  }

  /** Returns the ports of a runtime, with the scripted ports in place of the real ones. */
  ports(parts: WorldParts, host: Host): Readonly<Record<string, Port>> {
    const { outside } = this
    const tools = new ScriptedTools(parts.tools, this.script.tools, outside, this.#allowsUnknownTools)
    const models = scriptedModels(this.script.models, outside, host)
    const agents = dispatch({
      tools,
      models,
      workdir: parts.workdir,
      allows: (call, capability, exactly) => call !== undefined && parts.policy.judgeCall(call, capability, exactly).allowed,
      denies: (call, capability) => call === undefined || parts.policy.denies(call, capability),
      agents: watchedAgents(this.script.workflow?.agents ?? {}, outside),
      default: this.script.agent?.default,
      perNode: this.script.agent?.perNode,
    })
    const decide = scriptedDecisions(this.script.decide ?? {}, agents, outside)
    const scriptedPorts: Record<string, Port> = {
      [DECIDE]: decisionPort({
        resolve: (context, call: AgentCall | undefined) => decide.resolve(context, call),
        traits: (context, call: AgentCall) => decide.traits?.(context, call) ?? agents.traits(context),
      }),
      model: modelPort(() => models, requestOfCall),
      tool: toolPort<RunSettings>({
        tools,
        guess: suggest,
        place: ({ settings }) => ({ workdir: parts.workdir, runFolder: settings.folder, agentId: settings.agentId }),
        allows: (call, capability, exactly) => parts.policy.judgeCall(call, capability, exactly).allowed,
        denies: (call, capability) => parts.policy.denies(call, capability),
      }),
      offers: offersPort<RunSettings>(tools, (call, capability) => parts.policy.judgeAhead(call, capability).allowed),
    }
    const watched = [...parts.runtime.ports].map(([name, port]) => [name, scriptedPorts[name] ?? this.#watchedPort(name, port)] as const)
    return Object.fromEntries(watched)
  }

  /** Returns a port that records the calls of handlers, actions and hooks of the host. */
  #watchedPort(name: string, port: Port): Port {
    if (!OUTSIDE.has(name)) return port
    return {
      ...port,
      perform: (call) => {
        this.outside.record(name, nodeOf(call.args), call.args, call.key)
        return this.outside.waitForReal(() => port.perform(call))
      },
    }
  }
}

/** Returns the node that asks in a call of a pipeline. */
function nodeOf(args: Json | undefined): string {
  return isObject(args) && typeof args['node'] === 'string' ? args['node'] : ''
}

/** Agents of the test, waited for like its other functions. */
function watchedAgents(agents: Readonly<Record<string, RunnableAgent>>, outside: Outside): Readonly<Record<string, RunnableAgent>> {
  return Object.fromEntries(
    Object.entries(agents).map(([name, agent]): [string, RunnableAgent] => [
      name,
      {
        resolve: (context, call) => outside.waitForTest(() => agent.resolve(context, call)),
        traits: (context, place) => agent.traits?.(context, place) ?? PURE,
        handles: (context) => agent.handles?.(context) !== false,
      },
    ]),
  )
}

/** Returns surroundings that have only the working folder and `PATH` of the machine. */
export function surroundingsOf(host: Host): Surroundings {
  const { cwd, environment } = thisProcess()
  return {
    host,
    worker: { id: 'the test', host: 'test', pid: 0 },
    cwd,
    environment: { PATH: environment['PATH'] },
    actor: 'the test',
  }
}
