import { faults } from '../../runs/faults.ts'
import type { OpenQuestion, RunHandle } from '../../runs/handle.ts'
import { answerTo } from '../../runs/own-questions.ts'
import { equalJson, isFault, type Json } from '../../kernel/index.ts'
import { brief } from '../../text/index.ts'
import { conduct } from '../conduct.ts'
import { plain } from '../run-document.ts'
import { EXIT } from '../exit.ts'
import { readAnswer } from '../grammar.ts'
import { factLine, way } from '../layout.ts'
import type { CarryFlags } from '../options.ts'
import type { Session } from '../session.ts'
import { becameOf } from '../taken.ts'

export interface AnswerFlags extends CarryFlags {
  /** False after `--no-run`. */
  readonly run?: boolean
}

/** What is answered, with what. */
interface Reply {
  readonly question: OpenQuestion
  readonly value: Json
  readonly by: string
}

/** `reflex answer RUN [QUESTION] VALUE`: records first, then carries the run on, unless somebody else does. */
export async function answer(session: Session, words: readonly string[], flags: AnswerFlags): Promise<number> {
  if (words.length > 3)
    throw faults.make('R2031', `answer takes a run, perhaps a question, and one answer; here are ${words.length} words`, {
      fix: 'put the answer in quotes',
    })
  return answerAt(session, words.slice(0, -1).join('/'), words.at(-1) ?? '', flags)
}

/** Answers a question by its address. */
export async function answerAt(session: Session, address: string, word: string, flags: AnswerFlags): Promise<number> {
  const { reflex, read } = session
  const question = await reflex.question(address)
  const value = answerTo(question, await readAnswer(word, read))
  const reply: Reply = { question, value, by: reflex.actor }
  return flags.run === false ? post(session, reply, undefined) : carry(session, reply, flags)
}

async function carry(session: Session, reply: Reply, flags: AnswerFlags): Promise<number> {
  const { reflex } = session
  const { question, value, by } = reply
  try {
    return await conduct(session, flags, {
      open: (prepare) => reflex.resume(question.run, { prepare }),
      header: (handle) => tellRecorded(session, reply, handle),
      first: async (handle) => void (await handle.answer(question, value, by)),
      more: { answered: { question: question.id, value, by } },
    })
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    // Somebody was first, and the run went on to its end: what closed the question says more than that it has ended.
    if (thrown.code === 'R2001') await reflex.question(question.id)
    if (thrown.code !== 'R5001') throw thrown
    return post(session, reply, thrown.message)
  }
}

/** Into the inbox of the run: whoever holds it takes it from there, unless something else has closed the question by then. */
async function post(session: Session, { question, value, by }: Reply, held: string | undefined): Promise<number> {
  const { console, reflex } = session
  const { message } = await reflex.answer(question.id, value, { by, run: false })
  const became = held === undefined || message === undefined ? 'waits' : await becameOf(session, question, message)
  // It is open no more, and this says what closed it.
  if (became === 'late') await reflex.question(question.id)
  if (console.shape !== 'text') console.document(plain({ v: 1, answered: { question: question.id, value, by }, inbox: became !== 'taken' }))
  else if (!console.quiet) {
    const name = console.err.text(question.id)
    const where =
      became === 'taken'
        ? ['recorded by who holds the run']
        : ['in its inbox', ...(held === undefined ? [] : [`${held}, which takes it up`])]
    const [first = '', ...rest] = where
    console.tell(factLine(name, name, [`${brief(value)}, by ${by}, ${first}`, ...rest], console.err))
    if (held === undefined) console.tell([way(console.err, 'go on', console.command('resume', question.run))])
  }
  return EXIT.done
}

/** Says so as soon as the answer is durable, before anything that follows from it. */
function tellRecorded({ console }: Session, { question, value, by }: Reply, handle: RunHandle): void {
  if (console.shape !== 'text' || console.quiet) return
  const stop = handle.onLine(({ n, event }) => {
    // The answer of somebody who was first may be recorded before this one.
    if (event.mark !== 'answer' || event.facts?.['by'] !== by || !equalJson(event.facts['answer'], value)) return
    stop()
    const said = typeof value === 'string' && value.length <= 60 ? value : brief(value, 60)
    const name = console.err.text(question.id)
    console.tell(factLine(name, name, [`${said}, by ${by}, recorded @${n}`], console.err))
  })
}
