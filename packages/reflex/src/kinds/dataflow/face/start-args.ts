import { isObject, type JsonObject } from '../../../kernel/index.ts'
import type { RunOptionValues } from '../../../programs/run-options.ts'
import { readJson } from '../../../text/index.ts'
import { coverageFindings } from '../adapter/coverage.ts'
import type { HostFile } from '../adapter/host-file.ts'
import { type EventSource, readArgs, writeArgs } from '../run/args.ts'
import type { CompiledGraph } from '../run/compiled.ts'
import { faults } from '../run/faults.ts'
import { basename } from 'node:path'
import { hostFor, textOf, throwFirst } from './host-of.ts'
import type { DATAFLOW_RUN_OPTIONS } from './run-options.ts'

/**
 * Returns the arguments of a run of a graph, from its options and the host file: `--host`, else NAME.host.json beside the program. Throws the
 * first finding of a file that cannot be used, and `R1357` for a graph that cannot run with it.
 */
export function startArgs(
  def: CompiledGraph,
  { source, host: named, stays, contextFrom }: RunOptionValues<typeof DATAFLOW_RUN_OPTIONS>,
  file: string | undefined,
): JsonObject {
  const host = hostFor({ host: named }, file)
  const isOpen = stays === true || source !== undefined || host.ingress !== undefined
  const coverage = coverageFindings(def.graph, {
    adapter: def.adapter?.adapter,
    routes: Object.keys(host.routes),
    ingress: source === undefined && isOpen ? 'production' : 'fixture',
  })
  throwFirst(coverage)
  return writeArgs({
    stays: isOpen,
    isLive: isOpen && source === undefined,
    ...(contextFrom === undefined ? {} : { context: contextIn(contextFrom, def) }),
    host,
    sources: sourcesOf(source, host),
  })
}

/** Returns the programs that intents of a run can start: those of the channels of its host file. */
export function startedPrograms(input: JsonObject): readonly string[] {
  const { channels } = readArgs(input).host
  return Object.values(channels).flatMap((channel) => (channel.type === 'program' ? [channel.start] : []))
}

function sourcesOf(file: string | undefined, { ingress }: HostFile): EventSource[] {
  const read: EventSource[] = file === undefined ? [] : [{ from: 'file', name: basename(file), file }]
  if (ingress?.type === 'process') return [...read, { from: 'process', name: 'ingress', command: ingress.command }]
  if (ingress?.type !== 'timer') return read
  const { every, semantic_kind, field } = ingress
  return [...read, { from: 'timer', name: 'timer', every, semantic_kind, ...(field === undefined ? {} : { time_field: field }) }]
}

function contextIn(file: string, { adapter }: CompiledGraph): JsonObject {
  const { value, findings } = readJson(textOf(file), file)
  throwFirst(findings)
  if (!isObject(value)) throw faults.make('R1388', `${file} is not an object of keys and values`, { file })
  const known = adapter?.adapter.context_keys.map(({ name }) => name) ?? []
  const unknown = Object.keys(value).find((key) => !known.includes(key))
  if (unknown !== undefined)
    throw faults.make('R1388', `${file} has the key ${JSON.stringify(unknown)}, which the adapter does not declare`, {
      file,
      path: unknown,
    })
  return value
}
