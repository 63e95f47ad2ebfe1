import type { OpenQuestion, RunHandle } from '../runs/handle.ts'
import type { JsonObject } from '../kernel/index.ts'
import { type Answering, answeringFor } from './answering.ts'
import { carryOn } from './carry.ts'
import { tellEnding, type Waited } from './ending.ts'
import type { CarryFlags } from './options.ts'
import { effectsUnderWay, followEffects, tellRepeated } from './effects.ts'
import { type Progress, progressFor } from './progress.ts'
import type { About } from './running.ts'
import { RecordWriter } from './records.ts'
import type { Session } from './session.ts'
import { Follower } from './follower.ts'
import { addUsed, nothingSpent, type Spent } from './spent.ts'

/** What a command does around the run that it carries on. */
export interface Conduct {
  /** Starts or opens the run; `prepare` must be handed on, so that nothing is missed. */
  readonly open: (prepare: (handle: RunHandle) => void) => Promise<RunHandle>
  /** Says what the run is, before its first line. */
  readonly header: (handle: RunHandle) => void
  /** Does something to the run once it is at rest, before it is carried on. */
  readonly first?: (handle: RunHandle) => Promise<void>
  /** More for the document of `--json`. */
  readonly more?: JsonObject
}

/** Opens a run, shows it, asks its questions, and says how it was left. */
export async function conduct(session: Session, flags: CarryFlags, { open, header, first, more }: Conduct): Promise<number> {
  const { console, reflex, readDeciding } = session
  const answering: Answering = await answeringFor(console, flags.answers, readDeciding)
  const progress = progressFor(console)
  const follower = new Follower()
  const waited: Waited = { since: console.now, ms: 0, by: new Set(), spent: follower.total }
  const before = nothingSpent()
  let opened = 0
  const handle = await open((made) => {
    opened = made.run.state.n
    const underWay = effectsUnderWay(session, made)
    whenStarted(made, () => {
      header(made)
      tellRepeated(console, underWay)
      progress.begun({ ...aboutOf(session, made), before })
    })
    listen(session, made, progress, follower, waited)
    followEffects(session, made)
  })
  if (opened > 0) await addSpent(session, handle, opened, [before, follower.total])
  await first?.(handle)
  const left = await carryOn({ console, handle, progress, answering, actor: reflex.actor, effects: () => effectsUnderWay(session, handle) })
  const goOn = handle.status === 'failed' ? await reflex.runtime.forkPoint(handle.id).catch(() => undefined) : undefined
  const code = tellEnding(console, handle, left, { waited, goOn, more: goOn === undefined ? more : { ...more, goOn } })
  const unused = typeof left === 'object' ? [] : answering.unused()
  if (unused.length > 0 && console.shape === 'text')
    console.tell([console.err.text(`${answering.by} has answers that nothing asked for: ${unused.join(', ')}`)])
  return code
}

/** Adds what the run spent up to a record, before this process continued it. What a fork shares was spent by its source. */
async function addSpent({ reflex }: Session, { id, run }: RunHandle, last: number, totals: readonly Spent[]): Promise<void> {
  const [, shared = 0] = run.state.start?.fork ?? []
  const { lines } = await reflex.trace(id)
  for (const { n, event } of lines) if (n > shared && n <= last) for (const total of totals) addUsed(total, event)
}

/** A run that is being started knows nothing of itself before its first record. */
function whenStarted(handle: RunHandle, tell: () => void): void {
  if (handle.run.state.start !== undefined) return tell()
  const stop = handle.onRecord(() => {
    stop()
    tell()
  })
}

/** What progress says of the whole. */
function aboutOf({ console, reflex }: Session, { run, definitions }: RunHandle): Omit<About, 'before'> {
  const { kind, def } = definitions.program(run.state.root.pin)
  return { since: console.now, graph: definitions.kind(kind).graph?.(def), limits: reflex.keeps(run).limits ?? {} }
}

function listen({ console }: Session, handle: RunHandle, progress: Progress, follower: Follower, waited: Waited): void {
  if (console.shape === 'jsonl') {
    const { state } = handle.run
    const writer = new RecordWriter(
      handle.id,
      state.pins.map(([name]) => name),
      state.time,
    )
    handle.onRecord((record, n) => console.document(writer.document(record, n)))
  }
  handle.onLine((line) => {
    follower.follow(line)
    const answered = line.event.mark === 'answer' ? follower.answerTo(line) : undefined
    if (answered !== undefined) {
      waited.ms += answered.took
      if (answered.by !== undefined) waited.by.add(answered.by)
    }
    progress.line(line)
  })
}

/** Answers the failures that stopped a run with nothing, so that each is tried again once. */
export async function retryFailures(handle: RunHandle, actor: string): Promise<void> {
  const failed: OpenQuestion[] = handle.questions.filter(({ asker }) => asker === 'retry')
  for (const question of failed) await handle.answer(question, null, actor)
}
