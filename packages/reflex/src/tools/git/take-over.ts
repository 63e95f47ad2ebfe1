import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isFault } from '../../kernel/index.ts'
import { isTemporary, type PrivateCopy } from './private-copy.ts'
import { HASH, isRefName, isTakenOver } from './ref-names.ts'
import { MARK_FILES, plainText, type RefState, readRefState } from './ref-state.ts'
import { type RunGitOn, takeIndex } from './take-index.ts'
import { takeObjects } from './take-objects.ts'

/** A change that was not applied, and the reason. */
export interface MissedChange {
  readonly path: string
  readonly why: string
}

/**
 * Applies the changes of a command in its copy of a repository: objects whose content fits their hash, references that
 * are unchanged since the command started, their logs, `HEAD`, and staged files. Nothing else is applied: no settings,
 * no hooks, nothing that git would run. If one reference has changed in the repository meanwhile, all changes of
 * references are refused and it stays unchanged.
 */
export async function takeOver(made: PrivateCopy, runGitOn: RunGitOn): Promise<readonly MissedChange[]> {
  const { gitDir, copy } = made
  const before = readRefState(made.base)
  const runGit = runGitOn(undefined)
  const after = readRefState(copy)
  if (!isStillRepository(copy)) return [{ path: '.git', why: 'the command removed the repository' }]
  const updates = [...new Set([...before.refs.keys(), ...after.refs.keys()])].filter(
    (name) => before.refs.get(name) !== after.refs.get(name),
  )
  const missed: MissedChange[] = unknownNames(copy).map((path) => ({ path, why: 'a command may not change anything there' }))
  for (const path of await takeObjects(copy, gitDir, runGit)) missed.push({ path, why: 'its content does not fit its name' })
  for (const name of updates) if (!isTakenOver(name)) missed.push({ path: name, why: 'a command may not change this kind of reference' })
  const taken = updates.filter(isTakenOver)
  const refused = await takeRefs(taken, made, before, after, runGitOn)
  if (refused !== undefined)
    return [...missed, ...taken.map((path) => ({ path: `${path} ${after.refs.get(path) ?? ''}`.trim(), why: refused }))]
  missed.push(...takeLogs(made, before, after, new Set(taken)), ...takeMarks(gitDir, before, after))
  for (const [path, text] of after.settings) {
    if (before.settings.get(path) !== text) missed.push({ path, why: 'changes of settings by a command are not applied' })
  }
  const staged = await takeIndex(copy, made.base, runGitOn).catch(faultMessage)
  return staged === undefined ? missed : [...missed, { path: 'index', why: staged }]
}

/** True if the copy still has its folders: without its folder of references it would look as if all of them were deleted. */
function isStillRepository(copy: string): boolean {
  return ['refs', 'refs/heads', 'refs/tags', 'objects'].every((name) => {
    const stats = lstatSync(join(copy, name), { throwIfNoEntry: false })
    return stats?.isDirectory() === true || (stats === undefined && name.includes('/'))
  })
}

/** Applies references and `HEAD`. Returns undefined if all were applied, else the reason. */
async function takeRefs(
  names: readonly string[],
  made: PrivateCopy,
  before: RefState,
  after: RefState,
  runGitOn: RunGitOn,
): Promise<string | undefined> {
  const { gitDir } = made
  const runGit = runGitOn(undefined)
  const lines = names.map((name) => {
    const [old, next] = [before.refs.get(name), after.refs.get(name)]
    return next === undefined
      ? `delete ${name} ${old ?? ''}\n`
      : old === undefined
        ? `create ${name} ${next}\n`
        : `update ${name} ${next} ${old}\n`
  })
  try {
    if (before.head !== after.head) {
      if (plainText(join(gitDir, 'HEAD'), 4_096)?.trim() !== before.head) return 'HEAD has changed meanwhile'
      if (!isHead(after.head)) return 'HEAD names neither a branch nor a commit'
    }
    if (lines.length > 0) await runGit(['update-ref', '-m', logMarker(made), '--stdin'], lines.join(''))
    if (before.head !== after.head) await takeHead(after.head, logMarker(made), runGitOn)
    return undefined
  } catch (thrown) {
    return faultMessage(thrown)
  }
}

function isHead(text: string): boolean {
  const [, branch] = /^ref: (refs\/heads\/.+)$/.exec(text) ?? []
  return branch === undefined ? HASH.test(text) : isRefName(branch)
}

async function takeHead(head: string, message: string, runGitOn: RunGitOn): Promise<void> {
  const args = HASH.test(head)
    ? ['update-ref', '-m', message, '--no-deref', 'HEAD', head]
    : ['symbolic-ref', '-m', message, 'HEAD', head.slice(5)]
  await runGitOn(undefined)(args)
}

/** Returns the message that git writes into the logs for an applied change; the command's own log lines replace it. */
function logMarker({ container }: PrivateCopy): string {
  return `applied from a command (${basename(container)})`
}

const LOG_LINE = /^[\da-f]{40,64} [\da-f]{40,64} [^<>\n\0]*<[^<>\n\0]*> \d+ [+-]\d{4}(?:\t[^\n\0]*)?$/

function takeLogs(made: PrivateCopy, before: RefState, after: RefState, changed: ReadonlySet<string>): readonly MissedChange[] {
  const { gitDir } = made
  const missed: MissedChange[] = []
  for (const [name, text] of after.logs) {
    const old = before.logs.get(name) ?? ''
    if (text === old) continue
    const path = join(gitDir, 'logs', name)
    const isOurs = name === 'HEAD' || (isTakenOver(name) && (changed.has(name) || before.refs.has(name)))
    const isLog = isOurs && text.split('\n').every((line) => line === '' || LOG_LINE.test(line))
    const now = isLog ? withoutLines(plainText(path, LONGEST_LOG) ?? '', logMarker(made)) : ''
    if (!isLog) missed.push({ path: `logs/${name}`, why: 'it is not the log of a branch' })
    else if (now === old) replace(path, text)
    else if (text.startsWith(old)) replace(path, now + text.slice(old.length))
    else missed.push({ path: `logs/${name}`, why: 'it has changed meanwhile' })
  }
  return missed
}

const LONGEST_LOG = 64_000_000

function withoutLines(text: string, end: string): string {
  return text
    .split('\n')
    .filter((line) => !line.endsWith(`\t${end}`))
    .join('\n')
}

function replace(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.lock`, text, { flag: 'wx' })
  renameSync(`${path}.lock`, path)
}

/** Applies the files of an unfinished merge or cherry-pick. Message files are only removed with them, never written. */
function takeMarks(gitDir: string, before: RefState, after: RefState): readonly MissedChange[] {
  const missed: MissedChange[] = []
  for (const name of new Set([...before.marks.keys(), ...after.marks.keys()])) {
    const [old, next] = [before.marks.get(name), after.marks.get(name)]
    if (old === next) continue
    const path = join(gitDir, name)
    const isUnchanged = plainText(path, 65_536) === old
    if (next === undefined) {
      if (isUnchanged) rmSync(path, { force: true })
    } else if (MARK_FILES.includes(name)) {
      if (isUnchanged && next.split('\n').every((line) => line === '' || HASH.test(line))) replace(path, next)
      else missed.push({ path: name, why: 'it has changed meanwhile, or it names no commits' })
    }
  }
  return missed
}

const KNOWN_ENTRIES = new Set([
  'HEAD',
  'index',
  'packed-refs',
  'refs',
  'logs',
  'objects',
  'info',
  'hooks',
  'config',
  'config.worktree',
  'description',
  'branches',
])
const TEMPORARY_ENTRIES = /^(?:[A-Z_]+_(?:HEAD|MSG|MODE|EDITMSG)|AUTO_MERGE|COMMIT_EDITMSG)$/

/**
 * Returns the entries that a command created but that the folder of a repository must not have: `commondir`, a rebase
 * with its own commands.
 */
function unknownNames(copy: string): readonly string[] {
  return readdirSync(copy).filter((name) => {
    if (KNOWN_ENTRIES.has(name) || TEMPORARY_ENTRIES.test(name) || isTemporary(name)) return false
    const stats = lstatSync(join(copy, name))
    // The placeholders of read-only entries are empty.
    return stats.isFile() ? stats.size > 0 : !stats.isDirectory() || readdirSync(join(copy, name)).length > 0
  })
}

function faultMessage(thrown: unknown): string {
  if (isFault(thrown)) return thrown.message
  throw thrown
}
