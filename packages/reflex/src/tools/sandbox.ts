import type { Host } from '../kernel/index.ts'
import { type Bubblewrap, sandboxWords, findBubblewrap, filterBytes, memory, BUBBLEWRAP_PATHS, PRIVATE_HOME } from './bubblewrap.ts'
import { fsCapability, UNSANDBOXED_CAPABILITY } from './capability.ts'
import type { FileRules } from './closed-paths.ts'
import { type Environment, scrub } from './environment.ts'
import { faults } from './faults.ts'
import { guardFolders, type Warning, writableFolders } from './guard.ts'
import { type CommandLimits, lowestLimits } from './limits.ts'
import { isBelow, isFolder, realPath } from './paths.ts'
import type { ToolCall } from './tool.ts'

/**
 * How a command is confined (decisions, commands). `strict`: in a sandbox without network. `basic`: a process group of
 * its own, a scrubbed environment, a limit of time and output, all of which `none` has too: neither isolates anything, so
 * both need `arbor://shell/exec/unsandboxed`.
 */
export const SANDBOXES = ['strict', 'basic', 'none'] as const
export type Sandbox = (typeof SANDBOXES)[number]

/** What confining a command takes from outside. */
export interface SandboxSettings {
  readonly host: Host
  readonly environment: Environment
  /** Variables that commands see beside the usual ones. */
  readonly variables?: readonly string[] | undefined
  /** Folders that confined commands may read beside the system, the programs of the PATH and the work folder. */
  readonly readable?: readonly string[] | undefined
  /** Folders and files in the work folder that commands do not see; `.reflex` unless said otherwise. */
  readonly reserved?: readonly string[] | undefined
  /** The limits of a confined command; 4 GiB of memory and 2,048 processes unless set otherwise. */
  readonly limits?: Partial<CommandLimits> | undefined
  /** Rules of the operator about files, which commands keep as tools do. */
  readonly rules?: FileRules | undefined
  /** Where bubblewrap is looked for, absolute; the places of the system unless said otherwise. */
  readonly bubblewrap?: readonly string[] | undefined
}

/** The parts that a sandbox is made from. */
interface SandboxCommand {
  readonly argv: readonly string[]
  readonly cwd: string
  /** The folder of its stage, a real path. */
  readonly stage?: string | undefined
}

/** A command ready to be started. */
export interface ConfinedCommand {
  readonly argv: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly sandbox: Sandbox
  /** Bytes that it reads from handle 4. */
  readonly handleBytes?: Uint8Array | undefined
  /** That it runs otherwise than asked for, and why. */
  readonly warning?: string
  /** Cleans up after the command, for every ending, and returns what did not stay. To be called once, when nothing of it runs. */
  readonly end: () => Promise<readonly Warning[]>
}

/** Without a sandbox, a command has all rights of its user. */
const NOTHING_TO_CLEAN = { end: () => Promise.resolve([]) }

/**
 * Confines a command as its program asks, or better: a run that may not go without a sandbox gets one whatever the
 * program says (decisions, trust). Where none can be made, a run that may go without one does so with a warning, unless
 * its program insists on `strict`; any other fails with `R4133`.
 */
export async function confine(
  command: SandboxCommand & { readonly environment: Readonly<Record<string, string>> },
  requested: Sandbox | undefined,
  settings: SandboxSettings,
  call: ToolCall,
): Promise<ConfinedCommand> {
  const isUnsandboxedAllowed = call.allows(UNSANDBOXED_CAPABILITY)
  const usual = { ...scrub(settings.environment, settings.variables), ...command.environment }
  const plain = { argv: command.argv, environment: usual }
  if (requested !== undefined && requested !== 'strict' && isUnsandboxedAllowed)
    return { ...plain, ...NOTHING_TO_CLEAN, sandbox: requested }
  const warning =
    requested === undefined || requested === 'strict' ? {} : { warning: `sandbox ${requested} is ignored: this run may not go without one` }
  const found = await sandboxFor(settings, call)
  if (!('why' in found)) {
    const { argv, end } = await wrapInSandbox(command, found, settings, call)
    const home = { HOME: PRIVATE_HOME, TMPDIR: '/tmp' }
    return { argv, end, handleBytes: filterBytes(found), environment: { ...usual, ...home }, sandbox: 'strict', ...warning }
  }
  if (isUnsandboxedAllowed && requested !== 'strict')
    return { ...plain, ...NOTHING_TO_CLEAN, sandbox: 'basic', warning: `without a sandbox: ${found.why}` }
  throw faults.make(found.code, found.why, { fix: found.fix })
}

interface NoSandbox {
  readonly why: string
  readonly code: 'R4133' | 'R4134'
  readonly fix: string
}

const INSTALL = 'install bubblewrap (apt install bubblewrap, dnf install bubblewrap, apk add bubblewrap), or run with --trust trusted'

async function sandboxFor(
  { bubblewrap = BUBBLEWRAP_PATHS, host, environment }: SandboxSettings,
  { workdir }: ToolCall,
): Promise<Bubblewrap | NoSandbox> {
  const exposed = ['/usr', ...(environment['HOME'] === undefined ? [] : [realPath(environment['HOME'])])].find((path) =>
    isBelow(path, workdir),
  )
  if (exposed !== undefined) {
    const why = `the work folder ${workdir} ${exposed === workdir ? 'is the home folder' : `holds ${exposed}`}, so opening it would open everything`
    return { why, code: 'R4134', fix: 'start in the folder of a project, or run with --trust trusted' }
  }
  const found = await findBubblewrap(bubblewrap, host)
  return 'why' in found ? { why: found.why, code: 'R4133', fix: INSTALL } : found
}

async function wrapInSandbox(
  { argv, cwd, stage }: SandboxCommand,
  bubblewrap: Bubblewrap,
  settings: SandboxSettings,
  call: ToolCall,
): Promise<Pick<ConfinedCommand, 'argv' | 'end'>> {
  const { workdir, runFolder } = call
  const { reserved = [`${workdir}/.reflex`], readable = [], environment } = settings
  const limits = lowestLimits([settings.limits ?? {}])
  const writable = call.allows(fsCapability('write', workdir))
  const seen = [...(writable ? [] : [workdir]), ...(isFolder(runFolder) ? [runFolder] : []), ...readable.map(realPath).filter(isFolder)]
  const folders = {
    writable: writableFolders(call, { cwd, stage }, writable),
    readable: seen,
    reserved,
    cwd,
    memory: memory(bubblewrap.modern),
    rules: settings.rules?.(call) ?? [],
  }
  const { words, closingWords, end } = await guardFolders(folders, settings, call)
  const view = { workdir, writable, runFolder, stage, limits, reserved, environment, readable, cwd, guardWords: words, closingWords }
  try {
    return { argv: sandboxWords(argv, bubblewrap, view), end }
  } catch (thrown) {
    await end()
    throw thrown
  }
}
