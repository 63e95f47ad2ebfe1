import { Buffer } from 'node:buffer'
import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import type { Host } from '../../kernel/index.ts'
import { systemCode } from '../refusals.ts'
import { nonUtf8Names } from './non-utf8-names.ts'
import { foldedName, isRepository, NameTrail } from './self-running.ts'

/** An entry of a folder that may matter. */
export interface FoundEntry {
  /** The folder of the entry, and its name there. */
  readonly folder: string
  readonly name: string
  readonly entry: Dirent
  /**
   * True if it runs automatically, is a link in place of a folder on the path to such a file, or makes its folder a
   * repository.
   */
  readonly isSelfRunning: boolean
  /** True for a `HEAD` that makes its folder a repository, whatever the name of the folder. */
  readonly isHead: boolean
  /** True for a folder at the maximum length of a path: its entries could not be checked. */
  readonly isTooDeep: boolean
}

/** The settings and callbacks of a walk. */
export interface Visitor {
  readonly host: Host
  /** The number of entries after which the walk stops. */
  readonly most: number
  /** Files and folders that run automatically although the table does not contain them. */
  readonly named: readonly string[]
  onEntry(found: FoundEntry): void
  /** True if the walk enters a folder. `inside`: the folder or one above it runs automatically. */
  shouldEnter(path: string, inside: boolean): boolean
  /** Receives an entry whose name is not UTF-8; the walk does not enter it. */
  onNonUtf8(folder: string, name: Buffer): void
  /** Receives a folder that cannot be read. */
  onClosed(path: string, code: string): void
}

interface Step {
  readonly path: string
  readonly trail: NameTrail
  readonly inside: boolean
}

/** The entries between two turns of the event loop, so that other runs of the process keep their leases. */
const TURN = 2_000
/** The most bytes of a path. The system accepts 4,096, and a name in the folder has up to 255. */
const LONGEST = 3_800

/**
 * Walks through a folder without following links. Returns the number of entries, which is more than `most` if the walk
 * stopped early. A path can lead elsewhere after the walk: code that changes an entry opens its folder and checks
 * again.
 */
export async function walk(root: string, visitor: Visitor): Promise<number> {
  const open: Step[] = [{ path: root, trail: new NameTrail(), inside: false }]
  let [seen, next] = [0, TURN]
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    const all = listEntries(step.path, visitor)
    const unnamed = nonUtf8Names(step.path, all)
    const entries = namedEntries(step.path, all, unnamed)
    for (const name of unnamed) visitor.onNonUtf8(step.path, name)
    seen += entries.length + 1
    if (seen > visitor.most) return seen
    if (seen > next) {
      next = seen + TURN
      await new Promise<void>((resolve) => visitor.host.turn(resolve))
    }
    const repository = !step.inside && isRepository(entries.map(({ name }) => name))
    for (const entry of entries) visit(entry, step, repository, visitor, open)
  }
  return seen
}

/**
 * Returns the entries that a text path can address. One of them may have exactly the text as which a non-UTF-8 name is
 * shown.
 */
function namedEntries(folder: string, entries: readonly Dirent[], unnamed: readonly Buffer[]): readonly Dirent[] {
  const shown = new Set(unnamed.map(String))
  const leads = (name: string): boolean => lstatSync(`${folder}/${name}`, { throwIfNoEntry: false }) !== undefined
  return shown.size === 0 ? entries : entries.filter(({ name }) => !shown.has(name) || leads(name))
}

function visit(entry: Dirent, { path, trail, inside }: Step, repository: boolean, visitor: Visitor, open: Step[]): void {
  const { name } = entry
  const { trail: next, standing } = trail.step(name)
  const whole = `${path === '/' ? '' : path}/${name}`
  const named = visitor.named.includes(whole)
  const leads = standing === 'leads' && !entry.isDirectory()
  const isHead = repository && foldedName(name) === 'head'
  const isTooDeep = entry.isDirectory() && Buffer.byteLength(whole) > LONGEST
  const isSelfRunning = isTooDeep || (!inside && (named || leads || isHead || (standing === 'runs' && matches(entry, next))))
  visitor.onEntry({ folder: path, name, entry, isSelfRunning, isHead, isTooDeep })
  if (!entry.isDirectory() || isTooDeep) return
  const further = inside || (isSelfRunning && (named || next.isFolder))
  if (visitor.shouldEnter(whole, further)) open.push({ path: whole, trail: next, inside: further })
}

/**
 * True if an entry has the kind of its rule: a folder with the name of a file in the table runs nothing; an entry with
 * the name of a folder can also be a file, such as `.git`.
 */
function matches(entry: Dirent, trail: NameTrail): boolean {
  return trail.isFolder || !entry.isDirectory()
}

function listEntries(path: string, visitor: Visitor): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch (thrown) {
    const code = systemCode(thrown) ?? ''
    // An entry that was moved meanwhile is found at its new path by the walk of the command that moved it.
    if (code !== 'ENOENT' && code !== 'ENOTDIR') visitor.onClosed(path, code)
    return []
  }
}
