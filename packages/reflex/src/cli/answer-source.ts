import { faults as composition } from '../runs/faults.ts'
import type { OpenQuestion } from '../runs/handle.ts'
import type { Json } from '../kernel/index.ts'
import { autoAnswers, noAnswers, type ScriptedAnswers, scriptedAnswers } from '../people/index.ts'
import { suggest } from '../text/index.ts'
import type { Console } from './console.ts'
import { readData, type ReadFile } from './grammar.ts'

/** The source of answers to the questions of a run: a person at this terminal, or `Answers` that need nobody. */
export interface AnswerSource {
  readonly atTerminal: boolean
  readonly by: string
  answer(open: OpenQuestion): Promise<Json | undefined>
  /** Returns the names in a file of answers for which there was no question. */
  unused(): readonly string[]
}

/** The values of `--answers` besides a file name. */
export const ANSWER_MODES: readonly string[] = ['ask', 'none', 'auto']

/**
 * Returns the source that `--answers` names; the default is `ask` at a terminal, else `none`. Throws `R2031`, `R2032`
 * and `R4210`.
 */
export async function answerSourceFor(console: Console, wanted: string | undefined, read: ReadFile): Promise<AnswerSource> {
  switch (wanted) {
    case undefined:
      return fromData(noAnswers, console.isLive && console.shape === 'text')
    case 'ask':
      if (console.isLive) return fromData(noAnswers, true)
      throw composition.make('R2031', '--answers ask needs a terminal, and there is none', {
        fix: 'use --answers none, then answer with reflex answer',
      })
    case 'none':
      return fromData(noAnswers, false)
    case 'auto':
      return fromData(autoAnswers, false)
    default:
      return fromData(await readAnswers(wanted, read), false)
  }
}

async function readAnswers(name: string, read: ReadFile): Promise<ScriptedAnswers> {
  const guess = /[./\\]/.test(name) ? undefined : suggest(name, ANSWER_MODES)
  if (guess !== undefined)
    throw composition.make('R2031', `--answers ${name} is not ask, none, auto or a file; did you mean "${guess}"?`, {
      fix: `write --answers ${guess}`,
    })
  return scriptedAnswers(readData(await read(name), name, 'write {"node": answer}'), { file: name, guess: suggest })
}

function fromData(
  answers: Pick<ScriptedAnswers, 'by' | 'answer'> & Partial<Pick<ScriptedAnswers, 'unused'>>,
  atTerminal: boolean,
): AnswerSource {
  return {
    atTerminal,
    by: answers.by,
    answer: async (open) => answers.answer(open),
    unused: () => answers.unused?.() ?? [],
  }
}
