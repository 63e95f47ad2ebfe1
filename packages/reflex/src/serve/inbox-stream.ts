import type { Reflex } from '../app/reflex.ts'
import { type JsonObject, keptRecords } from '../kernel/index.ts'
import type { StreamedEvent } from '../programs/route.ts'
import { questionDocument } from '../protocol/documents.ts'
import { questionsOf } from '../runs/handle.ts'
import { openQuestions } from './run-fold.ts'
import type { Pages, StreamedRecord } from './pages.ts'
import { streamId, type StreamPosition } from './stream-id.ts'

/**
 * Yields the open questions of all runs and the end of this list, then each question that is opened or closed, without an end. From a
 * position on, yields only what changed after it. Throws `R6030`.
 */
export async function* inboxEvents(
  { reflex, pages }: { readonly reflex: Reflex; readonly pages: Pages },
  from: StreamPosition | undefined,
  follow: (from: StreamPosition) => AsyncGenerator<StreamedRecord | string>,
): AsyncGenerator<StreamedEvent> {
  let start = from
  if (start === undefined) {
    const { place, questions } = await openQuestionsNow(reflex, pages)
    for (const data of questions) yield { event: 'question', data }
    start = { place }
    yield { id: streamId(start), event: 'inbox', data: { v: 1, questions: questions.length } }
  }
  for await (const found of follow(start)) {
    if (typeof found === 'string') yield { id: found }
    else yield* questionEvents(found)
  }
}

/** Returns the events of a record. Only the last one has an id: a client that missed one of them gets all of them again. */
function questionEvents({ id, opened, closed, failure, data }: StreamedRecord): StreamedEvent[] {
  const events: StreamedEvent[] = [
    ...closed.map((one): StreamedEvent => ({ event: 'answered', data: one })),
    ...opened.map((one): StreamedEvent => ({ event: 'question', data: one })),
    ...(failure === undefined ? [] : [{ event: 'unreadable', data }]),
  ]
  return events.map((event, i) => (i === events.length - 1 ? { id, ...event } : event))
}

/** Returns the open questions as they were at a place of the store, the oldest first. */
async function openQuestionsNow(
  reflex: Reflex,
  pages: Pages,
): Promise<{ readonly place: string; readonly questions: readonly JsonObject[] }> {
  const { store } = reflex
  const place = await pages.end()
  const rows = await store.runs({ status: ['suspended', 'running'] })
  // The rows may be later than the place: runs that changed since are read as they were.
  const changed = new Map<string, number>()
  for (const { run, first } of (await pages.batches(place)).batches) if (!changed.has(run)) changed.set(run, first)
  const questions = rows
    .filter(({ id }) => !changed.has(id))
    .flatMap(({ id, waits, program }) => questionsOf(id, waits, program).map(questionDocument))
  for (const [run, first] of changed) {
    if (first === 1 || (await keptRecords(store, run)).first === first) continue
    // A run that cannot be read is reported when its records are.
    const peek = await reflex.runtime.peek(run, first - 1).catch(() => undefined)
    if (peek !== undefined) questions.push(...openQuestions(run, { ...peek, definitions: reflex.programsOf(peek.state) }).values())
  }
  return { place, questions: questions.sort((a, b) => askedAt(a) - askedAt(b)) }
}

function askedAt({ since }: JsonObject): number {
  return typeof since === 'string' ? Date.parse(since) : 0
}
