import { plainJson } from '../../protocol/plain.ts'
import type { OpenQuestion, RunHandle } from '../../runs/handle.ts'
import { equalJson, isFault, isObject, type Json, keptRecords, readRecords } from '../../kernel/index.ts'
import type { Session } from '../session.ts'
import { faults } from '../../runs/faults.ts'
import { checkAnswer } from '../../runs/runtime-questions.ts'
import { shortJson } from '../../text/index.ts'
import { driveRun } from '../drive-run.ts'
import { CLUSTER_CONTINUES, followHint } from '../ending.ts'
import { EXIT } from '../exit.ts'
import { readAnswer } from '../grammar.ts'
import { commandHint, factLine } from '../layout.ts'
import type { ContinueFlags } from '../options.ts'
import { hasWorkers } from '../run-wait.ts'

export interface AnswerFlags extends ContinueFlags {
  readonly reason?: string
  /** False after `--no-run`. */
  readonly run?: boolean
}

/** An answer with its question and its author. */
interface GivenAnswer {
  readonly question: OpenQuestion
  readonly value: Json
  readonly by: string
  readonly reason?: string
}

/** `reflex answer RUN [QUESTION] VALUE`: records the answer, then continues the run, unless another process owns it or a cluster continues it. */
export async function answer(session: Session, words: readonly string[], flags: AnswerFlags): Promise<number> {
  if (words.length > 3)
    throw faults.make('R2031', `answer takes RUN [QUESTION] VALUE, and here are ${words.length} words`, {
      fix: 'put the answer in quotes',
    })
  return answerAt(session, words.slice(0, -1).join('/'), words.at(-1) ?? '', flags)
}

/** Answers a question by its address. */
export async function answerAt(session: Session, address: string, word: string, flags: AnswerFlags): Promise<number> {
  const { console, reflex, read } = session
  const question = await reflex.question(address)
  const value = checkAnswer(question, await readAnswer(word, read))
  const reply: GivenAnswer = { question, value, by: reflex.actor, ...(flags.reason === undefined ? {} : { reason: flags.reason }) }
  const { owner, program } = await reflex.find(question.run)
  if (!reflex.kinds.isHosted(program[1]) && (await hasWorkers(reflex)))
    return postAnswer(session, reply, { isHeld: owner !== null, taker: CLUSTER_CONTINUES, next: followHint(console, question.run) })
  if (flags.run !== false) return answerAndContinue(session, reply, flags)
  return postAnswer(session, reply, { next: commandHint(console.err, 'continue', console.command('resume', question.run)) })
}

async function answerAndContinue(session: Session, reply: GivenAnswer, flags: AnswerFlags): Promise<number> {
  const { reflex } = session
  const { question, value, by, reason } = reply
  try {
    return await driveRun(session, flags, {
      open: (prepare) => reflex.resume(question.run, { prepare }),
      header: (handle) => printRecorded(session, reply, handle),
      beforeContinue: async (handle) => void (await handle.answer(question, value, by, reason)),
      documentFields: { answered: { question: question.id, value, by, ...(reason === undefined ? {} : { reason }) } },
    })
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    // Another answer came first and the run ended. The reason why the question is closed explains more than the end of
    // the run.
    if (thrown.code === 'R2001') await reflex.question(question.id)
    if (thrown.code === 'R5001') return postAnswer(session, reply, { isHeld: true, taker: `${thrown.message}, which will take it` })
    const { program } = await reflex.find(question.run)
    if (!reflex.kinds.isHosted(program[1])) throw thrown
    // Only the code that began the run can continue it, and takes the answer then.
    const { err } = session.console
    return postAnswer(session, reply, thrown.fix === undefined ? {} : { next: commandHint(err, 'continue', thrown.fix) })
  }
}

/** The process that takes an answer from the inbox of a run. */
interface Taker {
  /** True if a process owns the run: it takes the answer at once. */
  readonly isHeld?: boolean
  /** Its name for people. Absent: the user must start one. */
  readonly taker?: string
  /** The line with the next command. */
  readonly next?: string
}

/** Posts an answer to the inbox of the run. The process that owns the run takes it, unless the question is closed by then. */
async function postAnswer(session: Session, reply: GivenAnswer, { isHeld = false, taker, next }: Taker): Promise<number> {
  const { console, reflex } = session
  const { question, value, ...author } = reply
  const { by } = author
  const { message } = await reflex.answer(question.id, value, { ...author, run: false })
  const outcome = !isHeld || message === undefined ? 'waits' : await awaitAnswer(session, question, message)
  // The question is closed; this call throws the fault that says why.
  if (outcome === 'late') await reflex.question(question.id)
  if (console.shape !== 'text')
    console.document(plainJson({ v: 1, answered: { question: question.id, value, ...author }, inbox: outcome !== 'taken' }))
  else if (!console.quiet) {
    const name = console.err.text(question.id)
    const isTaken = outcome === 'taken'
    const where = isTaken ? 'recorded by the process that owns the run' : 'in its inbox'
    const rest = isTaken || taker === undefined ? [] : [taker]
    console.report(factLine(name, name, [`${shortJson(value)}, by ${by}, ${where}`, ...rest], console.err))
    if (next !== undefined) console.report([next])
  }
  return EXIT.done
}

/** Prints the answer as soon as it is durable, before the records that follow from it. */
function printRecorded({ console }: Session, { question, value, by }: GivenAnswer, handle: RunHandle): void {
  if (console.shape !== 'text' || console.quiet) return
  const stop = handle.onLine(({ n, event }) => {
    // Another person's answer may be recorded before this one.
    if (event.mark !== 'answer' || event.facts?.['by'] !== by || !equalJson(event.facts['answer'], value)) return
    stop()
    const shown = typeof value === 'string' && value.length <= 60 ? value : shortJson(value, 60)
    const name = console.err.text(question.id)
    console.report(factLine(name, name, [`${shown}, by ${by}, recorded @${n}`], console.err))
  })
}

/** The longest wait in milliseconds: the process that owns a run reads its inbox about once a second. */
const LONGEST_WAIT = 3000
const CHECK_INTERVAL = 100

/**
 * Waits for an answer in the inbox of a run that another process owns. Returns `taken` if the answer is recorded,
 * `late` if something else closed the question first, and `waits` if the owner has not read it yet.
 */
async function awaitAnswer(session: Session, question: OpenQuestion, message: string): Promise<'taken' | 'late' | 'waits'> {
  const { host } = session.console.world.surroundings
  const until = host.now() + LONGEST_WAIT
  while (await isOpen(session, question)) {
    if (host.now() >= until) return 'waits'
    await new Promise<void>((resolve) => void host.at(host.now() + CHECK_INTERVAL, resolve))
  }
  // The record that takes a message and its removal from the inbox are one commit.
  const isInInbox = (await session.reflex.store.inbox(question.run)).some(({ id }) => id === message)
  return isInInbox || (await isRefused(session, question, message)) ? 'late' : 'taken'
}

async function isOpen({ reflex }: Session, { run, wait }: OpenQuestion): Promise<boolean> {
  const row = (await reflex.store.read(run, 0))?.row
  return row !== undefined && (row.status === 'running' || row.status === 'suspended') && row.waits.some(({ id }) => String(id) === wait)
}

/** True if a record after the question has refused the answer. */
async function isRefused({ reflex }: Session, { run, wait }: OpenQuestion, message: string): Promise<boolean> {
  const { first } = await keptRecords(reflex.store, run)
  for await (const [, { input }] of readRecords(reflex.store, run, Math.max(first, Number.parseInt(wait, 10))))
    if (input?.[0] === 'kernel' && input[1] === 'refused' && isObject(input[2]) && input[2].id === message) return true
  return false
}
