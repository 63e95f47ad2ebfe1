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
 * The ways to confine a command (decisions, commands). `strict`: in a sandbox without network. `basic`: its own process
 * group, a scrubbed environment, limits of time and output. `none` has these too. Neither `basic` nor `none` isolates
 * anything, so both need `arbor://shell/exec/unsandboxed`.
 */
export const SANDBOXES = ['strict', 'basic', 'none'] as const
export type Sandbox = (typeof SANDBOXES)[number]

/** The settings for confining commands. */
export interface SandboxSettings {
  readonly host: Host
  readonly environment: Environment
  /** The variables that commands see besides the usual ones. */
  readonly variables?: readonly string[] | undefined
  /** The folders that confined commands may read besides the system, the programs on the PATH and the work folder. */
  readonly readable?: readonly string[] | undefined
  /** The folders and files in the work folder that commands do not see. Default: `.reflex`. */
  readonly reserved?: readonly string[] | undefined
  /** The limits of a confined command. Default: 4 GiB of memory and 2,048 processes. */
  readonly limits?: Partial<CommandLimits> | undefined
  /** The operator's rules about files; they apply to commands as they do to tools. */
  readonly rules?: FileRules | undefined
  /** The absolute paths where bubblewrap is looked for. Default: the places of the system. */
  readonly bubblewrap?: readonly string[] | undefined
}

/** The command for which a sandbox is made. */
interface SandboxCommand {
  readonly argv: readonly string[]
  readonly cwd: string
  /** The real path of the folder of its stage. */
  readonly stage?: string | undefined
}

/** A command ready to start. */
export interface ConfinedCommand {
  readonly argv: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly sandbox: Sandbox
  /** The bytes that it reads from handle 4. */
  readonly handleBytes?: Uint8Array | undefined
  /** The reason why it runs in another sandbox than requested. */
  readonly warning?: string
  /**
   * Cleans up after the command, however it ended, and returns what did not stay. Call it once, when nothing of the
   * command runs.
   */
  readonly end: () => Promise<readonly Warning[]>
}

/** There is nothing to clean without a sandbox: the command has all permissions of its user. */
const NOTHING_TO_CLEAN = { end: () => Promise.resolve([]) }

/**
 * Confines a command as its program requests, or more strictly: a run that needs a sandbox gets one whatever the
 * program requests (decisions, trust). If no sandbox can be created, a run that may go without one runs with a warning,
 * unless its program requests `strict`; any other run fails with `R4133`.
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
    requested === undefined || requested === 'strict' ? {} : { warning: `sandbox ${requested} is ignored: this run needs a sandbox` }
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
    const why = `the work folder ${workdir} ${exposed === workdir ? 'is the home folder' : `contains ${exposed}`}, so opening it would open everything`
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
