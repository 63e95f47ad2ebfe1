import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Program, Programs } from '../../../kernel/index.ts'
import type { TypedGraph } from '../model/typed.ts'
import { realPath } from '../../../tools/paths.ts'
import { fileAbove, type ProgramPlaces } from '../../../programs/file-above.ts'
import { calledPrograms } from './called-programs.ts'

/** The sources of the pipelines that a run calls. */
interface ProgramSources {
  /** Texts by id. */
  readonly given: Readonly<Record<string, string>>
  readonly workdir: string
  readonly denied: ProgramPlaces['denied']
  /** True if a run wrote the file from text that is not trusted. */
  readonly isWritten: (file: string, text: string) => boolean
}

/**
 * Adds the pipelines that a pipeline calls, and those that they call. Sources are the given texts by id, and named files: first
 * in the folder of the caller and the folders above it, then in the work folder (reference pipeline 4.6.3). Files must be below
 * the work folder or the folder of the first caller. The run reports missing programs.
 */
export function addCalled(
  programs: Programs,
  program: Program,
  folder: string,
  { given, workdir, denied, isWritten }: ProgramSources,
): void {
  const places = { roots: [folder, workdir].map(realPath), denied }
  const pending: (readonly [called: Program, folder: string])[] = [[program, folder]]
  const seen = new Set<string>()
  for (const [caller, from] of pending) {
    for (const name of calledPrograms(caller.def as TypedGraph)) {
      const id = name.startsWith('pipeline:') ? name.slice('pipeline:'.length) : undefined
      if (id === undefined || seen.has(id)) continue
      seen.add(id)
      const file =
        given[id] === undefined && /\.(dot|gv)$/.test(id) ? (fileAbove(from, id, places) ?? fileAbove(workdir, id, places)) : undefined
      const text = given[id] ?? (file === undefined ? undefined : readFileSync(file, 'utf8'))
      if (text === undefined) continue
      const source = file !== undefined && isWritten(file, text) ? { dot: text, author: 'untrusted' } : { dot: text }
      pending.push([programs.add('pipeline', id, source), file === undefined ? from : dirname(file)])
    }
  }
}
