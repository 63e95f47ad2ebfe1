import type { Json, Repeat } from '../kernel/index.ts'
import { type Field, namedArguments, text, texts } from './arguments.ts'
import { COMMAND_CAPABILITY } from './capability.ts'
import { COMMAND_FIELDS, type CommandResult, type CommandSettings, DEFAULT_OUTPUT_LIMIT, outcomeLine, runCommand } from './command-run.ts'
import { defineTool, type Tool } from './tool.ts'

/** A command that the operator names, so that a program may call this one and no other. */
export interface NamedCommand {
  readonly name: string
  readonly description: string
  /**
   * The words of the command. `{file}` in a word stands for the parameter `file`; the word stays one word whatever the
   * value.
   */
  readonly argv: readonly string[]
  /** The parameters by name, with descriptions. All are required. */
  readonly parameters?: Readonly<Record<string, string>>
  /** The folder in which it starts, below the work folder. */
  readonly cwd?: string
  readonly leaves?: boolean
  readonly repeat?: Repeat
  readonly timeout?: number
  /** The limit in bytes of the output and of the errors, each. */
  readonly limit?: number
}

/** The help that all commands share, for authors of programs. */
const COMMON_HELP =
  'stdin: its input, empty by default. environment: values that it gets as variables. stage: a folder in which it can write a status.json. limit: the maximum bytes of the output. whole: true to store a longer output as a file in the folder of the stage. sandbox: strict (no network, writes only below the work folder) unless the run may use another one.'

/**
 * Runs any command without a shell: `{code, stdout, stderr, truncated?, status_file?, warning?}`. A code other than 0
 * is a result.
 */
export function anyCommandTool(settings: CommandSettings): Tool {
  return defineTool({
    name: 'command',
    description: `Runs a command, given as a list of words and without a shell, below the work folder. ${COMMON_HELP}`,
    leaves: true,
    repeat: 'ask',
    input: namedArguments({ argv: { ...texts('a list of words, the program first'), read: readWords }, ...COMMAND_FIELDS }),
    needs: () => [COMMAND_CAPABILITY],
    run: (args, call) => runCommand(args, settings, call),
    simulates: ({ argv }) => simulatedCommand(argv.join(' ')),
    says: outcomeLine,
  })
}

/**
 * Runs the text of a command by `sh -c`, with the same result. Only an author writes the text: values never become part
 * of it, the command gets them as variables.
 */
export function shell(settings: CommandSettings): Tool {
  return defineTool({
    name: 'shell',
    description: `Runs the text of a command with sh, below the work folder. ${COMMON_HELP}`,
    leaves: true,
    repeat: 'ask',
    authored: ['command'],
    input: namedArguments({ command: { ...text('the text of a command'), read: readCommand }, ...COMMAND_FIELDS }),
    needs: () => [COMMAND_CAPABILITY],
    run: ({ command, ...args }, call) => runCommand({ ...args, argv: ['/bin/sh', '-c', command], shown: command }, settings, call),
    simulates: ({ command }) => simulatedCommand(command),
    says: ({ command }, result) => outcomeLine({ argv: [], shown: command }, result),
  })
}

/** Creates the tool for a named command; a program sets only its parameters. */
export function commandTool(command: NamedCommand, settings: CommandSettings): Tool {
  const {
    name,
    description,
    argv,
    parameters = {},
    cwd = '.',
    leaves = true,
    repeat = 'ask',
    timeout,
    limit = DEFAULT_OUTPUT_LIMIT,
  } = command
  const fields = Object.fromEntries(
    Object.entries(parameters).map(([parameter, what]) => [parameter, parameterField(what, beginsWord(argv, parameter))]),
  )
  const words = (args: Readonly<Record<string, string>>): readonly string[] => argv.map((word) => fill(word, args))
  return defineTool({
    name,
    description,
    leaves,
    repeat,
    input: namedArguments(fields),
    needs: () => [COMMAND_CAPABILITY],
    run: (args, call) => runCommand({ argv: words(args), cwd, stdin: undefined, timeout, limit }, settings, call),
    simulates: (args) => simulatedCommand(words(args).join(' ')),
    says: (args, result) => outcomeLine({ argv: words(args) }, result),
  })
}

/** Returns the result of a simulated command: success. */
function simulatedCommand(text: string): CommandResult {
  return { code: 0, stdout: `[Simulated] ${text}\n`, stderr: '' }
}

function readWords(value: Json): readonly string[] | undefined {
  const words = texts().read(value)
  return words !== undefined && words[0] !== undefined && words[0] !== '' ? words : undefined
}

function readCommand(value: Json): string | undefined {
  const command = text().read(value)
  return command === undefined || command.trim() === '' ? undefined : command
}

/** True if a parameter starts a word, where a dash would make it an option of the program. */
function beginsWord(argv: readonly string[], parameter: string): boolean {
  return argv.some((word) => word.startsWith(`{${parameter}}`))
}

function parameterField(what: string, leading: boolean): Field<string> {
  const plain = text(what)
  return {
    what: leading ? `${what}, text that does not start with a dash` : what,
    schema: { type: 'string' },
    read(value) {
      const word = plain.read(typeof value === 'number' ? String(value) : value)
      return leading && word?.startsWith('-') === true ? undefined : word
    },
  }
}

function fill(word: string, args: Readonly<Record<string, string>>): string {
  return word.replace(/\{(\w+)\}/g, (whole, name: string) => (Object.hasOwn(args, name) ? (args[name] ?? whole) : whole))
}
