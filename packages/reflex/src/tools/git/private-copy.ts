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

/** A repository of which a command gets a copy: what it does there reaches the repository only as far as it is taken over. */
export interface PrivateCopy {
  /** The folder of the repository, at which the command finds its copy. */
  readonly gitDir: string
  /** All that belongs to the copy; goes with it. */
  readonly holder: string
  /** What the command works on. */
  readonly copy: string
  /** The same as it was before, which no command sees. */
  readonly base: string
}

/** A copy and the words for bubblewrap that show it. */
export interface ShownCopy extends PrivateCopy {
  readonly words: readonly string[]
  /** Finds the copy again where the command has moved a folder above, and lets go of it. To be called once. */
  readonly found: () => PrivateCopy
}

/** A copy by the folder that holds it, also one that a process which died has left. */
export function copyIn(holder: string): PrivateCopy {
  return { gitDir: dirname(holder), holder, copy: join(holder, 'git'), base: join(holder, 'base') }
}

/** What git changes in its folder when it commits, and what is copied. All else is shown read-only. */
const COPIED = new Set([
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
/** What is made in the copy itself. */
const MADE = new Set(['objects', 'info', 'hooks'])
const PREFIX = 'reflex-copy-'
/** Files of references and their logs. */
const MOST_FILES = 200_000

/** Says if a name in the folder of a repository is one of ours, or of git while it works. */
export function isPassing(name: string): boolean {
  return name.startsWith(PREFIX) || name.endsWith('.lock') || name === 'gc.pid' || name === 'gc.log'
}

/**
 * Copies what git changes of a repository, at most some hundred small files; its objects are shared. `mounts`: where in the
 * sandbox the objects can be found. Undefined where no copy can be made; the repository is then shown read-only.
 */
export function copyRepository(gitDir: string, mounts: string, view: CopyView): ShownCopy | undefined {
  if (!isCopied(gitDir)) return undefined
  let holder: string
  try {
    holder = mkdtempSync(join(gitDir, PREFIX))
  } catch {
    // The folder is not the user's, or its disk is read-only.
    return undefined
  }
  try {
    const made = copyIn(holder)
    const { copy, base } = made
    mkdirSync(copy)
    mkdirSync(base)
    const shown = readdirSync(gitDir, { withFileTypes: true }).filter(({ name }) => !isPassing(name))
    let files = 0
    // Git writes a packed reference before it removes the loose one, so these come first.
    for (const { name } of shown.toSorted((a, b) => Number(a.name === 'packed-refs') - Number(b.name === 'packed-refs'))) {
      if (COPIED.has(name)) files += copyPlain(join(gitDir, name), join(copy, name), MOST_FILES - files)
    }
    const kept = shown.flatMap((entry) => (COPIED.has(entry.name) || MADE.has(entry.name) ? [] : keptReadOnly(gitDir, copy, entry)))
    writeInfo(gitDir, copy, view)
    for (const name of [...COPIED, 'info']) copyPlain(join(copy, name), join(base, name), MOST_FILES)
    const words = ['--bind', copy, gitDir, ...kept, ...hooks(gitDir, copy, view), ...objects(gitDir, copy, mounts, view)]
    const handle = openSync(holder, constants.O_RDONLY)
    const found = (): PrivateCopy => {
      const path = readlinkSync(`/proc/self/fd/${handle}`)
      closeSync(handle)
      return copyIn(path)
    }
    return { ...made, words, found }
  } catch (thrown) {
    rmSync(holder, { recursive: true, force: true })
    if (thrown instanceof TooMany) return undefined
    throw thrown
  }
}

/** What else a copy depends on. */
export interface CopyView {
  /** The working tree, and what in it is not for its history. */
  readonly root: string
  readonly ignored: readonly string[]
  /** Words for bubblewrap that make a folder in memory at the path behind them. */
  readonly memory: readonly string[]
  /** Says if a folder with further objects may be read. */
  readonly reads: (folder: string) => boolean
  /** Folders with further objects. */
  readonly alternates: readonly string[]
}

class TooMany extends Error {}

/** A whole repository, with its references in files: of another form nothing could be taken over. */
function isCopied(gitDir: string): boolean {
  if (!isFolder(gitDir) || existsSync(join(gitDir, 'commondir')) || existsSync(join(gitDir, 'reftable'))) return false
  return (
    lstatSync(join(gitDir, 'HEAD'), { throwIfNoEntry: false })?.isFile() === true &&
    isFolder(join(gitDir, 'refs')) &&
    existsSync(join(gitDir, 'objects'))
  )
}

/** Copies plain files and folders; links, locks and all else are left out. Returns how many files there were. */
function copyPlain(from: string, to: string, most: number): number {
  if (most < 0) throw new TooMany()
  const stats = lstatSync(from, { throwIfNoEntry: false })
  if (stats?.isFile() === true) {
    copyFileSync(from, to, constants.COPYFILE_FICLONE)
    return 1
  }
  if (stats?.isDirectory() !== true) return 0
  mkdirSync(to)
  let files = 0
  for (const name of readdirSync(from)) if (!isPassing(name)) files += copyPlain(join(from, name), join(to, name), most - files)
  return files
}

function keptReadOnly(
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

/** A hook that a command made would run beside the next one. */
function hooks(gitDir: string, copy: string, { memory }: CopyView): readonly string[] {
  const folder = join(gitDir, 'hooks')
  mkdirSync(join(copy, 'hooks'))
  return isFolder(folder) ? ['--ro-bind', folder, folder] : [...memory, folder, '--remount-ro', folder]
}

/** The copy writes objects of its own and reads those of the repository beside them. */
function objects(gitDir: string, copy: string, mounts: string, { reads, alternates }: CopyView): readonly string[] {
  const real = realpathSync(join(gitDir, 'objects'))
  const further = alternates.filter((folder) => isFolder(folder) && reads(folder))
  mkdirSync(join(copy, 'objects', 'info'), { recursive: true })
  mkdirSync(join(copy, 'objects', 'pack'))
  writeFileSync(join(copy, 'objects', 'info', 'alternates'), [mounts, ...further].map((folder) => `${folder}\n`).join(''))
  const own = existsSync(join(real, 'info', 'alternates')) ? ['--ro-bind', '/dev/null', join(mounts, 'info', 'alternates')] : []
  return ['--ro-bind', real, mounts, ...own, ...further.flatMap((folder) => ['--ro-bind', folder, folder])]
}

/** What is not for the history of a working tree is ignored in it: what Reflex keeps for itself, and the folder of the run. */
function writeInfo(gitDir: string, copy: string, { root, ignored }: CopyView): void {
  const [from, to] = [join(gitDir, 'info'), join(copy, 'info')]
  if (isFolder(from)) copyPlain(from, to, MOST_FILES)
  else mkdirSync(to)
  const exclude = join(to, 'exclude')
  const before = existsSync(exclude) ? readFileSync(exclude, 'utf8') : ''
  const lines = ignored.flatMap((path) => (path !== root && isBelow(path, root) ? [`/${escaped(relative(root, path))}`] : []))
  writeFileSync(exclude, `${before.endsWith('\n') || before === '' ? before : `${before}\n`}${lines.map((line) => `${line}\n`).join('')}`)
}

/** A path as a line of `info/exclude`. */
function escaped(path: string): string {
  return path.replace(/[\\*?[\]!# ]/g, '\\$&')
}

/** Removes the copy with all that has come of it. */
export function dropCopy({ holder }: PrivateCopy): void {
  rmSync(holder, { recursive: true, force: true })
}
