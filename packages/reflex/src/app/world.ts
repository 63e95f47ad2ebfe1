import { type Call, type Json, ledgerPort, type Port } from '../kernel/index.ts'
import { modelPort } from '../models/index.ts'
import { modelsByRun } from '../runs/run-models.ts'
import type { KindWorld, MadeKind } from '../programs/kind-module.ts'
import { type JudgedCall, type OperatorPolicy, restrictedBy, type RunSettings } from '../policy/index.ts'
import { labelledTools } from '../programs/labelled-tools.ts'
import { suggest } from '../text/index.ts'
import { type HiddenValues, type Place, type ToolCall, toolPort } from '../tools/index.ts'

/** The names of the ports of Reflex, which the steps of every kind may ask for. */
export const HOUSE_PORTS: readonly string[] = ['model', 'tool', 'ledger']

/** The ports of Reflex. Each says what it does in a simulated run; models are chosen by the run. `made`: the kinds that are made so far; `hidden`: what tools get and no record has. */
export function housePorts(
  world: KindWorld,
  made: () => readonly MadeKind[],
  hidden: HiddenValues,
): Readonly<Record<string, Port<RunSettings>>> {
  const { host, store, models, simulated, redact, tools, policy, labels, isProgram, reserved } = world
  const modelsOf = modelsByRun({ real: models, simulated: simulated.models, redact })
  const requestOf = (call: Call<RunSettings>): Json | undefined => firstOf(made(), (kind) => kind.modelRequest?.(call)) ?? call.args
  const tool = toolPort<RunSettings>({
    tools,
    guess: suggest,
    place: (call) => placeOf(call, made()),
    allows: (call, capability, exactly) => policy.judgeCall(call, capability, exactly).allowed,
    denies: (call, capability) => policy.denies(call, capability),
    hidden,
  })
  return {
    model: modelPort(({ settings }: { readonly settings: RunSettings }) => modelsOf(settings), requestOf),
    tool: labelledTools(tool, {
      labels,
      isProgram,
      hidden: reserved,
      now: () => host.now(),
      isOutside: (name) => tools.find(name)?.outside === true,
      keepsLabels: (def) => made().some((kind) => kind.keepsLabels?.(def) === true),
    }),
    ledger: ledgerPort(store, host),
  }
}

/** Returns a call of a port as tools see it: its folders, and what the policy allows it. */
export function toolCallOf(call: Call<RunSettings>, policy: OperatorPolicy, made: readonly MadeKind[]): ToolCall {
  return {
    ...placeOf(call, made),
    signal: call.signal,
    key: call.key,
    part: (delta, begins) => call.part(delta, begins),
    allows: (capability, exactly) => policy.judgeCall(call, capability, exactly).allowed,
    denies: (capability) => policy.denies(call, capability),
  }
}

function placeOf(call: JudgedCall, made: readonly MadeKind[]): Place {
  const { settings } = call
  return {
    workdir: settings.workdir,
    runFolder: runFolderOf(made, call),
    agentId: settings.agentId,
    restricted: restrictedBy(settings),
  }
}

/** Returns the run folder of a call. */
export function runFolderOf(made: readonly MadeKind[], call: JudgedCall): string {
  return firstOf(made, (kind) => kind.runFolder?.(call)) ?? call.settings.folder
}

function firstOf<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
