import { isFault, isList, isObject, type Json, type Traits } from '../kernel/index.ts'
import { restrictedBy, type RunSettings } from '../policy/index.ts'
import type { Place, PreparedCall, Tools } from '../tools/index.ts'
import { shortJson, suggest } from '../text/index.ts'
import type { DecisionContext } from '../kinds/workflow/index.ts'
import { type AgentCall, type AgentPlace, MISSING, PURE, type RunnableAgent } from './agent.ts'
import { authoredOnlyFault } from './check-arguments.ts'
import { chooseByRules, toDecision } from './rule-choice.ts'
import { compute } from './compute.ts'
import { faults } from './faults.ts'
import { Draft, valueInside } from './lookup.ts'
import { readSpec } from './read-spec.ts'
import { toolSpec, type ToolSpec } from './spec.ts'
import { isTemplate } from './template.ts'
import { evaluateAll } from './evaluate.ts'

/** Settings of tool calls besides the context of a decision. */
export interface ToolSettings {
  readonly tools: Tools
  /** The work folder, its real path. */
  readonly workdir: string
  /** Asks the policy for one capability again, at the moment at which a tool acts. */
  readonly allows: (call: AgentCall | undefined, capability: string, exactly?: boolean) => boolean
  readonly denies: (call: AgentCall | undefined, capability: string) => boolean
}

const NO_SIGNAL = new AbortController().signal

/** Returns the agent that calls the tool that the spec of the node names, writes its result, and chooses an edge by rules. */
export function toolAgent(settings: ToolSettings): RunnableAgent {
  return {
    async resolve(context, call) {
      const spec = readSpec(toolSpec, context.node)
      const draft = new Draft(context.blackboard)
      const prepared = prepare(settings.tools, spec, draft)
      const result = await prepared.run(toolCall(settings, call))
      writeResult(spec.writes, result, draft, `${context.node.id}.writes`)
      const computed = compute(spec, draft)
      const { edge, because } = chooseByRules(spec, context, draft)
      const summary = [prepared.says(result) ?? shortJson(result), computed, because]
        .filter((part) => part !== undefined && part !== '')
        .join('; ')
      return toDecision({ edge, because: spec.because === undefined ? summary : because }, draft, `tool ${spec.tool}`)
    },
    traits: (context, place) => traitsOf(settings, context, place),
  }
}

/**
 * Returns the traits of a call. A call with a mistake in its spec has no effect: `resolve` refuses it. If the tool itself is
 * missing, an earlier process may have performed the call.
 */
function traitsOf(settings: ToolSettings, context: DecisionContext, place: AgentPlace | undefined): Traits {
  try {
    const prepared = prepare(settings.tools, readSpec(toolSpec, context.node), new Draft(context.blackboard))
    return prepared.traits(placeOf(settings, place))
  } catch (thrown) {
    return isFault(thrown) && thrown.code === 'R4100' ? MISSING : PURE
  }
}

function prepare(tools: Tools, spec: ToolSpec, draft: Draft): PreparedCall {
  const { authored = [] } = tools.find(spec.tool) ?? {}
  for (const name of authored) {
    const given = spec.args?.[name]
    if (given === undefined || (typeof given === 'string' && !isTemplate(given))) continue
    throw authoredOnlyFault(spec.tool, name)
  }
  return tools.prepare(spec.tool, evaluateAll(spec.args ?? {}, draft, 'args'), suggest)
}

function toolCall(settings: ToolSettings, call: AgentCall | undefined): Parameters<PreparedCall['run']>[0] {
  return {
    ...placeOf(settings, call),
    signal: call?.signal ?? NO_SIGNAL,
    key: call?.key ?? '',
    run: call?.run,
    answers: call?.answers,
    part: (delta, begins) => call?.part(delta, begins),
    allows: (capability, exactly) => settings.allows(call, capability, exactly),
    denies: (capability) => settings.denies(call, capability),
  }
}

/** Returns the folder of a run. An engine without runs has one folder for all. */
function placeOf({ workdir }: ToolSettings, place: AgentPlace | undefined): Place {
  const settings: Partial<RunSettings> = place?.settings ?? {}
  const { folder = `${workdir}/.reflex/runs/engine`, agentId } = settings
  return { workdir, runFolder: folder, agentId, restricted: restrictedBy(settings) }
}

/** Writes the whole result under one key, or its parts by path: `.` is the whole result. */
function writeResult(writes: ToolSpec['writes'], result: Json, draft: Draft, where: string): void {
  if (typeof writes === 'string') draft.write(writes, result)
  if (typeof writes !== 'object') return
  for (const [key, path] of Object.entries(writes)) {
    const value = path === '.' ? result : valueInside(result, path.split('.'))
    if (value === undefined)
      throw faults.make('R2110', `${where}.${key}: the result of the tool has no ${path}; it is ${describeResult(result)}`, { path: where })
    draft.write(key, value)
  }
}

function describeResult(result: Json): string {
  if (isList(result)) return `a list of ${result.length}`
  return isObject(result) ? `an object with ${Object.keys(result).join(', ')}` : shortJson(result)
}
