import { stat } from 'node:fs/promises'
import { relative, isAbsolute } from 'node:path'
import type { Fault, Host, Json, Repeat } from '../kernel/index.ts'
import { count, type Field, namedArguments, or, path, text, texts } from './arguments.ts'
import { COMMAND_CAPABILITIES } from './capability.ts'
import { type Environment, scrub } from './environment.ts'
import { faults } from './faults.ts'
import { absolute, realPath, shownPath } from './paths.ts'
import { type ProcessResult, runProcess } from './process.ts'
import { demand, notA, systemCode, systemFault } from './refusals.ts'
import { defineTool, type Tool, type ToolCall } from './tool.ts'

/** What commands get from outside. */
export interface CommandSettings {
  readonly host: Host
  readonly environment: Environment
  /** Variables that commands see beside PATH, HOME and LANG. */
  readonly variables?: readonly string[] | undefined
  /** Milliseconds until a command is killed: 30,000 unless said otherwise. */
  readonly timeout?: number | undefined
}

/** What came of a command. */
type CommandResult = {
  readonly code: number | null
  readonly signal?: string
  readonly stdout: string
  readonly stderr: string
  readonly truncated?: true
}

const TIMEOUT = 30_000
const LONGEST = 3_600_000
const KEPT = 64_000
const MOST = 1_000_000

/** A command that an operator gives a name, so that a program may call this one and no other. */
export interface NamedCommand {
  readonly name: string
  readonly description: string
  /** The words of the command. `{file}` in a word is the parameter `file`, which stays one word whatever it holds. */
  readonly argv: readonly string[]
  /** Parameters by name, and what each is. All are needed. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Below the work folder. */
  readonly cwd?: string
  readonly leaves?: boolean
  readonly repeat?: Repeat
  readonly timeout?: number
  /** Bytes kept of the output and of the errors, each. */
  readonly limit?: number
}

/** Runs any command: `{code, stdout, stderr, truncated?}`. A code other than 0 is a result, not a failure. */
export function anyCommand(settings: CommandSettings): Tool {
  return defineTool({
    name: 'command',
    description:
      'Runs a command, given as a list of words and without a shell, below the work folder. Its input is stdin or nothing. limit: bytes kept of the output.',
    leaves: true,
    repeat: 'ask',
    input: namedArguments({
      argv: { ...texts('a list of words, the program first'), read: readWords },
      cwd: or(path(), '.'),
      stdin: or(text(), undefined),
      timeout: or(count(1, LONGEST), undefined),
      limit: or(count(1, MOST), KEPT),
    }),
    needs: () => COMMAND_CAPABILITIES,
    run: (args, call) => run(args, settings, call),
    says: ({ argv }, result) => `${line(argv)} → ${ended(result)}`,
  })
}

/** A command with a name of its own; a program gives its parameters and nothing else. */
export function commandTool(command: NamedCommand, settings: CommandSettings): Tool {
  const { name, description, argv, parameters = {}, cwd = '.', leaves = true, repeat = 'ask', timeout, limit = KEPT } = command
  const fields = Object.fromEntries(
    Object.entries(parameters).map(([parameter, what]) => [parameter, parameterField(what, leads(argv, parameter))]),
  )
  const words = (args: Readonly<Record<string, string>>): readonly string[] => argv.map((word) => fill(word, args))
  return defineTool({
    name,
    description,
    leaves,
    repeat,
    input: namedArguments(fields),
    needs: () => COMMAND_CAPABILITIES,
    run: (args, call) => run({ argv: words(args), cwd, stdin: undefined, timeout, limit }, settings, call),
    says: (args, result) => `${line(words(args))} → ${ended(result)}`,
  })
}

function readWords(value: Json): readonly string[] | undefined {
  const words = texts().read(value)
  return words !== undefined && words[0] !== undefined && words[0] !== '' ? words : undefined
}

/** Whether a parameter begins a word, where a dash would make it an option of the program. */
function leads(argv: readonly string[], parameter: string): boolean {
  return argv.some((word) => word.startsWith(`{${parameter}}`))
}

function parameterField(what: string, leading: boolean): Field<string> {
  const plain = text(what)
  return {
    what: leading ? `${what}, text that begins with no dash` : what,
    read(value) {
      const word = plain.read(typeof value === 'number' ? String(value) : value)
      return leading && word?.startsWith('-') === true ? undefined : word
    },
  }
}

function fill(word: string, args: Readonly<Record<string, string>>): string {
  return word.replace(/\{(\w+)\}/g, (whole, name: string) => (Object.hasOwn(args, name) ? (args[name] ?? whole) : whole))
}

interface Invocation {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly stdin: string | undefined
  readonly timeout: number | undefined
  readonly limit: number
}

async function run(command: Invocation, settings: CommandSettings, call: ToolCall): Promise<CommandResult> {
  const cwd = await workingFolder(command.cwd, call)
  if (call.signal.aborted) throw faults.make('R4132', `${line(command.argv)} was called off before it began`)
  const timeout = command.timeout ?? settings.timeout ?? TIMEOUT
  const result = await runProcess(
    {
      argv: command.argv,
      cwd,
      environment: scrub(settings.environment, settings.variables),
      stdin: command.stdin,
      timeout,
      most: command.limit,
      signal: call.signal,
    },
    settings.host,
  ).catch((thrown: unknown) => {
    throw notStarted(command.argv, thrown)
  })
  if (result.end === 'aborted') throw faults.make('R4132', `${line(command.argv)} was called off`)
  if (result.end === 'timeout') throw tooLong(command.argv, timeout, result)
  const { code, signal, stdout, stderr, truncated } = result
  return { code, ...(signal === null ? {} : { signal }), stdout, stderr, ...(truncated ? { truncated } : {}) }
}

/** The folder in which a command begins: really below the work folder or the run's own, or granted. */
async function workingFolder(cwd: string, call: ToolCall): Promise<string> {
  const path = absolute(cwd, 'work', call)
  const real = realPath(path)
  if (![call.workdir, call.runFolder].some((folder) => isBelow(real, folder))) demand('write', real, call)
  const stats = await stat(real).catch((thrown: unknown) => {
    throw systemFault(thrown, 'folder', path, call)
  })
  if (!stats.isDirectory()) throw notA('folder', shownPath(path, call), call)
  return real
}

function isBelow(path: string, folder: string): boolean {
  const inside = relative(folder, path)
  return inside !== '..' && !inside.startsWith('../') && !inside.startsWith('..\\') && !isAbsolute(inside)
}

function notStarted(argv: readonly string[], thrown: unknown): Fault {
  const code = systemCode(thrown)
  const [program = ''] = argv
  const why =
    code === 'ENOENT'
      ? 'was not found'
      : code === 'EACCES'
        ? 'may not be run'
        : code === 'E2BIG'
          ? 'has too many arguments'
          : 'cannot be started'
  const words = argv.length === 1 && /\s/.test(program)
  return faults.make('R4130', `${program} ${why}`, {
    cause: thrown,
    ...(words ? { fix: 'give the program and its arguments as a list of words' } : {}),
  })
}

function tooLong(argv: readonly string[], timeout: number, { stdout, stderr }: ProcessResult): Fault {
  return faults.make('R4131', `${line(argv)} did not end within ${timeout} ms and was killed`, {
    data: { stdout: stdout.slice(-2000), stderr: stderr.slice(-2000) },
  })
}

/** A command on one line, for people. */
function line(argv: readonly string[]): string {
  const shown = argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')
  return shown.length > 80 ? `${shown.slice(0, 79)}…` : shown
}

function ended({ code, signal }: CommandResult): string {
  return code === null ? `ended by ${signal}` : `exit ${code}`
}
