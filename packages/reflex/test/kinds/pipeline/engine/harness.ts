import { isObject, type Json, type JsonObject, type Port, Runtime, usageOfResult } from '../../../../src/kernel/index.ts'
import { createEngine, type EngineParts } from '../../../../src/kinds/pipeline/operations/make-engine.ts'
import type { Limits } from '../../../../src/kinds/pipeline/contract/handler.ts'
import { operationsOf } from '../../../../src/kinds/pipeline/operations/built-in.ts'
import { pipelineKind } from '../../../../src/kinds/pipeline/face/kind.ts'
import { remarksOf } from '../../../../src/kinds/pipeline/engine/story.ts'
import { textOf } from '../../../../src/kinds/pipeline/engine/story-facts.ts'
import { handlerPort, HandlerRegistry, type PipelineHandler } from '../../../../src/kinds/pipeline/engine/custom.ts'
import { loadPipeline, readPipeline } from '../../../../src/kinds/pipeline/face/read-pipeline.ts'
import { outsidePort } from '../../../../src/kinds/pipeline/engine/outside-label.ts'
import { TRUSTED } from '../../../../src/policy/label.ts'
import { calledPrograms } from '../../../../src/kinds/pipeline/face/called-programs.ts'
import { virtualHost } from '../../../../src/testing/index.ts'
import { type Rights, rightsPolicy } from '../../../policy/rights.ts'
import { runsSettings, settingsWith } from '../../../policy/settings.ts'

/** What a test says of the world around a pipeline. */
export interface World extends EngineParts, Rights {
  readonly values?: JsonObject
  /** Handlers of a host, by type: most tests steer a run with them. */
  readonly handlers?: Readonly<Record<string, PipelineHandler>>
  readonly ports?: Readonly<Record<string, Port>>
  /** Other pipelines, by id. */
  readonly programs?: Readonly<Record<string, string>>
  /** The facts that the host states. */
  readonly facts?: JsonObject
  readonly limits?: Limits
  /** Answers by the node that asks; a node that is not here is left alone. */
  readonly answers?: Readonly<Record<string, Json>>
  /** Milliseconds that pass at most. */
  readonly until?: number
}

/** How a pipeline went. */
export interface Went {
  readonly status: string
  /** Executed nodes in their order, those of branches where they happened. */
  readonly trail: readonly string[]
  readonly remarks: readonly (readonly [type: string, payload: JsonObject])[]
  readonly context: JsonObject
  readonly reason: string
  /** Milliseconds from the first record to the last. */
  readonly took: number
  readonly host: ReturnType<typeof virtualHost>
  readonly run: Awaited<ReturnType<Runtime['start']>>
}

/** Runs a pipeline on a still clock that is moved from timer to timer. */
export async function runDot(dot: string, world: World = {}): Promise<Went> {
  const { runtime, host, custom } = runtimeOf(world)
  const { findings, id } = readPipeline(dot, undefined, { custom })
  if (id === undefined) throw findings.find(({ severity }) => severity === 'error') ?? new Error('no pipeline')
  const remarks: [string, JsonObject][] = []
  const program = runtime.programs.add('pipeline', id, { dot }, {})
  const run = await runtime.start(program, {
    settings: ({ id }) => settingsWith({ folder: `/runs/${id}`, ...(world.limits === undefined ? {} : { limits: world.limits }) }),
    ...(world.values === undefined ? {} : { args: world.values }),
  })
  const began = run.state.start?.at ?? 0
  for (const record of run.records)
    remarks.push(...remarksOf(record.more?.note).map(([type, payload]) => [type, payload] as [string, JsonObject]))
  run.observe(({ record }) =>
    remarks.push(...remarksOf(record.more?.note).map(([type, payload]) => [type, payload] as [string, JsonObject])),
  )
  const end = host.now() + (world.until ?? 3_600_000)
  for (;;) {
    await host.drain()
    if (run.state.ended !== undefined) break
    const asked = [...run.state.waits.values()].find(({ type, name }) => type === 'answer' && name in (world.answers ?? {}))
    if (asked !== undefined) await run.answer(asked.id, world.answers?.[asked.name] ?? null)
    else if (host.nextDue === undefined || host.nextDue > end || !(await host.tick())) break
  }
  const { ended } = run.state
  const value = isObject(ended?.value) ? ended.value : {}
  return {
    status: ended?.status === 'done' ? textOf(value['status']) : (ended?.status ?? run.status),
    trail: remarks.flatMap(([type, { node_id }]) => (type === 'stage_started' ? [textOf(node_id)] : [])),
    remarks,
    context: contextOf(run.state.root.reader().snapshot()),
    reason: ended?.status === 'failed' ? textOf(value['message']) : '',
    took: run.state.time - began,
    host,
    run,
  }
}

function runtimeOf(world: World) {
  const host = virtualHost()
  const registry = new HandlerRegistry()
  for (const [type, handler] of Object.entries(world.handlers ?? {})) registry.register(type, handler)
  const custom = registry.facts()
  const operations = operationsOf({ custom })
  const runtime = new Runtime({
    kinds: [
      pipelineKind({
        load: (source) => loadPipeline(source, { custom }),
        calls: calledPrograms,
        engine: createEngine({ ...world, operations }),
        ...(world.facts === undefined ? {} : { facts: world.facts }),
      }),
    ],
    host,
    policy: rightsPolicy(world),
    settings: runsSettings(world.limits === undefined ? {} : { limits: world.limits }),
    ports: {
      outside: outsidePort(() => Promise.resolve(TRUSTED)),
      handler: handlerPort(registry),
      ...Object.fromEntries(Object.entries(world.ports ?? {}).map(([name, port]) => [name, { used: usageOfResult, ...port }])),
    },
  })
  for (const [id, text] of Object.entries(world.programs ?? {})) runtime.programs.add('pipeline', id, { dot: text }, {})
  return { runtime, host, custom }
}

function contextOf(board: Record<string, Json>): JsonObject {
  return Object.fromEntries(Object.entries(board).filter(([key]) => !key.startsWith('#')))
}

/** The payloads of one type of remark. */
export function told({ remarks }: Went, type: string): JsonObject[] {
  return remarks.flatMap(([name, payload]) => (name === type ? [payload] : []))
}
