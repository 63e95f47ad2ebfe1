import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { placed, type ProgramPlaces } from '../../../programs/file-above.ts'
import type { ReadContext } from '../../../programs/language.ts'
import { readText } from '../../../programs/read-text.ts'

/** The most bytes of a file beside a graph. */
const MOST_BYTES = 4_000_000

export interface SiblingText {
  readonly file: string
  readonly text: string
}

/** Returns the file beside a graph with the same name and another ending: `alerts.dataflow.json` has `alerts.adapter.json`. */
export function siblingText(
  program: string | undefined,
  what: 'adapter' | 'host',
  denied?: ProgramPlaces['denied'],
): SiblingText | undefined {
  if (program === undefined) return undefined
  return textIn(dirname(program), siblingName(basename(program), what), denied)
}

/** Returns the adapter of a graph: the file that a person named, else the one beside it. Undefined if there is none. */
export function adapterSibling(program: string | undefined, { companions, places }: ReadContext = {}): SiblingText | undefined {
  const named = companions?.adapter
  return named === undefined ? siblingText(program, 'adapter', places?.denied) : { file: named, text: readText(named) }
}

/** Returns the name of the file beside a graph. */
export function siblingName(program: string, what: 'adapter' | 'host'): string {
  return `${program.replace(/\.dataflow\.\w+$/, '')}.${what}.json`
}

/** The endings of files that have a part of a graph, and the folders beside it that may hold them. */
const PARTS = {
  cluster: { ending: '.dataflow.json', folder: 'clusters' },
  primitive: { ending: '.primitive.json', folder: 'primitives' },
} as const

/** Returns the file of a cluster or a primitive, which is named after its id: beside the graph, or in a folder there. */
export function partText(
  program: string | undefined,
  part: keyof typeof PARTS,
  id: string,
  denied?: ProgramPlaces['denied'],
): SiblingText | undefined {
  if (program === undefined) return undefined
  const folder = dirname(program)
  const name = `${id}${PARTS[part].ending}`
  return textIn(folder, name, denied) ?? textIn(join(folder, PARTS[part].folder), name, denied)
}

function textIn(folder: string, name: string, denied: ProgramPlaces['denied']): SiblingText | undefined {
  if (basename(name) !== name) return undefined
  const file = join(folder, name)
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats?.isFile() !== true || stats.size > MOST_BYTES) return undefined
  const real = placed(file, { roots: [placed(folder, { roots: ['/'] }) ?? folder], denied })
  return real === undefined ? undefined : { file, text: readFileSync(real, 'utf8') }
}
