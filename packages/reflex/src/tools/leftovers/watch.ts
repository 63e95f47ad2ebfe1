import { lstatSync, mkdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { autorunCapability } from '../capability.ts'
import { faults } from '../faults.ts'
import { isBelow, isFolder } from '../paths.ts'
import type { ToolCall } from '../tool.ts'
import { cleanAfter } from './clean-after.ts'
import { type Area, type Before, scanBefore } from './scan-before.ts'
import { namedByRepository } from './named-by-git.ts'
import { existedBeforeAll, processStart, type CommandRecord, removeRecord, writeRecord, openRecord, readRecords } from './records.ts'
import type { RemovedEntry } from './remove.ts'

/** The folders of a command while it runs. */
export interface Watch {
  readonly before: Before
  /** The entries that an interrupted command left, and how they were handled. */
  readonly leftovers: readonly RemovedEntry[]
  /** Records the private copies of repositories, which a crash would leave behind. Call it before the command starts. */
  begin(copies: readonly string[]): void
  /** Cleans the folders after the command, however it ended. */
  end(): Promise<readonly RemovedEntry[]>
}

/**
 * Starts to watch the folders of a command. First it finishes the clean-up of dead processes: each command has a
 * record, outside all folders that commands see, of the earlier entries of its folders. `recover` applies the changes
 * of a command's copy of a repository.
 */
export async function watchFolders(area: Area, state: string, recover: (copy: string) => Promise<void>, call: ToolCall): Promise<Watch> {
  const mayStay = (path: string): boolean => call.allows(autorunCapability(path))
  const aside = (id: string): string => join(state, '.reflex-removed', id)
  const found = readRecords(state, area.host.now())
  const leftovers: RemovedEntry[] = []
  for (const { file, since, record } of found.left) {
    const { roots, hidden, named, before } = record
    leftovers.push(
      ...(await cleanAfter({
        roots: roots.filter(isFolder),
        hidden,
        named,
        before,
        since,
        host: area.host,
        aside: aside(basename(file, '.json')),
        mayStay,
      })),
    )
    for (const copy of record.copies) await recover(copy)
    removeRecord(file)
  }
  const { file, since } = openRecord(state)
  const id = basename(file, '.json')
  try {
    const { seen, whole } = await scanWithRepositories(area)
    const before = existedBeforeAll(seen, readRecords(state, area.host.now()).active, area.roots)
    const record: Omit<CommandRecord, 'copies'> = {
      machine: hostname(),
      pid: process.pid,
      began: processStart(process.pid) ?? '',
      ...folders(whole),
      before,
    }
    return {
      before,
      leftovers,
      begin: (copies) => writeRecord(file, since, { ...record, copies }),
      async end() {
        try {
          return await cleanAfter({ ...whole, before, since, aside: aside(id), mayStay })
        } finally {
          // If the record remained, later commands would treat new entries as their own.
          removeRecord(file)
        }
      },
    }
  } catch (thrown) {
    removeRecord(file)
    throw thrown
  }
}

/** Scans folders, and again if the settings of repositories in them name further files that run automatically. */
async function scanWithRepositories(area: Area): Promise<{ readonly seen: Before; readonly whole: Area }> {
  const first = await scanBefore(area)
  const inner = first.marks.flatMap(({ path }) => (basename(path) === '.git' ? namedByRepository(dirname(path)) : []))
  const whole = { ...area, named: [...new Set([...area.named, ...inner])] }
  return { seen: whole.named.length === area.named.length ? first : await scanBefore(whole), whole }
}

function folders({ roots, hidden, named }: Area): Pick<CommandRecord, 'roots' | 'hidden' | 'named'> {
  return { roots, hidden, named }
}

/**
 * Returns the folder for the records of commands: beside the folders of runs, hidden from commands. If Reflex has no
 * folder of its own in the work folder, it is a private folder of the user below /var/tmp.
 */
export function stateFolder({ runFolder }: ToolCall, reserved: readonly string[]): string {
  const runs = dirname(runFolder)
  if (reserved.some((folder) => folder !== runFolder && isFolder(folder) && isBelow(runs, folder))) return runs
  const user = process.getuid?.() ?? 0
  const own = `/var/tmp/reflex-${user}`
  mkdirSync(own, { recursive: true, mode: 0o700 })
  const stats = lstatSync(own)
  // Another user can create a folder with that name first.
  if (stats.uid === user && stats.isDirectory() && (stats.mode & 0o077) === 0) return own
  throw faults.make('R4134', `${own} can be used by other users, so records of commands cannot be kept there`, {
    fix: `remove ${own}, or keep the store in a folder .reflex of the work folder`,
  })
}
