import { thrownMessage } from '../../kernel/index.ts'
import { dirname, join } from 'node:path'
import { fsCapability } from '../capability.ts'
import { isBelow, isFolder } from '../paths.ts'
import type { ToolCall } from '../tool.ts'
import { copyRepository, removeCopy, type PrivateCopy, type MountedCopy } from './private-copy.ts'
import { alternatesOf } from './repository.ts'
import { type GitSettings, runGit } from './run.ts'
import { type MissedChange, takeOver } from './take-over.ts'

/** The most repositories that a command gets as copies; other repositories are read-only. */
const MOST_COPIES = 10

/**
 * Copies the repositories of a command: those of the folders that it may change, that of the folder in which it starts,
 * and others below.
 */
export function copyRepositories(
  roots: readonly string[],
  cwd: string,
  more: {
    /** The repositories inside the folders. */
    readonly below: readonly string[]
    readonly ignored: readonly string[]
    readonly memory: readonly string[]
    readonly isExempt: (path: string) => boolean
  },
  call: ToolCall,
): readonly MountedCopy[] {
  const ownRepository = repositoryAbove(cwd, roots)
  const first = [...roots.map((root) => join(root, '.git')), ...(ownRepository === undefined ? [] : [ownRepository])]
  const found = [...new Set([...first, ...more.below])].slice(0, Math.max(MOST_COPIES, first.length))
  return found.flatMap((gitDir, i) => {
    if (!isFolder(gitDir) || more.isExempt(gitDir)) return []
    const root = dirname(gitDir)
    const mayRead = (folder: string): boolean => call.allows(fsCapability('read', folder))
    const view = { root, ignored: more.ignored, memory: more.memory, mayRead, alternates: alternatesOf(gitDir) }
    const made = copyRepository(gitDir, `/run/reflex/objects-${i}`, view)
    return made === undefined ? [] : [made]
  })
}

function repositoryAbove(cwd: string, roots: readonly string[]): string | undefined {
  for (let at = cwd; roots.some((root) => isBelow(at, root)); at = dirname(at)) if (isFolder(join(at, '.git'))) return join(at, '.git')
  return undefined
}

/** The most bytes of the list of staged files. */
const MOST = 500_000_000
/** The milliseconds allowed for the largest pack. */
const LONGEST = 600_000
/** The most attempts while another git process holds a lock, and the milliseconds between two attempts. */
const TRIES = 40
const PAUSE = 50

/** The pending applications of changes by repository; they run one after another. */
const turns = new Map<string, Promise<unknown>>()

/**
 * Applies the changes of a copy to its repository, even if the command was killed, and removes the copy. Returns the
 * changes that were not applied.
 */
export function takeOverCopy(made: PrivateCopy, settings: GitSettings, call: ToolCall): Promise<readonly MissedChange[]> {
  const turn = (turns.get(made.gitDir) ?? Promise.resolve()).then(() => takeOverNow(made, settings, call))
  turns.set(made.gitDir, turn)
  return turn.finally(() => {
    if (turns.get(made.gitDir) === turn) turns.delete(made.gitDir)
  })
}

async function takeOverNow(made: PrivateCopy, settings: GitSettings, call: ToolCall): Promise<readonly MissedChange[]> {
  const root = dirname(made.gitDir)
  // The command's changes are applied even if its run is cancelled.
  const { signal } = new AbortController()
  const base = { GIT_DIR: made.gitDir, GIT_COMMON_DIR: made.gitDir, GIT_WORK_TREE: root }
  const place = { settings, call: { ...call, signal }, cwd: root, most: MOST, timeout: LONGEST }
  try {
    if (!isFolder(made.container)) return [{ path: made.gitDir, why: 'the command moved its folder' }]
    return await takeOver(made, (index) => async (args, stdin) => {
      const variables = index === undefined ? base : { ...base, GIT_INDEX_FILE: index }
      for (let i = 1; ; i++) {
        try {
          return (await runGit(args, { ...place, variables, ...(stdin === undefined ? {} : { stdin }) })).text
        } catch (thrown) {
          if (i === TRIES || !(thrown instanceof Error) || !/\.lock': File exists/.test(thrown.message)) throw thrown
          await new Promise<void>((resolve) => void settings.host.at(settings.host.now() + PAUSE, resolve))
        }
      }
    })
  } catch (thrown) {
    return [{ path: '.git', why: thrownMessage(thrown) }]
  } finally {
    removeCopy(made)
  }
}
