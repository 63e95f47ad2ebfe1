import { basename, dirname, join } from 'node:path'
import { autorunCapability } from './capability.ts'
import { type ClosedPath, closedPaths, type FileRule, foldersAbove } from './closed-paths.ts'
import { faults } from './faults.ts'
import { copyRepositories, takeOverCopy } from './git/copies.ts'
import { copyIn, removeCopy, type MountedCopy } from './git/private-copy.ts'
import type { GitSettings } from './git/run.ts'
import type { MissedChange } from './git/take-over.ts'
import { type Before, type Mark, shownReadOnly } from './leftovers/scan-before.ts'
import { namedByRepository } from './leftovers/named-by-git.ts'
import { type RemovedEntry, removeAt } from './leftovers/remove.ts'
import { foldedName } from './leftovers/self-running.ts'
import { stateFolder, watchFolders } from './leftovers/watch.ts'
import { isBelow, isFolder, shownPath } from './paths.ts'
import { isWritableStage } from './stage.ts'
import type { ToolCall } from './tool.ts'

/** A change by a command that did not stay. */
export type Warning = { readonly code: string; readonly message: string }

/** The folders of a command, guarded while it runs. */
export interface Guard {
  /** Returns the bubblewrap options that follow the folder that contains them. */
  readonly words: (root: string) => readonly string[]
  /** The options that follow all folders. */
  readonly closingWords: readonly string[]
  /** Cleans the folders and applies the changes of git, however the command ended. Call it once. */
  readonly end: () => Promise<readonly Warning[]>
}

/** The folders that a command sees. */
export interface Folders {
  readonly writable: readonly string[]
  readonly readable: readonly string[]
  readonly reserved: readonly string[]
  readonly cwd: string
  /** The options that create a folder in memory at the path that follows them. */
  readonly memory: readonly string[]
  /** The operator's rules about files. */
  readonly rules: readonly FileRule[]
}

/**
 * Guards the folders of a command: files that run automatically on the host are shown read-only, repositories are
 * replaced by copies, paths that the run may not read or write are closed, and sockets, pipes and devices cannot be
 * reached. When the command has ended, new entries of these kinds are removed.
 */
export async function guardFolders(folders: Folders, settings: GitSettings, call: ToolCall): Promise<Guard> {
  const { writable, readable, reserved, cwd, memory, rules } = folders
  const closed = closedPaths(rules, [...writable, ...readable], call)
  const isAllowed = (path: string): boolean => call.allows(autorunCapability(path))
  const area = {
    roots: writable,
    readable,
    hidden: reserved,
    named: [...new Set(writable.flatMap(namedByRepository))],
    host: settings.host,
  }
  const missed: MissedChange[] = []
  const recover = async (container: string): Promise<void> => {
    if (isFolder(container)) missed.push(...(await takeOverCopy(copyIn(container), settings, call)))
  }
  const state = stateFolder(call, reserved)
  const watch = await watchFolders(area, state, recover, call)
  const isClosed = (gitDir: string): boolean => closed.some(({ path }) => isBelow(path, gitDir) || isBelow(gitDir, path))
  let copies: readonly MountedCopy[] = []
  try {
    copies = copyRepositories(
      writable,
      cwd,
      {
        below: repositoriesOf(watch.before),
        ignored: [...reserved, call.runFolder],
        memory,
        isExempt: (path) => isAllowed(path) || isClosed(path),
      },
      call,
    )
    watch.begin(copies.map(({ container: holder }) => holder))
  } catch (thrown) {
    for (const copy of copies) removeCopy(copy.locate())
    await watch.end()
    throw thrown
  }
  const marks = shownReadOnly(watch.before, writable).filter(({ path }) => !reserved.includes(path) && !isAllowed(path))
  return {
    closingWords: [...marks.filter(isStore), ...closed.filter(isMasked)].flatMap(({ path }) => ['--remount-ro', path]),
    words: (root) => wordsFor(root, folders, { marks, doors: watch.before.doors, closed }, copies),
    async end() {
      for (const copy of copies) missed.push(...(await takeOverCopy(copy.locate(), settings, call)))
      const removed = [...(await watch.end()), ...(await removeClosed(closed, folders, join(state, '.reflex-removed'), call))]
      return [...removedWarnings([...watch.leftovers, ...removed], call), ...missedWarnings(missed)]
    },
  }
}

function repositoriesOf({ marks }: Before): readonly string[] {
  return marks.flatMap(({ path, kind }) => (kind === 'folder' && path.endsWith('/.git') && !path.includes('/node_modules/') ? [path] : []))
}

function wordsFor(
  root: string,
  { writable, readable, memory }: Folders,
  { marks, doors, closed }: Before & { readonly closed: readonly ClosedPath[] },
  copies: readonly MountedCopy[],
): readonly string[] {
  const inner = [...writable, ...readable].filter((other) => other !== root && isBelow(other, root))
  const isInRoot = (path: string): boolean => isBelow(path, root) && !inner.some((other) => isBelow(path, other))
  const isShown = (path: string): boolean => isInRoot(path) && !copies.some(({ gitDir }) => isBelow(path, gitDir))
  const inRoot = closed.filter(({ path }) => isInRoot(path))
  return [
    ...readOnlyWords(inRoot, root, writable.includes(root)),
    ...copies.filter(({ gitDir }) => isInRoot(gitDir)).flatMap(({ words }) => words),
    ...marks.filter(({ path }) => isShown(path)).flatMap((mark) => markWords(mark, memory)),
    ...doors.filter(isShown).flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...inRoot
      .filter(({ use }) => use === 'read')
      .flatMap(({ path, isFolder: folder }) => (folder ? [...memory, path] : ['--ro-bind', '/dev/null', path])),
  ]
}

/** Returns the options that make closed paths read-only, and that keep the folders above them in place. */
function readOnlyWords(closed: readonly ClosedPath[], root: string, writable: boolean): readonly string[] {
  const binds = new Map(closed.flatMap(({ path, use }) => (use === 'write' ? [[path, '--ro-bind']] : [])))
  const isFixed = (path: string): boolean => [...binds.keys()].some((one) => isBelow(path, one))
  const mounts = writable ? foldersAbove(closed, root).filter((path) => !isFixed(path)) : []
  for (const path of mounts) binds.set(path, '--bind')
  return [...binds].toSorted(([a], [b]) => a.length - b.length).flatMap(([path, word]) => [word, path, path])
}

function isMasked({ use, isFolder: folder }: ClosedPath): boolean {
  return use === 'read' && folder
}

/** Moves entries aside that a command created where its run may not write. */
async function removeClosed(
  before: readonly ClosedPath[],
  { rules, writable }: Folders,
  aside: string,
  call: ToolCall,
): Promise<readonly RemovedEntry[]> {
  const unwritten = rules.filter(({ use }) => use === 'write')
  const fresh = closedPaths(unwritten, writable, call).filter(({ path }) => !before.some((one) => one.path === path))
  const removed: (RemovedEntry | undefined)[] = []
  for (const { path } of fresh) removed.push(await removeAt(dirname(path), basename(path), 'closed', aside))
  return removed.filter((one) => one !== undefined)
}

function markWords(mark: Mark, memory: readonly string[]): readonly string[] {
  return isStore(mark) ? [...memory, mark.path] : ['--ro-bind', mark.path, mark.path]
}

/** True for a store of Reflex; no command may read one. */
function isStore({ path, kind }: Mark): boolean {
  return kind === 'folder' && foldedName(path.slice(path.lastIndexOf('/') + 1)) === '.reflex'
}

const REASONS: Readonly<Record<RemovedEntry['what'], string>> = {
  runs: 'it runs automatically outside the sandbox',
  deep: 'it is nested too deeply to be checked',
  repository: 'it makes its folder a git repository',
  socket: 'it is a socket',
  pipe: 'it is a pipe',
  device: 'it is a device',
  closed: 'the policy does not let the run write it',
  unnamed: 'its name is not UTF-8, so its content cannot be checked',
  bits: 'it had a setuid or setgid bit',
  link: 'it is a link that runs automatically outside the sandbox',
  unseen: 'it could not be checked',
  stays: 'it runs automatically or leads to another program',
}

/** The most warnings for one command: a command can leave any number of entries. */
const MOST = 20

function removedWarnings(removed: readonly RemovedEntry[], call: ToolCall): readonly Warning[] {
  const shown = removed.slice(0, MOST).map((one) => removedWarning(one, call))
  if (removed.length <= MOST) return shown
  const { code, message } = faults.make('R4144', `${removed.length - MOST} more were removed or lost their bits`)
  return [...shown, { code, message }]
}

function removedWarning({ path, what, aside, why }: RemovedEntry, call: ToolCall): Warning {
  const shown = shownPath(path, call)
  const done = {
    bits: 'lost the bit',
    link: 'was reset to its earlier target',
    unseen: `could not be cleaned (${why ?? ''}); check it before you use it`,
    stays: `could not be removed (${why ?? ''}); remove it`,
  }[what as string]
  const moved = aside === undefined ? '' : `; it was moved to ${shownPath(aside, call)}`
  const { code, message } = faults.make('R4144', `${shown} ${done ?? 'was removed'}: ${REASONS[what]}${moved}`)
  return { code, message }
}

function missedWarnings(missed: readonly MissedChange[]): readonly Warning[] {
  if (missed.length === 0) return []
  const list = missed.slice(0, 10).map(({ path, why }) => `${path} (${why})`)
  const more = missed.length > 10 ? ` and ${missed.length - 10} more` : ''
  const { code, message } = faults.make('R4145', `not applied from the command's repository: ${list.join(', ')}${more}`)
  return [{ code, message }]
}

/**
 * Returns the folders that a command may change: the work folder if the run may, the folder of its stage, and the
 * folder in which it starts.
 */
export function writableFolders(
  { workdir, runFolder }: ToolCall,
  { cwd, stage }: { readonly cwd: string; readonly stage?: string | undefined },
  writable: boolean,
): readonly string[] {
  const writableHere = [...(writable ? [workdir] : []), ...(isWritableStage(stage, runFolder) ? [stage] : [])]
  return [workdir, runFolder].some((folder) => isBelow(cwd, folder)) ? writableHere : [...writableHere, cwd]
}
