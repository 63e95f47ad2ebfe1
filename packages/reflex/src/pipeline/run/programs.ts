import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Program } from '../../kernel/program.ts'
import type { Programs } from '../../kernel/programs.ts'
import type { TypedGraph } from '../compile/typed.ts'
import { fileAbove } from '../file-above.ts'
import { calledPrograms } from '../refs.ts'

/** Where the pipelines that a run calls come from. */
interface Sources {
  /** Texts by id. */
  readonly given: Readonly<Record<string, string>>
  readonly workdir: string
}

/**
 * Makes known what a pipeline calls and what that calls: the texts that were given by id, and files that are named, from the
 * folder of the caller or one above, else from the work folder (reference pipeline 4.6.3). What is not found is a matter of
 * the run.
 */
export function addCalled(programs: Programs, program: Program, folder: string, { given, workdir }: Sources): void {
  const pending: (readonly [called: Program, folder: string])[] = [[program, folder]]
  const seen = new Set<string>()
  for (const [caller, from] of pending) {
    for (const name of calledPrograms(caller.def as TypedGraph)) {
      const id = name.startsWith('pipeline:') ? name.slice('pipeline:'.length) : undefined
      if (id === undefined || seen.has(id)) continue
      seen.add(id)
      const file = given[id] === undefined && /\.(dot|gv)$/.test(id) ? (fileAbove(from, id) ?? fileAbove(workdir, id)) : undefined
      const text = given[id] ?? (file === undefined ? undefined : readFileSync(file, 'utf8'))
      if (text !== undefined) pending.push([programs.add('pipeline', id, { dot: text }), file === undefined ? from : dirname(file)])
    }
  }
}
