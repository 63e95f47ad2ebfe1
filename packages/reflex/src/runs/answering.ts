import { faults } from './faults.ts'
import { findRun } from './find-run.ts'
import { type ListenOptions, type OpenQuestion, questionsOf, type RunHandle } from './handle.ts'
import {
  type ClosedWait,
  closedWaitText,
  type Fault,
  faults as kernelFaults,
  Journals,
  Programs,
  searchClosedWait,
  type Store,
} from '../kernel/index.ts'

/** Options for an answer. */
export interface AnswerOptions extends ListenOptions {
  /** The name of the person who answers, for the journal. */
  readonly by?: string
  /** The reason for the answer, for the journal: at most 10,000 characters. */
  readonly reason?: string
  /** True: the answer is text from outside, and not the operator's. It gets its label. */
  readonly outside?: boolean
  /** False: only adds the answer to the inbox. */
  readonly run?: boolean
}

/** The result of an answer: a record of a run that this process owns now, or a message in the inbox. */
export interface AnswerResult {
  readonly question: OpenQuestion
  readonly record?: number
  readonly handle?: RunHandle
  readonly message?: string
}

/** Returns the one open question at an address: `otter-2m9q/q1`, or a run that has one question. Throws `R2002`, `R2016` and `R2020`. */
export async function findQuestion({ store }: { readonly store: Store }, address: string): Promise<OpenQuestion> {
  const slash = address.indexOf('/')
  const name = slash < 0 ? undefined : address.slice(slash + 1)
  const { id: run, waits } = await findRun(store, slash < 0 ? address : address.slice(0, slash))
  const open = questionsOf(run, waits)
  if (name === undefined) {
    const [single] = open
    if (single !== undefined && open.length === 1) return single
    throw faults.make('R2020', `${run} has ${open.length === 0 ? 'no open question' : `${open.length} open questions`}`, {
      run,
      fix: answerFix(run, open),
    })
  }
  const found = open.find(({ id, wait, path }) => id === `${run}/${name}` || wait === name || path === name)
  if (found !== undefined) return found
  throw notOpen(run, name, await closedQuestion(store, run, name), answerFix(run, open))
}

/** Returns `R2002` for an answer that came after another one, or after the question was closed. */
export function lostAnswer({ run, id }: Pick<OpenQuestion, 'run' | 'id'>, closed: ClosedWait | undefined): Fault {
  return notOpen(run, id.slice(run.length + 1), closed, answerFix(run, []))
}

function notOpen(run: string, name: string, closed: ClosedWait | undefined, fix: string): Fault {
  return kernelFaults.make('R2002', `${run} has no open question ${name}${closedWaitText(closed)}`, {
    run,
    fix,
    ...(closed === undefined ? {} : { data: { closed: closed.record } }),
  })
}

/** Returns the record that closed a question, by its number as `q1` or its name in the journal; undefined if no record of the journal tells. */
export async function closedQuestion(store: Store, run: string, name: string): Promise<ClosedWait | undefined> {
  try {
    const journals = new Journals(store, new Programs())
    return await searchClosedWait(journals, run, ({ id, number }) => `q${number}` === name || String(id) === name)
  } catch {
    // Without the journal, the fault does not say what closed the question.
    return undefined
  }
}

function answerFix(run: string, open: readonly OpenQuestion[]): string {
  return open.length === 0 ? `reflex show ${run}` : `answer one of ${open.map(({ id }) => id).join(', ')}`
}
