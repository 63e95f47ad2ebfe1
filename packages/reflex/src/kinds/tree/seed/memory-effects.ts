import {
  causeOf,
  type Fault,
  faultJson,
  isFault,
  isList,
  isObject,
  type Json,
  type JsonObject,
  type PendingEffect,
} from '../../../kernel/index.ts'
import { textOf } from '../model/text-of.ts'
import { faults } from '../model/faults.ts'
import { type FunctionRegistry, rejected, startFunction } from '../tick/function-port.ts'
import { rejectedScript, type ScriptCall, scriptRunner } from '../tick/script-port.ts'
import { luaWorkers } from './lua-workers.ts'
import type { MemoryRun, TreeClock } from './memory-run.ts'
import type { OperationContext, Services } from './services.ts'

/** Stores what trees share: called with each change of the global keys. */
export type GlobalWriter = (entries: readonly (readonly [key: string, value: Json])[]) => void

/** What performs the effects of trees in memory. */
export interface EffectWorld {
  readonly clock: TreeClock
  readonly functions: FunctionRegistry
  readonly services: Services
  readonly writeGlobals: GlobalWriter
  /** Called with the end of each operation that does not answer at once. It never rejects. */
  onStarted(operation: Promise<void>): void
  /** Called when an operation that takes longer has ended or progressed, so that somebody ticks the tree. */
  onSettled(): void
}

/** Performs an effect: what answers at once has its end at once, a promise has it later. */
export function performEffect(world: EffectWorld, effect: PendingEffect, run: MemoryRun): void {
  const controller = new AbortController()
  effect.activeCall = { abort: () => controller.abort(), takeParts: () => undefined }
  const context: OperationContext = {
    signal: controller.signal,
    key: String(effect.id),
    part: (delta) => {
      if (controller.signal.aborted) return
      run.settle(effect, ['part', effect.id, delta])
      world.onSettled()
    },
  }
  const ended = (value: Json): void => run.settle(effect, ['ok', effect.id, value])
  const failed = (thrown: unknown): void => run.settle(effect, ['err', effect.id, faultJson(faultOf(effect, thrown))])
  try {
    const result = start(world, effect, context)
    if (!(result instanceof Promise)) return ended(result)
    world.onStarted(result.then(ended, failed).then(() => world.onSettled()))
  } catch (thrown) {
    failed(thrown)
  }
}

function start(
  { clock, functions, services, writeGlobals }: EffectWorld,
  { port, args: given, frame }: PendingEffect,
  context: OperationContext,
): Json | Promise<Json> {
  const args = isObject(given) ? given : {}
  const { llmClient, toolExecutor } = services
  switch (port) {
    case 'function':
      return startFunction(functions, services, { ...context, run: 'memory', args, frame })
    case 'script':
      return scriptsOf(clock)({ ...context, args, frame })
    case 'model':
      if (llmClient === undefined) throw lacking('llmClient', 'to ask a model')
      return llmClient.complete(args, context)
    case 'tool':
      if (toolExecutor === undefined) throw lacking('toolExecutor', 'to call a tool')
      return toolExecutor.execute(textOf(args.tool), args.args ?? {}, context)
    case 'ledger':
      writeGlobals(entriesOf(given))
      return { entries: [] }
    default:
      throw lacking(port, `for the port ${port}`)
  }
}

const SCRIPTS = new WeakMap<TreeClock, (call: ScriptCall) => Promise<Json>>()

/** Returns what runs the scripts of the trees of one clock: together they keep the limit of scripts in a second. */
function scriptsOf(clock: TreeClock): (call: ScriptCall) => Promise<Json> {
  const known = SCRIPTS.get(clock) ?? scriptRunner(luaWorkers, clock)
  SCRIPTS.set(clock, known)
  return known
}

function lacking(service: string, what: string): Fault {
  return faults.make('R1219', `the tree needs the service ${service} ${what}`, { fix: `inject it: services: { ${service} }` })
}

function entriesOf(args: Json | undefined): (readonly [string, Json])[] {
  const [, , entries] = isList(args) ? args : []
  return (isList(entries) ? (entries as readonly JsonObject[]) : []).map(({ name, value = null }) => [textOf(name), value])
}

function faultOf({ port, args }: PendingEffect, thrown: unknown): Fault {
  if (port === 'script') return rejectedScript(thrown)
  if (port === 'function' || isFault(thrown)) return rejected(thrown, { args })
  const cause = causeOf(thrown)
  return faults.make('R1253', typeof cause === 'string' ? cause : cause.message, { rule: 'E6003', cause: thrown })
}
