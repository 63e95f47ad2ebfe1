import { faults } from './faults.ts'
import { findRun } from './finding.ts'
import { type Listening, type OpenQuestion, questionsOf, type RunHandle } from './handle.ts'
import { type Closing, closingRecord, closingText, faults as kernelFaults, type Runtime, type Store } from '../kernel/index.ts'

/** How a question is answered. */
export interface AnswerOptions extends Listening {
  /** Who answers, for the journal. */
  readonly by?: string
  /** False: only record the answer, in the inbox. */
  readonly run?: boolean
}

/** What became of an answer: a record of a run that this process holds now, or a message in the inbox. */
export interface Answered {
  readonly question: OpenQuestion
  readonly record?: number
  readonly handle?: RunHandle
  readonly message?: string
}

/** The one open question that an address names: `otter-2m9q/q1`, or a run with one question. Throws `R2002`, `R2016` and `R2020`. */
export async function findQuestion(
  { store, runtime }: { readonly store: Store; readonly runtime: Runtime },
  address: string,
): Promise<OpenQuestion> {
  const slash = address.indexOf('/')
  const name = slash < 0 ? undefined : address.slice(slash + 1)
  const { id: run, waits } = await findRun(store, slash < 0 ? address : address.slice(0, slash))
  const open = questionsOf(run, waits)
  if (name === undefined) {
    const [only] = open
    if (only !== undefined && open.length === 1) return only
    throw faults.make('R2020', `${run} has ${open.length === 0 ? 'no open question' : `${open.length} open questions`}`, {
      run,
      fix: openFix(run, open),
    })
  }
  const found = open.find(({ id, wait, path }) => id === `${run}/${name}` || wait === name || path === name)
  if (found !== undefined) return found
  const closed = await closedBy(runtime, run, name)
  throw kernelFaults.make('R2002', `${run} has no open question ${name}${closingText(closed)}`, {
    run,
    fix: openFix(run, open),
    ...(closed === undefined ? {} : { data: { closed: closed.record } }),
  })
}

async function closedBy(runtime: Runtime, run: string, name: string): Promise<Closing | undefined> {
  try {
    return closingRecord(await runtime.journal(run), ({ id, number }) => `q${number}` === name || String(id) === name)
  } catch {
    // The refusal stands, with less to say.
    return undefined
  }
}

function openFix(run: string, open: readonly OpenQuestion[]): string {
  return open.length === 0 ? `reflex show ${run}` : `answer one of ${open.map(({ id }) => id).join(', ')}`
}
