import { lstatSync, readlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Host, thrownMessage } from '../kernel/index.ts'
import { type Environment, pathFolders } from './environment.ts'
import type { CommandLimits } from './limits.ts'
import { isBelow, isFolder, pathExists, realPath } from './paths.ts'
import { runProcess } from './process.ts'
import { callFilter } from './sandbox-filter.ts'
import { isWritableStage } from './stage.ts'

/** A usable bubblewrap on this machine. */
export interface Bubblewrap {
  readonly program: string
  /** True for a release that can also forbid further user namespaces and limit folders in memory (0.8 and later). */
  readonly modern: boolean
  /** True if the kernel supports filters of system calls. */
  readonly supportsFilter: boolean
}

/** The reason why there is no usable bubblewrap. */
export interface NoBubblewrap {
  readonly why: string
}

/**
 * The places where bubblewrap is looked for. The PATH is not used: it may name folders of the project, into which a
 * confined command can put its own `bwrap`.
 */
export const BUBBLEWRAP_PATHS: readonly string[] = [
  '/usr/bin/bwrap',
  '/usr/local/bin/bwrap',
  '/bin/bwrap',
  '/run/wrappers/bin/bwrap',
  '/run/current-system/sw/bin/bwrap',
]

/** The part of the machine that a command sees, and where it may write. */
export interface View {
  /** The work folder. */
  readonly workdir: string
  /** True if the command may change the work folder. */
  readonly writable: boolean
  /** The folder of the run, which the command may read; omitted if it does not exist. */
  readonly runFolder: string
  /** The folder in it that belongs to the command's stage; the command may write to it. */
  readonly stage: string | undefined
  /** Folders and files that only Reflex uses. */
  readonly reserved: readonly string[]
  readonly environment: Environment
  /** Further folders that may be read. */
  readonly readable: readonly string[]
  readonly cwd: string
  /** Returns the bubblewrap options that follow a folder and show parts of it differently. */
  readonly guardWords: (folder: string) => readonly string[]
  /** The bubblewrap options that follow all folders. */
  readonly closingWords: readonly string[]
  readonly limits: CommandLimits
}

/** The result for each program, found once per process. Only successes are stored: bubblewrap may be installed later. */
const foundSandboxes = new Map<string, Bubblewrap>()

/** Finds bubblewrap by creating a sandbox with it: a system can have the program and forbid its use. */
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
  return { why: `bubblewrap cannot create a sandbox here: ${problem}` }
}

/** The sets of features, the best first. */
const FEATURE_SETS = [
  [true, true],
  [false, true],
  [true, false],
  [false, false],
] as const

/** Returns the bytes that bubblewrap reads as its filter of system calls. */
export function filterBytes({ supportsFilter }: Bubblewrap): Uint8Array | undefined {
  return supportsFilter ? callFilter() : undefined
}

/** Tries to create a sandbox. Returns undefined on success, else the error text. */
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
    return thrownMessage(thrown)
  }
}

/** The folders of the system: programs and their libraries, without data of users. */
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

/**
 * The parts of /etc that programs need to start, to name users and times, and to check certificates; no keys and no
 * passwords.
 */
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

/** The size limit of each folder in memory, in bytes. */
const MEMORY = 1_073_741_824
/** The size of `/dev/shm`, in which programs share memory, in bytes. */
const SHARED_MEMORY = 67_108_864
/** The home folder of a command: private, empty, and removed with it. */
export const PRIVATE_HOME = '/tmp/home'

/**
 * Forbids creating anything outside the open folders. `/proc` is included: otherwise root could change kernel settings
 * there.
 */
const READ_ONLY_WORDS: readonly string[] = ['--remount-ro', '/proc', '--remount-ro', '/']

/**
 * Returns the options that every sandbox has: its own namespaces for everything, no privileges, no access to the
 * terminal, and only the system visible.
 */
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
    // An older bubblewrap cannot limit folders in memory; an unlimited one could take half of the machine's memory.
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
 * Returns the words that run a command in a sandbox. It sees the system, the programs on the PATH, the work folder and
 * the run's folder, all at their real paths, and nothing else of the machine: the rest of the home folder with its keys
 * is absent, and there is no network. It can write to the work folder if the policy allows it, to the folder of its
 * stage, and to memory that is released when it ends.
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
    // A folder elsewhere, which the policy has allowed.
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

/** Returns the options of the filter. Handle 3 is used for the report of bubblewrap. */
function filterWords({ supportsFilter }: Bubblewrap): readonly string[] {
  return supportsFilter ? ['--seccomp', '4'] : []
}

/** Returns the problem that bubblewrap or prlimit reported, if the command did not start. */
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

/**
 * The bytes that a process may reserve beyond its limit of use: language engines reserve hundreds of megabytes that
 * they never touch.
 */
const RESERVED_MEMORY = 1_073_741_824

/** The bytes of all POSIX message queues of a user in the sandbox: the default of Linux. */
const QUEUES = 819_200

/**
 * Returns the words for the limits that the system enforces on each process immediately: reserved memory, message
 * queues and, except for root, the number of processes. The total use of all processes is measured from outside
 * (`usage.ts`).
 */
function limitWords({ memory, processes }: CommandLimits): readonly string[] {
  const prlimit = '/usr/bin/prlimit'
  const data = memory + RESERVED_MEMORY
  return pathExists(prlimit)
    ? [prlimit, `--nproc=${processes}:${processes}`, `--data=${data}:${data}`, `--msgqueue=${QUEUES}:${QUEUES}`, '--core=0:0', '--']
    : []
}

/** Returns the options that create a folder in memory at the path that follows them, limited to `most` bytes if possible. */
export function memory(modern: boolean, most = MEMORY): readonly string[] {
  return modern ? ['--size', String(most), '--tmpfs'] : ['--tmpfs']
}

/**
 * Returns the options for the run's folder, read-only, and for the folder of the stage in it, writable. Reflex and
 * other commands use the run's folder at the same time, so no folder on the path to it may be renamed: each folder
 * between the work folder and the run's folder is a mount. A stage deeper than directly in the run's folder is not
 * writable, because a command could exchange the folders above it.
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

/** Returns the folders on the path from one folder to another below it, without both. */
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
 * Returns folders with programs outside the system: those on the PATH and that of this Node. A `bin` folder includes
 * the `lib` beside it, because its programs are often links into that. A folder that contains the home or the work
 * folder is not included.
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
