import { Console } from './console.ts'
import { EXIT } from './exit.ts'
import { leave, processWorld } from './host.ts'
import { isPath } from '../app/host.ts'
import { redaction, secretsIn } from '../policy/index.ts'
import { type CommonFlags, SHAPES } from './options.ts'
import type { Sink, World } from './world.ts'

/** Runs the `reflex` command in this process and gives its exit code. Never rejects. */
export async function main(argv: readonly string[]): Promise<number> {
  const world = processWorld()
  const code = await runCommand(argv, world)
  // An agent that ignores its signal must not keep the process.
  leave(code, world)
  return code
}

/** Runs a command in a world of its own, to which no secret of the environment is shown. */
export async function runCommand(argv: readonly string[], given: World): Promise<number> {
  const world = withoutSecrets(given)
  let console = new Console(world, flagsOf(argv))
  try {
    if (asksVersion(argv)) return tellVersion(console)
    if (argv[0] === 'completion' && argv[2] === '--') {
      const { complete } = await import('./verbs/completion.ts')
      return await complete(console, argv.slice(3))
    }
    const { readCommand } = await import('./command.ts')
    const asked = readCommand(argv, world)
    if ('text' in asked) {
      if (console.shape === 'text') world.out.write(asked.text)
      else console.document(asked.document)
      return EXIT.done
    }
    console = new Console(world, asked.flags)
    return await asked.perform(console)
  } catch (thrown) {
    const { tellFailure } = await import('./failure.ts')
    return tellFailure(console, thrown)
  }
}

/** The version alone loads nothing else of the command. */
function asksVersion(argv: readonly string[]): boolean {
  const [word, ...others] = argv.filter((one) => !SHAPES.includes(one))
  return others.length === 0 && ['-V', '--version', 'version'].includes(word ?? '')
}

function tellVersion(console: Console): number {
  const { world } = console
  if (console.shape === 'text') world.out.write(`reflex ${world.version}\n`)
  else console.document({ v: 1, version: world.version })
  return EXIT.done
}

/** What is recorded has lost its secrets already; this is the last door, for what never was a record. */
function withoutSecrets(world: World): World {
  const hidden = redaction(secretsIn(world.surroundings.environment, isPath))
  if (hidden === undefined) return world
  const hiding = (sink: Sink): Sink => ({
    write: (text) => sink.write(hidden.text(text)),
    terminal: sink.terminal,
    get columns() {
      return sink.columns
    },
  })
  return { ...world, out: hiding(world.out), err: hiding(world.err) }
}

/** How to speak about a command line that cannot be read. */
function flagsOf(argv: readonly string[]): CommonFlags {
  return { json: argv.includes('--json'), jsonl: argv.includes('--jsonl'), color: !argv.includes('--no-color') }
}
