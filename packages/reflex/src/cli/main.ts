import { Console } from './console.ts'
import { EXIT } from './exit.ts'
import { exitProcess, processWorld } from './host.ts'
import { isPath } from '../app/host.ts'
import { redaction, secretsIn } from '../policy/index.ts'
import { type CommonFlags, SHAPE_FLAGS } from './options.ts'
import type { Sink, World } from './world.ts'

/** Runs the `reflex` command in this process and returns its exit code. Never rejects. */
export async function main(argv: readonly string[]): Promise<number> {
  const world = processWorld()
  const code = await runCommand(argv, world)
  // An agent that ignores its signal must not keep the process alive.
  exitProcess(code, world)
  return code
}

/** Runs a command in a given world, and hides the secrets of the environment from its output. */
export async function runCommand(argv: readonly string[], given: World): Promise<number> {
  const world = withoutSecrets(given)
  let console = new Console(world, flagsOf(argv))
  try {
    if (isVersionRequest(argv)) return printVersion(console)
    if (argv[0] === 'completion' && argv[2] === '--') {
      const { complete } = await import('./verbs/completion.ts')
      return await complete(console, argv.slice(3))
    }
    const { readCommand } = await import('./command.ts')
    const parsed = readCommand(argv, world)
    if ('text' in parsed) {
      if (console.shape === 'text') world.out.write(parsed.text)
      else console.document(parsed.document)
      return EXIT.done
    }
    console = new Console(world, parsed.flags)
    return await parsed.perform(console)
  } catch (thrown) {
    const { printFailure } = await import('./failure.ts')
    return printFailure(console, thrown)
  }
}

/** True if only the version is asked for; then nothing else of the command is loaded. */
function isVersionRequest(argv: readonly string[]): boolean {
  const [word, ...others] = argv.filter((one) => !SHAPE_FLAGS.includes(one))
  return others.length === 0 && ['-V', '--version', 'version'].includes(word ?? '')
}

function printVersion(console: Console): number {
  const { world } = console
  if (console.shape === 'text') world.out.write(`reflex ${world.version}\n`)
  else console.document({ v: 1, version: world.version })
  return EXIT.done
}

/** Hides secrets in the output. Records contain none; this protects text that never was a record. */
function withoutSecrets(world: World): World {
  const hidden = redaction(secretsIn(world.surroundings.environment, isPath))
  if (hidden === undefined) return world
  const redactingSink = (sink: Sink): Sink => ({
    write: (text) => sink.write(hidden.text(text)),
    terminal: sink.terminal,
    get columns() {
      return sink.columns
    },
  })
  return { ...world, out: redactingSink(world.out), err: redactingSink(world.err) }
}

/** Reads the flags that decide the shape of an error message, for a command line that cannot be parsed. */
function flagsOf(argv: readonly string[]): CommonFlags {
  return { json: argv.includes('--json'), jsonl: argv.includes('--jsonl'), color: !argv.includes('--no-color') }
}
