import { readCommand } from './command.ts'
import { Console } from './console.ts'
import { EXIT } from './exit.ts'
import { tellFailure } from './failure.ts'
import { leave, processWorld } from './host.ts'
import type { CommonFlags } from './options.ts'
import type { World } from './world.ts'

/** Runs the `reflex` command in this process and gives its exit code. Never rejects. */
export async function main(argv: readonly string[]): Promise<number> {
  const world = processWorld()
  const code = await runCommand(argv, world)
  // An agent that ignores its signal must not keep the process.
  leave(code, world)
  return code
}

/** Runs a command in a world of its own. */
export async function runCommand(argv: readonly string[], world: World): Promise<number> {
  let console = new Console(world, flagsOf(argv))
  try {
    const asked = readCommand(argv, world)
    if ('text' in asked) {
      if (console.shape === 'text') world.out.write(asked.text)
      else console.document(asked.document)
      return EXIT.done
    }
    console = new Console(world, asked.flags)
    return await asked.perform(console)
  } catch (thrown) {
    return tellFailure(console, thrown)
  }
}

/** How to speak about a command line that cannot be read. */
function flagsOf(argv: readonly string[]): CommonFlags {
  return { json: argv.includes('--json'), jsonl: argv.includes('--jsonl'), color: !argv.includes('--no-color') }
}
