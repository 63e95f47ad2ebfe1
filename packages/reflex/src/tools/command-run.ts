import { stat } from 'node:fs/promises'
import { type Fault, isFault } from '../kernel/index.ts'
import { count, type Field, flag, withDefault, path, text, word } from './arguments.ts'
import { bubblewrapProblem } from './bubblewrap.ts'
import { faults } from './faults.ts'
import type { Warning } from './guard.ts'
import { type CommandLimits, lowestLimits } from './limits.ts'
import { absolutePath, isBelow, realPath, shownPath } from './paths.ts'
import { type ProcessResult, runProcess } from './process.ts'
import { requireAccess, wrongKindFault, systemCode, systemFault } from './refusals.ts'
import { confine, type ConfinedCommand, type Sandbox, SANDBOXES, type SandboxSettings } from './sandbox.ts'
import { openStage, readStatus } from './stage.ts'
import type { ToolCall } from './tool.ts'
import { variables } from './variables.ts'
import { keepFullOutput, type KeptOutputs, MOST_KEPT } from './full-output.ts'

/** The settings of commands. */
export interface CommandSettings extends SandboxSettings {
  /** The milliseconds until a command is killed. Default 30,000. */
  readonly timeout?: number | undefined
  /** Removes secrets from stored outputs of a command that are not part of its result. */
  readonly redact?: ((text: string) => string) | undefined
}

/** The result of a command. */
export type CommandResult = {
  readonly code: number | null
  readonly signal?: string
  readonly stdout: string
  readonly stderr: string
  readonly truncated?: true
  /** The files in the folder of its stage that contain the full outputs cut here. */
  readonly kept?: KeptOutputs
  /** The text of the `status.json` that it wrote into its stage; empty if the file cannot be read. */
  readonly status_file?: string
  /** Warnings as text: the command ran in another sandbox than requested, and its changes that did not stay. */
  readonly warning?: string
  /**
   * The changes that did not stay, by code: `R4144` for removed entries, `R4145` for changes of its repository that
   * were not applied.
   */
  readonly warnings?: readonly Warning[]
}

const TIMEOUT = 30_000
const LONGEST = 3_600_000
/** The default limit in bytes of the output and of the errors, each. */
export const DEFAULT_OUTPUT_LIMIT = 64_000
const MOST = 1_000_000

/** The arguments that every command takes besides the command itself. */
export const COMMAND_FIELDS = {
  cwd: withDefault(path(), '.'),
  stdin: withDefault(text(), undefined),
  timeout: withDefault(count(1, LONGEST), undefined),
  limit: withDefault(count(1, MOST), DEFAULT_OUTPUT_LIMIT),
  sandbox: withDefault<Sandbox, undefined>(word(...SANDBOXES), undefined),
  environment: withDefault(variables(), {}),
  stage: withDefault<string, undefined>(path(), undefined),
  whole: withDefault(flag(), false),
} as const satisfies Readonly<Record<string, Field<unknown>>>

/** A command to run. */
export interface Invocation {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly stdin: string | undefined
  readonly timeout: number | undefined
  readonly limit: number
  readonly sandbox?: Sandbox | undefined
  readonly environment?: Readonly<Record<string, string>>
  /** The folder of the stage that it belongs to, below the run's folder; created if it is missing. */
  readonly stage?: string | undefined
  /** True to keep outputs that exceed the limit as files in that folder. */
  readonly whole?: boolean
  /** The text for people, if it is not the words of the command. */
  readonly shown?: string
}

/**
 * Runs a command confined by `confine`. An exit code other than 0 is a result. Throws `R4105` and `R4106` for its
 * folders, `R4130` if it cannot be started, `R4131` if it exceeds its time, `R4132` if the run cancels it, `R4138` if
 * it exceeds a limit, `R4133` and `R4134` if it cannot be confined. Cancellation kills it with everything that it
 * started.
 */
export async function runCommand(command: Invocation, settings: CommandSettings, call: ToolCall): Promise<CommandResult> {
  const cwd = await workingFolder(command.cwd, call)
  const stage = command.stage === undefined ? undefined : await openStage(command.stage, call)
  const environment = { ...command.environment, ...(stage === undefined ? {} : { ARBOR_STAGE_DIR: stage, ATTRACTOR_STAGE_DIR: stage }) }
  const confined = await confine({ argv: command.argv, cwd, environment, stage }, command.sandbox, settings, call)
  const { result, warnings } = await runAndClean(confined, () => perform(command, confined, cwd, settings, call))
  const warning = [confined.warning, ...shortWarnings(warnings)].filter((text) => text !== undefined)
  const status = stage === undefined ? undefined : await readStatus(stage, call)
  const { code, signal, stdout, stderr, truncated, fullOutput } = result
  const kept = stage === undefined || fullOutput === undefined ? undefined : await keepFullOutput(stage, fullOutput, settings.redact, call)
  return {
    code,
    ...(signal === null ? {} : { signal }),
    stdout,
    stderr,
    ...(truncated ? { truncated } : {}),
    ...(kept === undefined ? {} : { kept }),
    ...(status === undefined ? {} : { status_file: status }),
    ...(warning.length === 0 ? {} : { warning: warning.join('; ') }),
    ...(warnings.length === 0 ? {} : { warnings }),
  }
}

/** The number of warnings on the line of a command; the result lists all of them. */
const MOST_SHOWN = 3

function shortWarnings(warnings: readonly Warning[]): readonly string[] {
  const shown = warnings.slice(0, MOST_SHOWN).map(({ code, message }) => `${code}: ${message}`)
  return warnings.length > MOST_SHOWN ? [...shown, `and ${warnings.length - MOST_SHOWN} more warnings`] : shown
}

/** Does the work and cleans up after it, even if it fails: the data of the fault then lists what did not stay. */
async function runAndClean(
  { end }: ConfinedCommand,
  work: () => Promise<ProcessResult>,
): Promise<{ readonly result: ProcessResult; readonly warnings: readonly Warning[] }> {
  let result: ProcessResult
  try {
    result = await work()
  } catch (thrown) {
    const warnings = await end()
    if (warnings.length === 0 || !isFault(thrown)) throw thrown
    const { code, message, data, fix } = thrown
    throw faults.make(code as 'R4131', [message, ...shortWarnings(warnings)].join('; '), {
      cause: thrown.cause,
      ...(fix === undefined ? {} : { fix }),
      data: { ...data, warnings },
    })
  }
  return { result, warnings: await end() }
}

async function perform(
  command: Invocation,
  { argv, environment, sandbox, handleBytes }: ConfinedCommand,
  cwd: string,
  settings: CommandSettings,
  call: ToolCall,
): Promise<ProcessResult> {
  if (call.signal.aborted) throw faults.make('R4132', `${line(command)} was cancelled before it began`)
  const timeout = command.timeout ?? settings.timeout ?? TIMEOUT
  const confined = sandbox === 'strict'
  const limits = confined ? lowestLimits([settings.limits ?? {}]) : undefined
  const result = await runProcess(
    // Bubblewrap starts outside the sandbox, where the folder of the command can have been exchanged; so it starts in
    // `/`.
    {
      argv,
      cwd: confined ? '/' : cwd,
      environment,
      stdin: command.stdin,
      timeout,
      outputLimit: command.limit,
      keepLimit: command.stage !== undefined && command.whole === true ? MOST_KEPT : undefined,
      signal: call.signal,
      reportsSandbox: confined,
      handleBytes,
      limits,
    },
    settings.host,
  ).catch((thrown: unknown) => {
    throw startFault(command.argv, systemCode(thrown), thrown)
  })
  if (result.end === 'aborted') throw faults.make('R4132', `${line(command)} was cancelled`)
  if (result.end === 'timeout') throw timeoutFault(command, timeout, result)
  if (limits !== undefined && (result.end === 'memory' || result.end === 'processes')) throw tooMuch(command, result.end, limits, result)
  const problem = confined ? bubblewrapProblem(result) : undefined
  if (problem === undefined) return result
  if ('broken' in problem)
    throw faults.make('R4134', `${line(command)} was not started: ${problem.broken}`, { data: { said: problem.broken } })
  throw startFault(command.argv, 'missing' in problem ? 'ENOENT' : 'EACCES')
}

/** Returns the real folder in which a command starts: below the work folder or the run's folder, or granted. */
async function workingFolder(cwd: string, call: ToolCall): Promise<string> {
  const path = absolutePath(cwd, 'work', call)
  const real = realPath(path)
  if (![call.workdir, call.runFolder].some((folder) => isBelow(real, folder))) requireAccess('write', real, call)
  const stats = await stat(real).catch((thrown: unknown) => {
    throw systemFault(thrown, 'folder', path, call)
  })
  if (!stats.isDirectory()) throw wrongKindFault('folder', shownPath(path, call), call)
  return real
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'was not found',
  EACCES: 'cannot be run: permission denied',
  E2BIG: 'has too many arguments',
}

function startFault(argv: readonly string[], code: string | undefined, cause?: unknown): Fault {
  const [program = ''] = argv
  const words = argv.length === 1 && /\s/.test(program)
  return faults.make('R4130', `${program} ${REASONS[code ?? ''] ?? 'cannot be started'}`, {
    ...(cause === undefined ? {} : { cause }),
    ...(words ? { fix: 'give the program and its arguments as a list of words' } : {}),
  })
}

function timeoutFault(command: Invocation, timeout: number, { stdout, stderr }: ProcessResult): Fault {
  return faults.make('R4131', `${line(command)} did not end within ${timeout} ms and was killed`, {
    data: { stdout: stdout.slice(-2000), stderr: stderr.slice(-2000) },
  })
}

function tooMuch(command: Invocation, what: keyof CommandLimits, limits: CommandLimits, { stdout, stderr }: ProcessResult): Fault {
  const most = what === 'memory' ? `${Math.round(limits.memory / 2 ** 20)} MiB of memory` : `${limits.processes} processes`
  return faults.make('R4138', `${line(command)} used more than ${most} and was killed`, {
    fix: `let it use less, or raise "${what}" in "commands" of a --policy FILE`,
    data: { stdout: stdout.slice(-2000), stderr: stderr.slice(-2000) },
  })
}

/** Returns the outcome of a command on one line. */
export function outcomeLine(command: Pick<Invocation, 'argv' | 'shown'>, { code, signal, warning }: CommandResult): string {
  const ended = code === null ? `ended by ${signal}` : `exit ${code}`
  return `${line(command)} → ${ended}${warning === undefined ? '' : ` (${warning})`}`
}

/** Returns a command on one line, for people. */
function line({ argv, shown }: Pick<Invocation, 'argv' | 'shown'>): string {
  const words = shown?.trim().split('\n')[0] ?? argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')
  return words.length > 80 ? `${words.slice(0, 79)}…` : words
}
