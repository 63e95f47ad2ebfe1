import { readdirSync, statSync } from 'node:fs'
import { isObject, type JsonObject } from '../../../kernel/index.ts'
import type { RunOptionValues } from '../../../programs/run-options.ts'
import { quote, readJson, shortJson, suggest } from '../../../text/index.ts'
import { coverageFindings } from '../adapter/coverage.ts'
import type { HostFile } from '../adapter/host-file.ts'
import { typeOf } from '../model/value.ts'
import { type EventSource, readArgs, writeArgs } from '../run/args.ts'
import type { CompiledGraph } from '../run/compiled.ts'
import { faults } from '../run/faults.ts'
import { basename, dirname, join } from 'node:path'
import { hostFor, textOf, throwFirst } from './host-of.ts'
import type { DATAFLOW_RUN_OPTIONS } from './run-options.ts'

/**
 * Returns the arguments of a run of a graph, from its options and the host file: `--host`, else NAME.host.json beside the program. Throws the
 * first finding of a file that cannot be used, `R1337` for a graph of events that gets none, and `R1357` for one that cannot run with its host file.
 */
export function startArgs(
  def: CompiledGraph,
  { source, host: named, stays, contextFrom }: RunOptionValues<typeof DATAFLOW_RUN_OPTIONS>,
  { file, input }: { readonly file: string | undefined; readonly input: JsonObject },
): JsonObject {
  const host = hostFor({ host: named }, file)
  if (source !== undefined) checkSource(source)
  const isOpen = stays === true || source !== undefined || host.ingress !== undefined
  if (!isOpen && Object.keys(input).length === 0) checkIsCalled(def)
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

/** Throws `R1337` for a graph whose adapter declares events: a call without inputs is none of them (RUN-CANON-1). */
function checkIsCalled({ id, adapter }: CompiledGraph): void {
  const [form] = adapter?.forms.values() ?? []
  if (form === undefined) return
  const [field] = form.fields
  const call = field === undefined ? `--input semantic_kind=${form.kind}` : `--input ${field.name}=VALUE`
  throw faults.make('R1337', `${id} takes events, and nothing brings one`, {
    rule: 'RUN-CANON-1',
    path: id,
    fix: `add --events FILE for a file, --events - for standard input, --stays for events of other processes, or ${call} for a single event`,
  })
}

/** Throws `R1387` for a file of events that is not there: a run would begin and fail. A similar name beside it is suggested. */
function checkSource(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found !== undefined && !found.isDirectory()) return
  const near = found === undefined ? suggest(basename(file), namesIn(dirname(file))) : undefined
  const what = found === undefined ? 'there is no such file' : 'it is a folder'
  throw faults.make(
    'R1387',
    `the events cannot be read from ${file}: ${what}${near === undefined ? '' : `; did you mean ${quote(near)}?`}`,
    {
      rule: 'driver_io',
      fix: near === undefined ? 'name a file with one event in each line' : `write --events ${join(dirname(file), near)}`,
    },
  )
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Returns the programs that intents of a run can start: those of the channels of its host file. */
export function startedPrograms(input: JsonObject): readonly string[] {
  const { channels } = readArgs(input).host
  return Object.values(channels).flatMap((channel) => (channel.type === 'program' ? [channel.start] : []))
}

function sourcesOf(file: string | undefined, { ingress }: HostFile): EventSource[] {
  const read: EventSource[] = file === undefined ? [] : [{ from: 'file', name: fileName(file), file }]
  if (ingress?.type === 'process') return [...read, { from: 'process', name: 'ingress', command: ingress.command }]
  if (ingress?.type !== 'timer') return read
  const { every, semantic_kind, field } = ingress
  return [...read, { from: 'timer', name: 'timer', every, semantic_kind, ...(field === undefined ? {} : { time_field: field }) }]
}

/** Returns the name of a file of events, which no other source of the run has. */
function fileName(file: string): string {
  const name = basename(file)
  return name === 'ingress' || name === 'timer' ? `./${name}` : name
}

function contextIn(file: string, { adapter }: CompiledGraph): JsonObject {
  const { value, findings } = readJson(textOf(file), file)
  throwFirst(findings)
  if (!isObject(value)) throw faults.make('R1388', `${file} is not an object of keys and values`, { file })
  const types = new Map(adapter?.adapter.context_keys.map(({ name, type }) => [name, type]) ?? [])
  for (const [key, written] of Object.entries(value)) {
    const type = types.get(key)
    const about = { file, path: key }
    if (type === undefined)
      throw faults.make('R1388', `${file} has the key ${JSON.stringify(key)}, which the adapter does not declare`, about)
    if (typeOf(written) !== type)
      throw faults.make('R1388', `${file} has ${shortJson(written ?? null, 60)} for ${JSON.stringify(key)}, which is a ${type}`, {
        ...about,
        fix: `write a value of the type ${type}, or change the type of the key in the adapter`,
      })
  }
  return value
}
