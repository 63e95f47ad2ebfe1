import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { isBelow, isFolder } from '../paths.ts'

/** A repository of which a command gets a copy. Changes of the copy reach the repository only if they are applied. */
export interface PrivateCopy {
  /** The folder of the repository; the command sees its copy there. */
  readonly gitDir: string
  /** The folder that contains everything of the copy and is removed with it. */
  readonly container: string
  /** The copy on which the command works. */
  readonly copy: string
  /** A copy of the initial state, hidden from all commands. */
  readonly base: string
}

/** A copy with the bubblewrap options that show it. */
export interface MountedCopy extends PrivateCopy {
  readonly words: readonly string[]
  /** Finds the copy again if the command moved a folder above it, and releases it. Call it once. */
  readonly locate: () => PrivateCopy
}

/** Returns a copy by the folder that contains it, even a copy of a process that died. */
export function copyIn(container: string): PrivateCopy {
  return { gitDir: dirname(container), container, copy: join(container, 'git'), base: join(container, 'base') }
}

/** The files that git changes in a commit; they are copied. Everything else is shown read-only. */
const COPIED_ENTRIES = new Set([
  'HEAD',
  'config',
  'config.worktree',
  'index',
  'packed-refs',
  'refs',
  'logs',
  'ORIG_HEAD',
  'FETCH_HEAD',
  'MERGE_HEAD',
  'MERGE_MSG',
  'MERGE_MODE',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'AUTO_MERGE',
  'SQUASH_MSG',
  'COMMIT_EDITMSG',
])
/** The folders that are created in the copy itself. */
const MADE_FOLDERS = new Set(['objects', 'info', 'hooks'])
const PREFIX = 'reflex-copy-'
/** The most files of references and logs. */
const MOST_FILES = 200_000

/** True if a name in the folder of a repository is a temporary one of Reflex or of git. */
export function isTemporary(name: string): boolean {
  return name.startsWith(PREFIX) || name.endsWith('.lock') || name === 'gc.pid' || name === 'gc.log'
}

/**
 * Copies the files of a repository that git changes, usually a few hundred small ones; its objects are shared. `mounts`
 * is the path of the objects in the sandbox. Returns undefined if a copy is not possible; the repository is then shown
 * read-only.
 */
export function copyRepository(gitDir: string, mounts: string, view: CopyView): MountedCopy | undefined {
  if (!isCopyable(gitDir)) return undefined
  let holder: string
  try {
    holder = mkdtempSync(join(gitDir, PREFIX))
  } catch {
    // The folder belongs to another user, or its disk is read-only.
    return undefined
  }
  try {
    const made = copyIn(holder)
    const { copy, base } = made
    mkdirSync(copy)
    mkdirSync(base)
    const shown = readdirSync(gitDir, { withFileTypes: true }).filter(({ name }) => !isTemporary(name))
    let files = 0
    // Git writes a packed reference before it removes the loose one, so loose references are copied first.
    for (const { name } of shown.toSorted((a, b) => Number(a.name === 'packed-refs') - Number(b.name === 'packed-refs'))) {
      if (COPIED_ENTRIES.has(name)) files += copyPlain(join(gitDir, name), join(copy, name), MOST_FILES - files)
    }
    const kept = shown.flatMap((entry) =>
      COPIED_ENTRIES.has(entry.name) || MADE_FOLDERS.has(entry.name) ? [] : readOnlyWords(gitDir, copy, entry),
    )
    writeInfo(gitDir, copy, view)
    for (const name of [...COPIED_ENTRIES, 'info']) copyPlain(join(copy, name), join(base, name), MOST_FILES)
    const words = ['--bind', copy, gitDir, ...kept, ...hooks(gitDir, copy, view), ...objects(gitDir, copy, mounts, view)]
    const handle = openSync(holder, constants.O_RDONLY)
    const locate = (): PrivateCopy => {
      const path = readlinkSync(`/proc/self/fd/${handle}`)
      closeSync(handle)
      return copyIn(path)
    }
    return { ...made, words, locate }
  } catch (thrown) {
    rmSync(holder, { recursive: true, force: true })
    if (thrown instanceof TooManyFiles) return undefined
    throw thrown
  }
}

/** The settings of a copy. */
export interface CopyView {
  /** The working tree, and the files in it that do not belong in its history. */
  readonly root: string
  readonly ignored: readonly string[]
  /** The bubblewrap options that create a folder in memory at the path that follows them. */
  readonly memory: readonly string[]
  /** True if a folder with further objects may be read. */
  readonly mayRead: (folder: string) => boolean
  /** The folders with further objects. */
  readonly alternates: readonly string[]
}

class TooManyFiles extends Error {}

/** True for a complete repository with its references in files; changes of any other form could not be applied. */
function isCopyable(gitDir: string): boolean {
  if (!isFolder(gitDir) || existsSync(join(gitDir, 'commondir')) || existsSync(join(gitDir, 'reftable'))) return false
  return (
    lstatSync(join(gitDir, 'HEAD'), { throwIfNoEntry: false })?.isFile() === true &&
    isFolder(join(gitDir, 'refs')) &&
    existsSync(join(gitDir, 'objects'))
  )
}

/** Copies plain files and folders, without links, locks and other entries. Returns the number of files. */
function copyPlain(from: string, to: string, most: number): number {
  if (most < 0) throw new TooManyFiles()
  const stats = lstatSync(from, { throwIfNoEntry: false })
  if (stats?.isFile() === true) {
    copyFileSync(from, to, constants.COPYFILE_FICLONE)
    return 1
  }
  if (stats?.isDirectory() !== true) return 0
  mkdirSync(to)
  let files = 0
  for (const name of readdirSync(from)) if (!isTemporary(name)) files += copyPlain(join(from, name), join(to, name), most - files)
  return files
}

function readOnlyWords(
  gitDir: string,
  copy: string,
  entry: { readonly name: string; isFile(): boolean; isDirectory(): boolean },
): readonly string[] {
  if (!entry.isFile() && !entry.isDirectory()) return []
  const [from, place] = [join(gitDir, entry.name), join(copy, entry.name)]
  if (entry.isFile()) writeFileSync(place, '')
  else mkdirSync(place)
  return ['--ro-bind', from, from]
}

/** Returns the options that make hooks read-only: a hook that a command creates would run with the next command of git. */
function hooks(gitDir: string, copy: string, { memory }: CopyView): readonly string[] {
  const folder = join(gitDir, 'hooks')
  mkdirSync(join(copy, 'hooks'))
  return isFolder(folder) ? ['--ro-bind', folder, folder] : [...memory, folder, '--remount-ro', folder]
}

/** Lets the copy write its own objects and read those of the repository. Returns the options for that. */
function objects(gitDir: string, copy: string, mounts: string, { mayRead, alternates }: CopyView): readonly string[] {
  const real = realpathSync(join(gitDir, 'objects'))
  const further = alternates.filter((folder) => isFolder(folder) && mayRead(folder))
  mkdirSync(join(copy, 'objects', 'info'), { recursive: true })
  mkdirSync(join(copy, 'objects', 'pack'))
  writeFileSync(join(copy, 'objects', 'info', 'alternates'), [mounts, ...further].map((folder) => `${folder}\n`).join(''))
  const alternateWords = existsSync(join(real, 'info', 'alternates')) ? ['--ro-bind', '/dev/null', join(mounts, 'info', 'alternates')] : []
  return ['--ro-bind', real, mounts, ...alternateWords, ...further.flatMap((folder) => ['--ro-bind', folder, folder])]
}

/**
 * Makes git ignore the files of the working tree that do not belong in its history: those of Reflex and the folder of
 * the run.
 */
function writeInfo(gitDir: string, copy: string, { root, ignored }: CopyView): void {
  const [from, to] = [join(gitDir, 'info'), join(copy, 'info')]
  if (isFolder(from)) copyPlain(from, to, MOST_FILES)
  else mkdirSync(to)
  const exclude = join(to, 'exclude')
  const before = existsSync(exclude) ? readFileSync(exclude, 'utf8') : ''
  const lines = ignored.flatMap((path) => (path !== root && isBelow(path, root) ? [`/${escaped(relative(root, path))}`] : []))
  writeFileSync(exclude, `${before.endsWith('\n') || before === '' ? before : `${before}\n`}${lines.map((line) => `${line}\n`).join('')}`)
}

/** Returns a path as a line of `info/exclude`. */
function escaped(path: string): string {
  return path.replace(/[\\*?[\]!# ]/g, '\\$&')
}

/** Removes the copy with everything in it. */
export function removeCopy({ container: holder }: PrivateCopy): void {
  rmSync(holder, { recursive: true, force: true })
}
