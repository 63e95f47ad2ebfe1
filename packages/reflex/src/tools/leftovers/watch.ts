import { lstatSync, mkdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { autorunCapability } from '../capability.ts'
import { isBelow, isFolder, realPath } from '../paths.ts'
import type { ToolCall } from '../tool.ts'
import { cleanAfter } from './after.ts'
import { type Area, type Before, lookBefore } from './before.ts'
import { beforeAll, beganAt, type CommandRecord, dropRecord, fillRecord, openRecord, readRecords } from './records.ts'
import type { Removed } from './remove.ts'

/** The folders of a command while it runs. */
export interface Watch {
  readonly before: Before
  /** What a command that was interrupted by a crash had left, and what was done with it. */
  readonly left: readonly Removed[]
  /** Notes the private copies of repositories, which a crash would leave. To be called before the command begins. */
  begin(copies: readonly string[]): void
  /** Cleans the folders after the command, however it ended. */
  end(): Promise<readonly Removed[]>
}

/**
 * Begins to watch the folders of a command. First it finishes what a process that died had begun: a record of each command
 * lies outside of what any command sees, with what stood in its folders before.
 */
export async function watchFolders(area: Area, state: string, call: ToolCall): Promise<Watch> {
  const keeps = (path: string): boolean => call.allows(autorunCapability(path))
  const aside = (id: string): string => join(state, '.reflex-removed', id)
  const found = readRecords(state)
  const left: Removed[] = []
  for (const { file, since, record } of found.left) {
    const { roots, hidden, hooks, before } = record
    left.push(
      ...(await cleanAfter({
        roots: roots.filter(isFolder),
        hidden,
        hooks,
        before,
        since,
        host: area.host,
        aside: aside(basename(file, '.json')),
        keeps,
      })),
    )
    for (const copy of record.copies) rmSync(copy, { recursive: true, force: true })
    dropRecord(file)
  }
  const { file, since } = openRecord(state)
  const id = basename(file, '.json')
  try {
    const before = beforeAll(await lookBefore(area), readRecords(state).active, area.roots)
    const record: Omit<CommandRecord, 'copies'> = { pid: process.pid, began: beganAt(process.pid) ?? '', ...folders(area), before }
    return {
      before,
      left,
      begin: (copies) => fillRecord(file, since, { ...record, copies }),
      async end() {
        const removed = await cleanAfter({ ...area, before, since, aside: aside(id), keeps })
        dropRecord(file)
        return removed
      },
    }
  } catch (thrown) {
    dropRecord(file)
    throw thrown
  }
}

function folders({ roots, hidden, hooks }: Area): Pick<CommandRecord, 'roots' | 'hidden' | 'hooks'> {
  return { roots, hidden, hooks }
}

/**
 * The folder for what is kept of commands: beside the folders of runs, where no command looks; where Reflex has no folder of
 * its own here, one of the user's among the temporary ones.
 */
export function stateFolder({ runFolder }: ToolCall, reserved: readonly string[]): string {
  const runs = dirname(runFolder)
  if (reserved.some((folder) => folder !== runFolder && isFolder(folder) && isBelow(runs, folder))) return runs
  const user = process.getuid?.() ?? 0
  const own = realPath(`/var/tmp/reflex-${user}`)
  mkdirSync(own, { recursive: true, mode: 0o700 })
  const stats = lstatSync(own)
  // Anyone can make a folder of that name first.
  if (stats.uid === user && stats.isDirectory() && (stats.mode & 0o077) === 0) return own
  throw new Error(`${own} belongs to somebody else`)
}
