import { type Fault, isObject, type Json, type JsonObject, type Program, type Run, type Runtime } from '../kernel/index.ts'
import type { RunSettings } from '../policy/index.ts'
import type { Kinds } from '../programs/kinds.ts'
import { secretIn } from './secret-file.ts'

/** The dependencies of `RunFolders`. */
interface FolderWorld {
  readonly runtime: Runtime<RunSettings>
  readonly kinds: Kinds
  /** Receives the fault of a folder that cannot be written. */
  readonly onTrouble: (fault: Fault) => void
}

/**
 * Writes the run folders of kinds that have one: for a pipeline, manifest, checkpoint, events and stage files (seed pipeline
 * 7.6). A run without a durable store has a folder only on request.
 */
export class RunFolders {
  readonly #world: FolderWorld
  readonly #pending = new Set<Promise<void>>()

  constructor(world: FolderWorld) {
    this.#world = world
  }

  /** Follows a run that starts or is opened again, before its next record. */
  follow(run: Run<RunSettings>, kind: string | undefined): void {
    const { runtime, onTrouble } = this.#world
    const { logs, folder: ownFolder, persistArtifacts } = run.settings
    const folder = this.#world.kinds.folder(kind ?? '')
    if (folder === undefined) return
    const logsRoot = logs?.folder ?? (runtime.store?.durable === true ? ownFolder : undefined)
    if (logsRoot === undefined) return
    const secret = logs?.secret === undefined ? undefined : secretIn(logs.secret)
    const ready = folder.keep(runtime, run, { logsRoot, secret, persistArtifacts, onTrouble })
    this.#pending.add(ready)
    void ready.finally(() => this.#pending.delete(ready))
  }

  /** Resolves when every folder is up to date with its journal. */
  async whenWritten(): Promise<void> {
    await Promise.all(this.#pending)
  }
}

/** The input of a run that its options let begin elsewhere, as at a checkpoint; empty for any other. */
export function beginningOf(
  kinds: Kinds,
  { kind, def }: Program,
  options: JsonObject,
  { logs, file, input }: Pick<RunSettings, 'logs' | 'file'> & { readonly input: JsonObject },
): JsonObject {
  const secret = logs?.secret === undefined ? undefined : secretIn(logs.secret)
  return kinds.folder(kind)?.beginsAt?.(def, options, { secret, file, input }) ?? {}
}

/** Returns the programs that a run can start because of its input. */
export function startedBesides(kinds: Kinds, kind: string, input: Json | undefined): readonly string[] {
  return isObject(input) ? (kinds.folder(kind)?.startsBesides?.(input) ?? []) : []
}
