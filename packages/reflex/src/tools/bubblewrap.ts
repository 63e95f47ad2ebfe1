import { lstatSync, readlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Host } from '../kernel/index.ts'
import { type Environment, pathFolders } from './environment.ts'
import type { CommandLimits } from './limits.ts'
import { isBelow, isFolder, pathExists, realPath } from './paths.ts'
import { runProcess } from './process.ts'
import { callFilter } from './sandbox-filter.ts'
import { isWritableStage } from './stage.ts'

/** Bubblewrap as it works on this machine. */
export interface Bubblewrap {
  readonly program: string
  /** A release that can also forbid further user namespaces and bound folders in memory (0.8 and later). */
  readonly modern: boolean
  /** The kernel takes a filter of calls. */
  readonly supportsFilter: boolean
}

/** Why there is none. */
export interface NoBubblewrap {
  readonly why: string
}

/**
 * Where bubblewrap is looked for. Not on the PATH: that may name folders of the project, into which a confined command
 * can put a `bwrap` of its own.
 */
export const BUBBLEWRAP_PATHS: readonly string[] = [
  '/usr/bin/bwrap',
  '/usr/local/bin/bwrap',
  '/bin/bwrap',
  '/run/wrappers/bin/bwrap',
  '/run/current-system/sw/bin/bwrap',
]

/** What a command gets to see, and where it may write. */
export interface View {
  /** The work folder, and whether it may be changed. */
  readonly workdir: string
  readonly writable: boolean
  /** The run's own folder, which the command may read; left out where it is not there. */
  readonly runFolder: string
  /** The folder in it that belongs to the command's stage, and that it may write to. */
  readonly stage: string | undefined
  /** Folders and files that Reflex keeps for itself. */
  readonly reserved: readonly string[]
  readonly environment: Environment
  /** Further folders that may be read. */
  readonly readable: readonly string[]
  readonly cwd: string
  /** Words that belong after a folder and show some of it differently. */
  readonly guardWords: (folder: string) => readonly string[]
  /** Words that belong after all folders. */
  readonly closingWords: readonly string[]
  readonly limits: CommandLimits
}

/** A fact of the machine, found out once in a process. Only what works is kept: bubblewrap may be installed meanwhile. */
const foundSandboxes = new Map<string, Bubblewrap>()

/** Finds bubblewrap by making a sandbox with it: a system can have the program and forbid what it does. */
export async function findBubblewrap(places: readonly string[], host: Host): Promise<Bubblewrap | NoBubblewrap> {
  const program = process.platform === 'linux' ? places.find((place) => pathExists(place)) : undefined
  if (program === undefined) return { why: 'bubblewrap is not installed' }
  const known = foundSandboxes.get(program)
  if (known !== undefined) return known
  let problem = ''
  for (const [modern, supportsFilter] of FEATURE_SETS) {
    const candidate = { program, modern, supportsFilter }
    const failure = await tryBubblewrap(candidate, host)
    if (failure === undefined) {
      foundSandboxes.set(program, candidate)
      return candidate
    }
    problem = failure
  }
  return { why: `bubblewrap can make no sandbox here: ${problem}` }
}

/** The best first. */
const FEATURE_SETS = [
  [true, true],
  [false, true],
  [true, false],
  [false, false],
] as const

/** The bytes that a program started by `sandboxWords` is handed. */
export function filterBytes({ supportsFilter }: Bubblewrap): Uint8Array | undefined {
  return supportsFilter ? callFilter() : undefined
}

/** Undefined when it works, else what it says. */
async function tryBubblewrap(bubblewrap: Bubblewrap, host: Host): Promise<string | undefined> {
  const argv = [...baseWords(bubblewrap), ...READ_ONLY_WORDS, ...filterWords(bubblewrap), '--', '/bin/sh', '-c', ':']
  const { signal } = new AbortController()
  try {
    const result = await runProcess(
      { argv, cwd: '/', environment: {}, timeout: 10_000, outputLimit: 1_000, signal, handleBytes: filterBytes(bubblewrap) },
      host,
    )
    return result.code === 0 ? undefined : result.stderr.trim().split('\n')[0] || `it ended with ${result.code ?? result.signal}`
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown)
  }
}

/** Folders of the system: programs and what they are linked with, and no data of anybody. */
const SYSTEM: readonly string[] = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/nix/store',
  '/gnu/store',
  '/run/current-system',
]

/** What programs need of /etc to start, to name users and times, and to check certificates; no keys and no passwords. */
const SETTINGS: readonly string[] = [
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'alternatives',
  'passwd',
  'group',
  'nsswitch.conf',
  'hosts',
  'localtime',
  'timezone',
  'locale.conf',
  'os-release',
  'debian_version',
  'mime.types',
  'protocols',
  'services',
  'ssl/certs',
  'ssl/openssl.cnf',
  'pki/ca-trust/extracted',
  'pki/tls/openssl.cnf',
  'crypto-policies',
]

/** Bytes of each folder in memory. */
const MEMORY = 1_073_741_824
/** Bytes of `/dev/shm`, in which programs share memory. */
const SHARED_MEMORY = 67_108_864
/** The home of a command: its own, empty, gone with it. */
export const PRIVATE_HOME = '/tmp/home'

/** Nothing can be made outside what is open to it. `/proc` too: without that, root could set what the kernel reads there. */
const READ_ONLY_WORDS: readonly string[] = ['--remount-ro', '/proc', '--remount-ro', '/']

/** Namespaces of its own for everything, no rights, no way to the terminal, and nothing but the system to be seen. */
function baseWords({ program, modern }: Bubblewrap, most = MEMORY): string[] {
  return [
    program,
    '--unshare-all',
    '--unshare-user',
    ...(modern ? ['--disable-userns'] : []),
    '--cap-drop',
    'ALL',
    '--die-with-parent',
    '--new-session',
    ...SYSTEM.flatMap(systemWords),
    ...SETTINGS.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    // An older bubblewrap makes no bounded folder in memory; an unbounded one would take half of the machine's memory.
    ...(modern ? ['--size', String(SHARED_MEMORY), '--tmpfs', '/dev/shm'] : []),
    '--remount-ro',
    '/dev',
    ...memory(modern, most),
    '/tmp',
    '--dir',
    PRIVATE_HOME,
    '--dir',
    '/var',
    '--symlink',
    '/tmp',
    '/var/tmp',
  ]
}

/**
 * The words that run a command in a sandbox. It sees the system, the programs on the PATH, the work folder and the run's
 * own, all at their real places, and nothing else of the machine: the rest of the home folder with its keys is not there,
 * and there is no network. It writes into the work folder, if the policy lets it, into the folder of its stage, and into memory
 * that is gone with it.
 */
export function sandboxWords(argv: readonly string[], bubblewrap: Bubblewrap, view: View): readonly string[] {
  const { workdir, writable, runFolder, reserved, readable, cwd, guardWords } = view
  const hidden = reserved.filter((path) => pathExists(path) && isBelow(path, workdir))
  return [
    ...baseWords(bubblewrap, Math.min(MEMORY, view.limits.memory)),
    ...programFolders(view).flatMap((folder) => ['--ro-bind-try', folder, folder]),
    ...readable.filter(isFolder).flatMap(guardWords),
    writable ? '--bind' : '--ro-bind',
    workdir,
    workdir,
    ...guardWords(workdir),
    ...hidden.flatMap((path) => (isFolder(path) ? [...memory(bubblewrap.modern), path] : ['--ro-bind', '/dev/null', path])),
    ...runFolderWords(view),
    // A folder elsewhere, for which the policy has been asked.
    ...([workdir, runFolder].some((folder) => isBelow(cwd, folder)) ? [] : ['--bind', cwd, cwd, ...guardWords(cwd)]),
    ...hidden.filter(isFolder).flatMap((path) => ['--remount-ro', path]),
    ...view.closingWords,
    ...READ_ONLY_WORDS,
    ...filterWords(bubblewrap),
    '--info-fd',
    '3',
    '--chdir',
    cwd,
    '--',
    ...limitWords(view.limits),
    ...argv,
  ]
}

/** Handle 3 is for what bubblewrap reports. */
function filterWords({ supportsFilter }: Bubblewrap): readonly string[] {
  return supportsFilter ? ['--seccomp', '4'] : []
}

/** Whether bubblewrap said that it could not do its part, and what. */
export function bubblewrapProblem({
  code,
  stdout,
  stderr,
}: {
  code: number | null
  stdout: string
  stderr: string
}): { readonly missing: string } | { readonly refused: string } | { readonly broken: string } | undefined {
  if (code === 0 || stdout !== '') return undefined
  const [, program = '', why] =
    /^(?:bwrap: execvp|prlimit: failed to execute) (.+): (No such file or directory|Permission denied)\n$/.exec(stderr) ?? []
  if (why !== undefined) return why.startsWith('No') ? { missing: program } : { refused: program }
  return code === 1 && /^bwrap: [^\n]+\n$/.test(stderr) ? { broken: stderr.trim() } : undefined
}

/** Bytes that a process may reserve beyond what it may use: language engines reserve hundreds of megabytes that they never touch. */
const RESERVED_MEMORY = 1_073_741_824

/** Bytes of all POSIX message queues of a user in the sandbox: what Linux allows by default. */
const QUEUES = 819_200

/**
 * The limits that the system itself enforces for each process, at once: the memory that it reserves, message queues, and unless it is root's,
 * the number of processes. The use of all of them together is measured from outside (`usage.ts`).
 */
function limitWords({ memory, processes }: CommandLimits): readonly string[] {
  const prlimit = '/usr/bin/prlimit'
  const data = memory + RESERVED_MEMORY
  return pathExists(prlimit)
    ? [prlimit, `--nproc=${processes}:${processes}`, `--data=${data}:${data}`, `--msgqueue=${QUEUES}:${QUEUES}`, '--core=0:0', '--']
    : []
}

export function memory(modern: boolean, most = MEMORY): readonly string[] {
  return modern ? ['--size', String(most), '--tmpfs'] : ['--tmpfs']
}

/**
 * The run's folder, read-only, and the stage's own in it, writable. Reflex and other commands work in the run's folder
 * meanwhile, so nothing on the path to either can be renamed: each folder between the work folder and the run's is a mount, and
 * a stage that lies deeper than the run's folder, where a command could exchange the folders above it, is not writable.
 */
function runFolderWords({ workdir, runFolder, stage, reserved, guardWords: guarded }: View): readonly string[] {
  if (!isFolder(runFolder)) return []
  const inside = isBelow(runFolder, workdir) && !reserved.some((path) => isBelow(runFolder, path))
  const mounted = inside ? foldersBetween(workdir, runFolder) : []
  return [
    ...mounted.flatMap((path) => ['--bind', path, path]),
    '--ro-bind',
    runFolder,
    runFolder,
    ...guarded(runFolder),
    ...(isWritableStage(stage, runFolder) ? ['--bind', stage, stage, ...guarded(stage)] : []),
  ]
}

/** The folders on the path from one folder to another below it, without both. */
function foldersBetween(top: string, path: string): readonly string[] {
  const above = dirname(path)
  return above === top || !isBelow(above, top) ? [] : [...foldersBetween(top, above), above]
}

function systemWords(path: string): readonly string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return []
  return stats.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}

/**
 * Folders with programs outside the system: those of the PATH and of this Node, a `bin` with the `lib` beside it, into
 * which its programs are often links. One that holds the home or the work folder is no folder of programs.
 */
function programFolders({ workdir, runFolder, reserved, environment, readable }: View): readonly string[] {
  const home = environment['HOME']
  const kept = [workdir, runFolder, ...reserved, ...(home === undefined ? [] : [realPath(home)])]
  const shown = [...SYSTEM, workdir, ...reserved]
  const programs = [...pathFolders(environment), dirname(process.execPath)].flatMap((folder) => {
    const above = dirname(folder)
    return basename(folder) === 'bin' && above !== home ? [folder, join(above, 'lib')] : [folder]
  })
  const folders = [...programs, ...readable].filter((folder) => {
    const real = realPath(folder)
    return isFolder(real) && !shown.some((above) => isBelow(real, above)) && !kept.some((path) => isBelow(path, real))
  })
  return [...new Set(folders)]
}
