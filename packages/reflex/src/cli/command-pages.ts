import { systemHost } from '../kernel/index.ts'
import { actions } from './actions.ts'
import { readCommand } from './command.ts'
import type { Sink, World } from './world.ts'

const SINK: Sink = { write: () => undefined, terminal: false, columns: 96 }

/** A world that is only used to read help texts. */
const HELP_WORLD: World = {
  surroundings: { host: systemHost, worker: { id: '', host: '', pid: 0 }, cwd: '.', environment: {}, actor: '' },
  out: SINK,
  err: SINK,
  keyboard: undefined,
  send: async () => true,
  readInput: async () => '',
  async *receive() {
    yield ''
  },
  onInterrupt: () => () => undefined,
  command: 'reflex',
  version: '',
  machine: { node: '', system: '', home: '' },
  isAlive: () => false,
}

/** Returns `docs/commands.md`: the `--help` of the whole command and of each verb. */
export function commandPages(): string {
  const help = (...argv: string[]): string => {
    const parsed = readCommand(argv, HELP_WORLD)
    return 'text' in parsed ? `\`\`\`text\n${parsed.text.trim()}\n\`\`\`\n` : ''
  }
  const verbs = actions.map(({ name }) => `## ${name}\n\n${help(name, '--help')}`)
  return [
    '# The command',
    '',
    'Generated from `reflex --help`. Type `npx reflex` if `reflex` is not on your path.',
    '',
    help('--help'),
    EXIT_TABLE,
    ...verbs,
  ].join('\n')
}

const EXIT_TABLE = `| exit | meaning |
| --- | --- |
| 0 | done: completed, valid, nothing found |
| 1 | a negative result: the run failed or was cancelled, or the program is invalid |
| 2 | the command is wrong: unknown verb, option, run or file; nothing was changed |
| 3 | the command cannot work here: the store cannot be read, another process owns the run, the store is newer, or the disk is full |
| 70 | a bug in Reflex; the message names a report to send |
| 75 | suspended: the run waits for an answer or a time; nothing is lost |
| 130, 143 | interrupted; the run can be resumed |
`
