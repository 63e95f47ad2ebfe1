import { resolve } from 'node:path'
import { faults } from '../runs/faults.ts'
import { FORMATS } from './formats.ts'
import type { Fault, JsonObject, Program, Run, Runtime } from '../kernel/index.ts'
import type { RunSettings } from '../policy/index.ts'
import { routingOf } from '../kinds/pipeline/face/assemble.ts'
import type { RunOptions } from './options.ts'
import { realRoot } from '../kinds/pipeline/folder/open-folder.ts'
import type { ProgramFormat } from './program-format.ts'
import { secretIn } from './secret-file.ts'

/** What the folders of runs need of the rest. */
interface FolderWorld {
  readonly runtime: Runtime<RunSettings>
  /** Hears of a folder that cannot be written. */
  readonly onTrouble: (fault: Fault) => void
}

/**
 * Keeps the folders of runs, where their kind has one: for a pipeline, manifest, checkpoint, events, the files of stages
 * (seed pipeline 7.6). Runs that no store keeps have one only where it was asked for.
 */
export class RunFolders {
  readonly #world: FolderWorld
  readonly #pending = new Set<Promise<void>>()

  constructor(world: FolderWorld) {
    this.#world = world
  }

  /** Follows a run that begins or is opened again, before its next record. */
  follow(run: Run<RunSettings>, kind: string | undefined): void {
    const { runtime, onTrouble } = this.#world
    const { logs, folder, persistArtifacts } = run.settings
    const format = formatOfKind(kind)
    if (format?.keepFolder === undefined) return
    const logsRoot = logs?.folder ?? (runtime.store?.durable === true ? folder : undefined)
    if (logsRoot === undefined) return
    const secret = logs?.secret === undefined ? undefined : secretIn(logs.secret)
    const ready = format.keepFolder(runtime, run, { logsRoot, secret, persistArtifacts, onTrouble })
    this.#pending.add(ready)
    void ready.finally(() => this.#pending.delete(ready))
  }

  /** Resolves once every folder has caught up with its journal. */
  async whenWritten(): Promise<void> {
    await Promise.all(this.#pending)
  }
}

/** Where a run's folder is to be and what signs its checkpoints, as it keeps them. */
export function logSettings(
  { logs, hmacSecretFile }: Pick<RunOptions, 'logs' | 'hmacSecretFile'>,
  { cwd, workdir }: { readonly cwd: string; readonly workdir: string },
): Pick<RunSettings, 'logs'> {
  if (logs === undefined && hmacSecretFile === undefined) return {}
  return {
    logs: {
      ...(logs === undefined ? {} : { folder: realRoot(resolve(cwd, logs), workdir) }),
      ...(hmacSecretFile === undefined ? {} : { secret: resolve(cwd, hmacSecretFile) }),
    },
  }
}

/** How a run continues where its graph leads nowhere. */
export function routingSettings(options: Pick<RunOptions, 'onUnroutedFailure' | 'deadEnd'>): Pick<RunSettings, 'routing'> {
  const routing = routingOf(options)
  return routing === undefined ? {} : { routing }
}

/** What a run is given that begins where a checkpoint stands; nothing for any other. Throws `R2202` to `R2204`. */
export function checkpointInput(
  { kind, def, name }: Program,
  { resumeFrom, force }: Pick<RunOptions, 'resumeFrom' | 'force'>,
  { logs }: Pick<RunSettings, 'logs'>,
  cwd: string,
): JsonObject {
  if (resumeFrom === undefined) return {}
  const format = formatOfKind(kind)
  if (format?.resumeInput === undefined)
    throw faults.make('R1021', `${name} is no pipeline: only those go on from a checkpoint`, { file: resumeFrom })
  return format.resumeInput(def, resolve(cwd, resumeFrom), {
    secret: logs?.secret === undefined ? undefined : secretIn(logs.secret),
    force,
  })
}

function formatOfKind(kind: string | undefined): ProgramFormat | undefined {
  return FORMATS.find((format) => format.kind === kind)
}
