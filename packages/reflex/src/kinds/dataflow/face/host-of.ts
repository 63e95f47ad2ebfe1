import { readFileSync } from 'node:fs'
import type { Fault, JsonObject } from '../../../kernel/index.ts'
import { DEFAULT_HOST, type HostFile, readHostFile } from '../adapter/host-file.ts'
import { coverageFindings } from '../adapter/coverage.ts'
import { writeArgs } from '../run/args.ts'
import type { CompiledGraph } from '../run/compiled.ts'
import { faults } from '../run/faults.ts'
import { siblingText } from './siblings.ts'

/**
 * Returns the host of a graph: the file that the run option `host` names, else NAME.host.json beside the program, else one without channels and
 * limits. Throws the first mistake of the file, and `R1388` for one that cannot be read.
 */
export function hostFor({ host: named }: JsonObject | { readonly host?: string | undefined }, program: string | undefined): HostFile {
  const found = typeof named === 'string' ? { file: named, text: textOf(named) } : siblingText(program, 'host')
  if (found === undefined) return DEFAULT_HOST
  const { host, findings } = readHostFile(found.text, found.file)
  throwFirst(findings)
  return host ?? DEFAULT_HOST
}

/**
 * Returns what NAME.host.json beside a graph says where another program calls the graph: limits, channels and routes. Its source of events is
 * left out, because a call is one event. Throws as `hostFor`, and `R1357` for routes that do not fit the graph.
 */
export function calledHost(
  def: CompiledGraph,
  { file }: { readonly file: string | undefined },
): { readonly file: string; readonly input: JsonObject } | undefined {
  const found = siblingText(file, 'host')
  if (found === undefined) return undefined
  const { ingress: _, ...host } = hostFor({}, file)
  throwFirst(coverageFindings(def.graph, { adapter: def.adapter?.adapter, routes: Object.keys(host.routes), ingress: 'fixture' }))
  return { file: found.file, input: writeArgs({ host }) }
}

/** Returns the text of a file that an option names. Throws `R1388`. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (thrown) {
    throw faults.make('R1388', `${file} cannot be read`, { file, cause: thrown, fix: 'name a file that exists and that you may read' })
  }
}

/** Throws the first error among findings. */
export function throwFirst(findings: readonly Fault[]): void {
  const error = findings.find(({ severity }) => severity === 'error')
  if (error !== undefined) throw error
}
