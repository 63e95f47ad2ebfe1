import { Command, type CommanderError } from 'commander'
import { faults } from '../runs/faults.ts'
import { didYouMean, suggest } from '../text/index.ts'
import { actions } from './actions.ts'
import { withoutAliases } from './aliases.ts'
import { Console } from './console.ts'
import { type CommonFlags, type Document, SHAPE_FLAGS } from './options.ts'
import type { Verb } from './verb.ts'
import type { World } from './world.ts'
import { LEARNING } from './learning/verbs.ts'

/** The meaning of a command line. */
export interface ParsedCommand {
  readonly flags: CommonFlags
  /** Performs the command and returns its exit code. */
  readonly perform: (console: Console) => Promise<number>
}

/** A help text or version: for a person, and as the document of `--json`. */
export interface HelpText {
  readonly text: string
  readonly document: Document
}

/** Reads a command line. Returns a text if only help or the version is asked for. Throws `R2030` and `R2031`. */
export function readCommand(given: readonly string[], world: World): ParsedCommand | HelpText {
  const argv = withoutAliases(given)
  const [verb] = argv.filter((word) => !word.startsWith('-'))
  const [word, ...others] = argv.filter((one) => !SHAPE_FLAGS.includes(one))
  if (others.length === 0 && (word === undefined || ['-h', '--help', 'help'].includes(word)))
    return helpText(topHelp(world.command, actions))
  if (word === 'help') {
    const [about = ''] = others
    if (!actions.some(({ name }) => name === about)) throw unknownVerb(about)
    return readCommand([about, '--help'], world)
  }
  const helpOutput: string[] = []
  let parsed: ParsedCommand | undefined
  const program = new Command('reflex')
  silenceCommand(program, helpOutput)
  for (const one of actions) program.addCommand(commandOf(one, world, helpOutput, (found) => (parsed = found)))
  try {
    program.parse(argv, { from: 'user' })
  } catch (thrown) {
    const error = thrown as CommanderError
    if (error.code === 'commander.helpDisplayed' || error.code === 'commander.help') return helpText(helpOutput.join(''))
    throw typeof error.code === 'string' && error.code.startsWith('commander.') ? usageFault(error, argv, verb) : error
  }
  if (parsed === undefined) throw unknownVerb(verb ?? argv[0] ?? '')
  return parsed
}

function helpText(text: string): HelpText {
  return { text, document: { v: 1, help: text } }
}

function silenceCommand(command: Command, helpOutput: string[]): Command {
  return command
    .exitOverride()
    .showSuggestionAfterError(false)
    .showHelpAfterError(false)
    .helpCommand(false)
    .helpOption('-h, --help', 'show this text')
    .configureOutput({ writeOut: (text) => helpOutput.push(text), writeErr: () => undefined })
}

function commandOf(verb: Verb, world: World, helpOutput: string[], found: (asked: ParsedCommand) => void): Command {
  const command = silenceCommand(new Command(verb.name), helpOutput).description(verb.about).allowExcessArguments(false)
  for (const [syntax, about] of verb.words) command.argument(syntax, about)
  if (verb.usage !== undefined) command.usage(`[options] ${verb.usage}`)
  for (const option of verb.options) command.addOption(option)
  command.configureHelp({
    helpWidth: Math.min(100, new Console(world, {}).out.columns),
    sortOptions: false,
    commandUsage: (one) => `${world.command} ${one.name()} ${one.usage()}`,
  })
  if (verb.examples.length > 0)
    command.addHelpText('after', `\n${verb.examples.map((example) => `  ${world.command} ${example}`).join('\n')}`)
  return command.action((...given: unknown[]) => {
    const flags = given.at(-2) as Record<string, unknown>
    const words = given.slice(0, -2).flatMap((word) => (Array.isArray(word) ? (word as string[]) : typeof word === 'string' ? [word] : []))
    found({ flags, perform: (console) => verb.action(console, words, flags) })
  })
}

function usageFault(error: CommanderError, argv: readonly string[], verb: string | undefined): Error {
  const known = actions.find(({ name }) => name === verb)
  if (known === undefined) return unknownVerb(verb ?? argv[0] ?? '')
  const fix = `reflex ${known.name} --help`
  const message = error.message.replace(/^error: /, '').replaceAll("'", '"')
  if (error.code !== 'commander.unknownOption') return faults.make('R2031', message, { fix })
  const word = /"(-[^"]*)"/.exec(message)?.[1] ?? ''
  const flags = known.options.flatMap(({ long }) => long ?? [])
  const guess = suggest(word.replace(/=.*/, ''), flags)
  return faults.make('R2031', `${known.name} has no option ${word}${guess === undefined ? '' : `; did you mean ${guess}?`}`, { fix })
}

function unknownVerb(word: string): Error {
  const guess = suggest(
    word,
    actions.map(({ name }) => name),
  )
  const hint = didYouMean(guess)
  return faults.make('R2030', `there is no command ${JSON.stringify(word)}${hint === undefined ? '' : `; ${hint}`}`, {
    fix: guess === undefined ? 'reflex --help' : `reflex ${guess} --help`,
  })
}

/** The group to which the verbs that kinds bring belong: they show something of a run. */
const LOOK = 'look'

const GROUPS: readonly (readonly [title: string, verbs: readonly string[]])[] = [
  ['do', ['run', 'resume', 'answer', 'signal', 'cancel', 'worker', 'serve', 'schedule', 'mcp']],
  [LOOK, ['runs', 'inbox', 'show', 'trace']],
  ['go back', ['fork', 'diff', 'why', 'replay']],
  ['check', ['validate', 'fmt', 'check', 'graph', 'explain', 'schema', 'doctor', 'completion']],
  ['learn', ['learn', ...LEARNING]],
  ['keep', ['export', 'import', 'gc', 'init']],
]

/** Returns the text of `reflex` without arguments: every command on one line, in groups. */
function topHelp(command: string, verbs: readonly Verb[]): string {
  const usage = (verb: Verb): string =>
    [
      verb.name,
      ...(verb.usage === undefined ? verb.words.map(([syntax]) => syntax.replace(/[<>]/g, '').toUpperCase()) : [verb.usage]),
    ].join(' ')
  const widest = Math.max(...verbs.map((verb) => usage(verb).length))
  const grouped = new Set(GROUPS.flatMap(([, names]) => names))
  const ofKinds = verbs.flatMap(({ name }) => (grouped.has(name) ? [] : [name]))
  const groups = GROUPS.map(([title, names]) => {
    const lines = (title === LOOK ? [...names, ...ofKinds] : names)
      .flatMap((name) => verbs.filter((verb) => verb.name === name))
      .map((verb) => `  ${usage(verb).padEnd(widest)}  ${verb.about}`)
    return `${title}\n${lines.join('\n')}`
  })
  return `Models and people decide. Reflex keeps the process honest.

${command} COMMAND

${groups.join('\n')}

  Name a run by its id, a prefix of its id, or \`last\`; RUN@21 is the run after record 21.
  Every command accepts --json, --jsonl, -q, -v, --no-color and --store PATH.
  ${command} COMMAND --help shows its options.
`
}
