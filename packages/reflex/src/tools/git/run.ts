import { devNull } from 'node:os'
import { delimiter } from 'node:path'
import type { Host } from '../../kernel/index.ts'
import { fsCapability } from '../capability.ts'
import { type Environment, pathFolders, scrub } from '../environment.ts'
import { faults } from '../faults.ts'
import { findRepository, type Repository } from './repository.ts'
import { absolutePath, isBelow, pathExists, realPath, shownPath } from '../paths.ts'
import { type ProcessResult, runProcess } from '../process.ts'
import { systemCode } from '../refusals.ts'
import type { ToolCall } from '../tool.ts'

/** The settings of the git tools. */
export interface GitSettings {
  readonly host: Host
  readonly environment: Environment
}

/**
 * Settings that override those of the repository, which may come from anyone: nothing in the repository can run a
 * program.
 */
const SETTINGS: readonly string[] = [
  'core.fsmonitor=false',
  `core.hooksPath=${devNull}`,
  `core.attributesFile=${devNull}`,
  'core.pager=cat',
  'core.quotePath=false',
  'protocol.allow=never',
  'log.showSignature=false',
  'log.mailmap=false',
  'color.ui=false',
  'i18n.logOutputEncoding=UTF-8',
]

const ENVIRONMENT: Readonly<Record<string, string>> = {
  HOME: devNull,
  XDG_CONFIG_HOME: devNull,
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: devNull,
  GIT_CONFIG_GLOBAL: devNull,
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_PAGER: 'cat',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  // A partial clone fetches missing objects with a transport that its own settings name.
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
}

const TIMEOUT = 30_000
const LONGEST_REVISION = 250

/** A repository that may be read, with git to read it. */
export class Git {
  readonly repository: Repository
  readonly #settings: GitSettings
  readonly #call: ToolCall

  constructor(repository: Repository, settings: GitSettings, call: ToolCall) {
    this.repository = repository
    this.#settings = settings
    this.#call = call
  }

  /** Runs git in the repository and returns at most `most` bytes of its output. Throws the faults of `runGit`. */
  run(args: readonly string[], most: number): Promise<{ readonly text: string; readonly truncated: boolean }> {
    return runGit(args, { ...this.#gitPlace(), most })
  }

  /**
   * Returns the hash of the commit that a revision names. Throws `R4122` in a repository without commits, `R4123` for
   * any other text.
   */
  async commit(revision: string): Promise<string> {
    const found = /^[^-\s]/.test(revision) && revision.length <= LONGEST_REVISION ? await this.find(revision) : undefined
    if (found !== undefined) return found
    if (revision === 'HEAD' || (await this.find('HEAD')) === undefined) {
      throw faults.make('R4122', `${shownPath(this.repository.root, this.#call)} has no commits yet`)
    }
    throw faults.make('R4123', `${JSON.stringify(revision)} names no commit here`)
  }

  /** Returns the hash of the commit that a revision names, or undefined. */
  async find(revision: string): Promise<string | undefined> {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]
    const result = await this.#spawn(args)
    // For an unknown revision git fails in different ways; only for HEAD does a failure show that git does not work.
    if (result.code !== 1 && (result.code === null || revision === 'HEAD')) requireSuccess(result, 'rev-parse')
    const hash = result.stdout.trim()
    return result.code === 0 && /^[0-9a-f]{40,64}$/.test(hash) ? hash : undefined
  }

  /** Returns the branch that is checked out, or null. */
  async branch(): Promise<string | null> {
    const result = await this.#spawn(['symbolic-ref', '--quiet', '--short', 'HEAD'])
    if (result.code === 1) return null
    requireSuccess(result, 'symbolic-ref')
    return result.stdout.trim()
  }

  #spawn(args: readonly string[]): Promise<ProcessResult> {
    return spawnGit(args, this.#gitPlace())
  }

  #gitPlace(): GitPlace {
    const { root, gitDir, commonDir } = this.repository
    // With an explicit folder, git does not search for a repository and does not check its owner: the policy has
    // decided that it may be read.
    return {
      settings: this.#settings,
      call: this.#call,
      cwd: root,
      variables: { GIT_DIR: gitDir, GIT_COMMON_DIR: commonDir, GIT_WORK_TREE: root },
    }
  }
}

/** The repository, folder and settings with which git runs. */
interface GitPlace {
  readonly settings: GitSettings
  readonly call: ToolCall
  readonly cwd: string
  /** The variables that name the repository to git. */
  readonly variables: Readonly<Record<string, string>>
  readonly stdin?: string | number
  /** The time limit in milliseconds, if it is not the default. */
  readonly timeout?: number
  /** The limit of its output in bytes. */
  readonly most?: number
}

const DEFAULT_OUTPUT = 1000

/**
 * Runs git and returns its output. Throws `R4120` without git, `R4131` after its time limit, `R4132` if it is
 * cancelled, `R4124` if it fails.
 */
export async function runGit(args: readonly string[], place: GitPlace): Promise<{ readonly text: string; readonly truncated: boolean }> {
  const result = await spawnGit(args, place)
  requireSuccess(result, args[0] ?? '')
  return { text: result.stdout, truncated: result.truncated }
}

function requireSuccess({ end, code, stderr }: ProcessResult, command: string): void {
  if (end === 'aborted') throw faults.make('R4132', 'git was cancelled')
  if (end === 'timeout') throw faults.make('R4131', `git ${command} did not end within ${TIMEOUT} ms and was killed`)
  if (code !== 0) throw faults.make('R4124', `git ${command} failed: ${stderr.trim().slice(0, 500) || `exit ${code}`}`)
}

async function spawnGit(
  args: readonly string[],
  { settings, call, cwd, variables, stdin, timeout = TIMEOUT, most: outputLimit = DEFAULT_OUTPUT }: GitPlace,
): Promise<ProcessResult> {
  const environment = { ...scrub(settings.environment), ...ENVIRONMENT, ...variables, PATH: pathOutside(call.workdir, settings) }
  const argv = ['git', '--no-pager', ...SETTINGS.flatMap((setting) => ['-c', setting]), ...args]
  try {
    return await runProcess({ argv, cwd, environment, stdin, timeout, outputLimit, signal: call.signal }, settings.host)
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') throw faults.make('R4120', 'git is not installed')
    throw thrown
  }
}

/** A PATH without folders: an empty PATH would name the folder in which git runs. */
const NO_FOLDER = '/nonexistent'

/**
 * Returns the PATH without folders in the work folder: a confined command could put a `git` there, which would run
 * unconfined.
 */
function pathOutside(workdir: string, { environment }: GitSettings): string {
  const folders = pathFolders(environment).filter((folder) => !isBelow(realPath(folder), workdir))
  return folders.length === 0 ? NO_FOLDER : folders.join(delimiter)
}

/**
 * Opens the repository of a path. Throws `R4106` without the folder, `R4121` without a repository, `R4105` if it may
 * not be read.
 */
export function openRepository(path: string, settings: GitSettings, call: ToolCall): Git {
  const folder = absolutePath(path, 'work', call)
  if (!pathExists(folder)) throw faults.make('R4106', `there is no folder ${shownPath(folder, call)}`)
  const repository = findRepository(path, call)
  if (repository === undefined) throw faults.make('R4121', `${shownPath(folder, call)} is not in a git repository`)
  const refused = repository.readFolders.find((read) => !call.allows(fsCapability('read', read)))
  if (refused === undefined) return new Git(repository, settings, call)
  const need = fsCapability('read', refused)
  throw faults.make('R4105', `the repository of ${shownPath(folder, call)} reads ${refused}, which is not granted`, {
    fix: `allow ${need} in --policy FILE`,
    data: { needs: [need] },
  })
}
