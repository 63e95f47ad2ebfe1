import type { Fault, Json, JsonObject, OpenRun, Program, Programs } from '../../../kernel/index.ts'
import type { ReloadPolicy } from '../tick/reload-request.ts'

/** What became of a saved file. */
export type Reloaded =
  /** The version is registered, and the run has its command. */
  | { readonly program: Program }
  /** The file has errors: the old tree continues. */
  | { readonly refused: readonly Fault[] }
  /** The file says the same as before. */
  | { readonly unchanged: true }

export interface ReloaderOptions {
  readonly run: Pick<OpenRun, 'command' | 'state'>
  readonly programs: Pick<Programs, 'closure'>
  /** Reads and registers the tree again, with the trees to which it refers. Returns the findings of a file that is wrong. */
  readonly read: () => Promise<Program | readonly Fault[]>
  readonly policy: ReloadPolicy
}

/** Gives a run the versions of its tree that are saved while it works. */
export class Reloader {
  readonly #options: ReloaderOptions
  #last: string

  constructor(options: ReloaderOptions) {
    this.#options = options
    const { pins, root } = options.run.state
    const [name = '', , , hash = ''] = pins[root.pin] ?? []
    const trees = new Map(pins.flatMap(([pinned, kind, , other]) => (kind === 'tree' && pinned !== name ? [[pinned, other] as const] : [])))
    this.#last = textOf(hash, Object.fromEntries(trees))
  }

  /**
   * Reads the tree after a file was saved, and tells the run. The run replaces its tree in the way of the policy. Resolves when the command is
   * durable. A tree that is wrong is told as an event, with the place of its first error.
   */
  async saved(file: string): Promise<Reloaded> {
    const { run, programs, read, policy } = this.#options
    const found = await read()
    if (isFindings(found)) {
      await run.command(0, { do: 'refused', file, ...refusalOf(found) })
      return { refused: found }
    }
    const trees = Object.fromEntries(
      programs.closure(found).flatMap(({ name, kind, hash }) => (kind === found.kind && name !== found.name ? [[name, hash]] : [])),
    )
    const text = textOf(found.hash, trees)
    if (text === this.#last) return { unchanged: true }
    this.#last = text
    const reload = { hash: found.hash, trees, policy, file }
    await run.command(0, { do: 'reload', reload })
    return { program: found }
  }
}

function isFindings(found: Program | readonly Fault[]): found is readonly Fault[] {
  return Array.isArray(found)
}

function refusalOf([first]: readonly Fault[]): JsonObject {
  if (first === undefined) return {}
  const { code, rule, message, file, line } = first
  const known: Readonly<Record<string, Json | undefined>> = { code, rule, message, source: file, line }
  return Object.fromEntries(Object.entries(known).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])))
}

/** A version as text: the hash of the tree, and those of the trees to which it refers. */
function textOf(hash: string, trees: Readonly<Record<string, string>>): string {
  return JSON.stringify([hash, Object.entries(trees).toSorted(([one], [other]) => (one < other ? -1 : 1))])
}
