import { causeOf, type Fault, faultJson, isFault, isObject, type Json, type JsonObject, type PendingEffect } from '../../../kernel/index.ts'
import { textOf } from '../model/text-of.ts'
import { faults } from '../model/faults.ts'
import { type FunctionRegistry, rejected, startFunction } from '../tick/function-port.ts'
import type { MemoryRun } from './memory-run.ts'
import type { OperationContext, Services } from './services.ts'

/** Stores what trees share: called with each change of the global keys. */
export type GlobalWriter = (entries: readonly (readonly [key: string, value: Json])[]) => void

/** What performs the effects of trees in memory. */
export interface EffectWorld {
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

function start({ functions, services, writeGlobals }: EffectWorld, effect: PendingEffect, context: OperationContext): Json | Promise<Json> {
  const args = isObject(effect.args) ? effect.args : {}
  const { llmClient, toolExecutor, scriptRunner } = services
  switch (effect.port) {
    case 'function':
      return startFunction(functions, services, { ...context, run: 'memory', args, frame: effect.frame })
    case 'model':
      if (llmClient === undefined) throw lacking('llmClient', 'to ask a model')
      return llmClient.complete(args, context)
    case 'tool':
      if (toolExecutor === undefined) throw lacking('toolExecutor', 'to call a tool')
      return toolExecutor.execute(textOf(args.tool), args.args ?? {}, context)
    case 'script': {
      if (scriptRunner === undefined) throw lacking('scriptRunner', 'to run Lua')
      const reader = effect.frame.reader((args.scope ?? null) as string | null)
      return scriptRunner.run(args, { ...context, get: (key) => reader.get(key) ?? reader.get(`@${key}`) })
    }
    case 'ledger':
      writeGlobals(entriesOf(effect.args))
      return { entries: [] }
    default:
      throw lacking(effect.port, `for the port ${effect.port}`)
  }
}

function lacking(service: string, what: string): Fault {
  return faults.make('R1219', `the tree needs the service ${service} ${what}`, { fix: `inject it: services: { ${service} }` })
}

function entriesOf(args: Json | undefined): (readonly [string, Json])[] {
  const [, , entries] = Array.isArray(args) ? (args as readonly Json[]) : []
  return (Array.isArray(entries) ? (entries as readonly JsonObject[]) : []).map(({ name, value = null }) => [textOf(name), value])
}

function faultOf({ port, args }: PendingEffect, thrown: unknown): Fault {
  if (port === 'function' || isFault(thrown)) return rejected(thrown, { args })
  const cause = causeOf(thrown)
  return faults.make('R1253', typeof cause === 'string' ? cause : cause.message, { rule: 'E6003', cause: thrown })
}
