import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const CASES = resolve(import.meta.dirname, '../../../cases')

/** A folder `cases/<kind>/<name>/`: a program, the script of answers, and what must come of it. */
export interface Case {
  readonly kind: string
  readonly name: string
  readonly folder: string
  /** The files of the folder, by name, in order. */
  readonly files: readonly string[]
  path(file: string): string
  has(file: string): boolean
  text(file: string): string
  json(file: string): unknown
}

/** The cases of a kind, in order of their names. A golden file is compared with `toMatchFileSnapshot(it.path(file))`. */
export function casesOf(kind: string, root: string = CASES): Case[] {
  const folder = join(root, kind)
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted()
    .map((name) => openCase(kind, name, join(folder, name)))
}

function openCase(kind: string, name: string, folder: string): Case {
  const path = (file: string): string => join(folder, file)
  const text = (file: string): string => readFileSync(path(file), 'utf8')
  return {
    kind,
    name,
    folder,
    files: readdirSync(folder).toSorted(),
    path,
    has: (file) => existsSync(path(file)),
    text,
    json: (file) => JSON.parse(text(file)) as unknown,
  }
}
