import { systemHost } from '../kernel/index.ts'
import { actions } from './actions.ts'
import { readCommand } from './command.ts'
import type { Sink, World } from './world.ts'

const SINK: Sink = { write: () => undefined, terminal: false, columns: 96 }

/** A world in which help is only read. */
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

/** docs/commands.md: what `--help` says of the whole command and of each verb. */
export function commandPages(): string {
  const help = (...argv: string[]): string => {
    const parsed = readCommand(argv, HELP_WORLD)
    return 'text' in parsed ? `\`\`\`text\n${parsed.text.trim()}\n\`\`\`\n` : ''
  }
  const verbs = actions.map(({ name }) => `## ${name}\n\n${help(name, '--help')}`)
  return [
    '# The command',
    '',
    'Made from `reflex --help`; `npx reflex` where it is not on the path.',
    '',
    help('--help'),
    EXIT_TABLE,
    ...verbs,
  ].join('\n')
}

const EXIT_TABLE = `| exit | meaning |
| --- | --- |
| 0 | done: completed, valid, nothing found |
| 1 | the answer is no: the run failed or was cancelled, the program is invalid |
| 2 | the command is wrong: unknown verb, option, run or file; nothing was done |
| 3 | it cannot work here: the store cannot be read, is held by another process, or is newer; the disk is full |
| 70 | a bug of ours, with a report to send |
| 75 | suspended: it waits for an answer or a time; nothing is lost |
| 130, 143 | interrupted; the run can be resumed |
`
