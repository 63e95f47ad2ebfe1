import { faults } from '../../runs/faults.ts'
import { didYouMean, quote, suggest } from '../../text/index.ts'
import { candidatesFor } from '../completion/candidates.ts'
import { SCRIPTS, SHELLS } from '../completion/scripts.ts'
import { sourcesOf } from '../completion/sources.ts'
import { Console } from '../console.ts'
import { EXIT } from '../exit.ts'

/** `reflex completion SHELL`: prints the script that completes the command in a shell. Throws `R2031`. */
export function completion(console: Console, name: string): number {
  const shell = SHELLS.find((one) => one === name)
  if (shell === undefined) {
    const hint = didYouMean(suggest(name, SHELLS))
    throw faults.make('R2031', `no completion for the shell ${quote(name)}${hint === undefined ? '' : `; ${hint}`}`, {
      fix: `name one of ${SHELLS.join(', ')}`,
    })
  }
  if (console.shape === 'text') console.world.out.write(SCRIPTS[shell])
  else console.document({ v: 1, shell, script: SCRIPTS[shell] })
  return EXIT.done
}

/**
 * `reflex completion SHELL -- WORD...`, as the scripts call it: prints a line for each word that can stand in the place
 * of the last one. Never fails, because the person is still typing.
 */
export async function complete({ world }: Console, words: readonly string[]): Promise<number> {
  const at = words.indexOf('--store')
  const store = at < 0 || at === words.length - 1 ? undefined : words[at + 1]
  const silent = { write: () => undefined, terminal: false, columns: undefined }
  const console = new Console({ ...world, err: silent }, { quiet: true, ...(store === undefined ? {} : { store }) })
  try {
    const found = await candidatesFor(words, sourcesOf(console))
    world.out.write(found.map(([word, about]) => `${word}\t${about}\n`).join(''))
  } catch {
    // Words that cannot be looked up are not offered.
  }
  return EXIT.done
}
