import { archiveOf } from '../history/archive/export.ts'
import { importArchive, type ImportedRun, type ImportWorld } from '../history/archive/import.ts'
import { type Host, type Program, Runtime, type State } from '../kernel/index.ts'
import type { Kinds, ViewedPrograms } from '../programs/kinds.ts'
import { faults } from '../runs/faults.ts'
import { unusedRunName } from '../runs/find-run.ts'
import { memoryStore } from '../store/index.ts'
import { capturesOf, captureOf } from './capturing.ts'

/** The parts of a `Reflex` that an import of a capture needs. */
export interface RestoreWorld extends Omit<ImportWorld, 'now'> {
  readonly kinds: Kinds
  readonly host: Host
}

/**
 * Stores a capture as the run that it was. The run is made in memory, by the runtime itself, with ports that answer as the capture says; it is
 * stored as an archive is imported, once it has ended and gives the same capture again. Sends nothing. Throws the first finding of a strict
 * replay for a damaged capture and for one of another program, `R2031` for a kind without captures, `R2022` and `R5007` for the name.
 */
export async function importCaptured(
  world: RestoreWorld,
  program: Program,
  text: string,
  { file, id }: { readonly file?: string | undefined; readonly id?: string | undefined },
): Promise<ImportedRun> {
  const { run, findings } = capturesOf(world.kinds, program.kind).restore(program.def, text, { file })
  if (run === undefined) throw findings[0] ?? faults.make('R2031', 'the capture has no run')
  const name = id ?? (await unusedRunName(world))
  const { kinds, host, programs, worker } = world
  const store = memoryStore()
  let stop: (() => void) | undefined
  const runtime = new Runtime({
    kinds: [...programs.kinds.values()],
    ports: run.ports({ host, cancel: () => stop?.() }),
    store,
    host,
    worker,
  })
  try {
    const { kind, source, def, local } = program
    const own = runtime.programs.add(kind, program.name.slice(kind.length + 1), source, { def, local })
    const made = await runtime.start(own, { args: run.input })
    stop = () => void made.cancel()
    await made.idle({ until: 'end' })
    const row = (await store.read(made.id, 0))?.row
    if (row === undefined) throw faults.make('R2031', 'the capture has no run')
    const pieces: string[] = []
    const programsOf = (state: State): ViewedPrograms => kinds.programsOf(runtime.programs, state)
    for await (const piece of captureOf({ kinds, store, runtime, programsOf }, row)) pieces.push(piece)
    const different = run.check(pieces.join(''))
    if (different !== undefined) throw different
    return await importArchive({ store: world.store, worker, programs, now: () => host.now() }, archiveOf(store, row), { id: name })
  } finally {
    await runtime.close()
  }
}
