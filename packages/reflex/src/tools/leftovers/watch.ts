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
  /** The remains of a command that a crash interrupted, and what was done with them. */
  readonly leftovers: readonly RemovedEntry[]
  /** Notes the private copies of repositories, which a crash would leave. To be called before the command begins. */
  begin(copies: readonly string[]): void
  /** Cleans the folders after the command, for every ending. */
  end(): Promise<readonly RemovedEntry[]>
}

/**
 * Begins to watch the folders of a command. First it finishes the work of a dead process: a record of each command lies
 * outside of all folders that commands see, with the earlier entries of its folders. `recover`: takes over what a command
 * has done in its copy of a repository.
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
          // With a record that stays, later commands would take new entries for their own.
          removeRecord(file)
        }
      },
    }
  } catch (thrown) {
    removeRecord(file)
    throw thrown
  }
}

/** Looks at folders, and again where the settings of repositories in them name more that runs by itself. */
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
 * The folder for the records of commands: beside the folders of runs, hidden from commands; where Reflex has no folder of
 * its own here, a folder of the user's among the temporary ones.
 */
export function stateFolder({ runFolder }: ToolCall, reserved: readonly string[]): string {
  const runs = dirname(runFolder)
  if (reserved.some((folder) => folder !== runFolder && isFolder(folder) && isBelow(runs, folder))) return runs
  const user = process.getuid?.() ?? 0
  const own = `/var/tmp/reflex-${user}`
  mkdirSync(own, { recursive: true, mode: 0o700 })
  const stats = lstatSync(own)
  // Any user can make a folder of that name first.
  if (stats.uid === user && stats.isDirectory() && (stats.mode & 0o077) === 0) return own
  throw faults.make('R4134', `${own} does not belong to this user alone, so no record of a command can be kept`, {
    fix: `remove ${own}, or keep the store in a folder .reflex of the work folder`,
  })
}
