import { dirname } from 'node:path'
import type { JsonObject, Program, Programs } from '../kernel/index.ts'
import type { Trust } from '../policy/index.ts'
import type { Kinds } from '../programs/kinds.ts'
import type { Library } from '../programs/library.ts'
import { isModule } from '../programs/kinds.ts'
import { checkStarted } from './check-start-options.ts'
import { startedBesides } from './run-folders.ts'

/** The parts of a `Reflex` that find what its operator says of called programs. */
interface CalledWorld {
  readonly library: Library
  readonly kinds: Kinds
  readonly programs: Programs
}

/**
 * Returns what the operator's files say of the programs that a run may call, by name: those that its program calls, directly or not, those
 * of `besides`, and those that they start. Programs that such a file starts are loaded. Throws `R1097` for a file that a run wrote,
 * `R2010` for a program that cannot be found, and the faults of the kinds.
 */
export async function calledHosts(
  { library, kinds, programs }: CalledWorld,
  root: Program,
  { besides, trust }: { readonly besides: readonly string[]; readonly trust: Trust | undefined },
): Promise<Readonly<Record<string, JsonObject>>> {
  const hosts: Record<string, JsonObject> = {}
  const seen = new Set([root.name])
  const called = (program: Program): Program[] => programs.closure(program)
  const pending = [...called(root), ...besides.flatMap((name) => found(programs, name)).flatMap(called)]
  for (const program of pending) {
    if (seen.has(program.name)) continue
    seen.add(program.name)
    const file = library.fileOf(program.hash)
    const stated = kinds.folder(program.kind)?.calledWith?.(program.def, { file })
    if (file === undefined || stated === undefined) continue
    await library.rejectWritten(stated.file, trust)
    hosts[program.name] = stated.input
    const started = startedBesides(kinds, program.kind, stated.input)
    await library.resolveCalls(program, dirname(file), { modules: isModule(file), besides: started })
    checkStarted(programs, program, started)
    pending.push(...started.flatMap((name) => found(programs, name)).flatMap(called))
  }
  return hosts
}

function found(programs: Programs, name: string): Program[] {
  const program = programs.find(name)
  return program === undefined ? [] : [program]
}
