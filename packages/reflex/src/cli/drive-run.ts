import { RecordWriter } from '../protocol/record-document.ts'
import type { OpenQuestion, RunHandle } from '../runs/handle.ts'
import type { JsonObject } from '../kernel/index.ts'
import { type AnswerSource, answerSourceFor } from './answer-source.ts'
import { continueRun, type RunExit } from './continue-run.ts'
import { printEnding, type WaitTotals } from './ending.ts'
import type { ContinueFlags } from './options.ts'
import { pendingEffects, followEffects, printRepeated } from './effects.ts'
import { type Progress, progressFor } from './progress.ts'
import type { ProgressFacts } from './running-rows.ts'
import { sayWaits } from './run-wait.ts'
import type { Session } from './session.ts'
import { Follower } from './follower.ts'
import type { StoryLine } from '../history/trace.ts'
import { usageOfRun } from './model-usage.ts'

/** The steps that a command adds around a run that it continues. */
export interface RunHooks {
  /** Starts or opens the run. It must pass `prepare` on, so that no record is missed. */
  readonly open: (prepare: (handle: RunHandle) => void) => Promise<RunHandle>
  /** Prints a description of the run, before its first line. */
  readonly header: (handle: RunHandle) => void
  /** Changes the run once it is idle, before it is continued. */
  readonly beforeContinue?: (handle: RunHandle, progress: Progress) => Promise<void>
  /** Returns false for a line of the story that a picture on the terminal replaces. */
  readonly isShown?: (line: StoryLine) => boolean
  /** Additional fields for the document of `--json`. */
  readonly documentFields?: JsonObject
}

/** Opens a run, shows it, asks its questions, and prints its result. Returns the exit code. */
export async function driveRun(
  session: Session,
  flags: ContinueFlags,
  { open, header, beforeContinue, isShown, documentFields }: RunHooks,
): Promise<number> {
  const { console, reflex, readDecisionFile } = session
  const answering: AnswerSource = await answerSourceFor(console, flags.answers, readDecisionFile)
  const progress = progressFor(console)
  const follower = new Follower()
  const waited: WaitTotals = { since: console.now, ms: 0, by: new Set() }
  const handle = await open((made) => {
    const openEffects = pendingEffects(session, made)
    whenStarted(made, () => {
      header(made)
      printRepeated(console, openEffects)
      progress.begin(progressFactsOf(session, made))
    })
    const shown = console.isLive ? isShown : undefined
    followRun(session, made, { progress, follower, waited, isShown: shown })
    followEffects(session, made)
  })
  const stopSaying = handle.isFollowed ? sayWaits(session, handle, progress) : undefined
  let left: RunExit
  try {
    await beforeContinue?.(handle, progress)
    left = await continueRun({
      console,
      handle,
      progress,
      answering,
      actor: reflex.actor,
      effects: () => pendingEffects(session, handle),
    })
  } finally {
    stopSaying?.()
  }
  const forkAddress = handle.status === 'failed' ? await reflex.runtime.forkPoint(handle.id).catch(() => undefined) : undefined
  const code = printEnding(console, handle, left, {
    waited,
    forkAddress,
    inCluster: handle.isFollowed && (await reflex.useCluster(async () => true).catch(() => false)) === true,
    more: forkAddress === undefined ? documentFields : { ...documentFields, goOn: forkAddress },
  })
  const unused = typeof left === 'object' ? [] : answering.unused()
  if (unused.length > 0 && console.shape === 'text')
    console.report([console.err.text(`${answering.by} has answers for which there was no question: ${unused.join(', ')}`)])
  return code
}

/** Calls back after the first record: a run that is being started knows nothing about itself before. */
function whenStarted(handle: RunHandle, callback: () => void): void {
  if (handle.run.state.start !== undefined) return callback()
  const stop = handle.onRecord(() => {
    stop()
    callback()
  })
}

/** Returns the facts about the whole run that progress shows. */
function progressFactsOf({ console }: Session, handle: RunHandle): ProgressFacts {
  const { run, definitions } = handle
  const { kind, def } = definitions.program(run.state.root.pin)
  const view = definitions.view(kind)
  const stateFacts = (): Pick<ProgressFacts, 'picture' | 'soFar' | 'graph'> => {
    if (view.picture !== undefined) return { picture: (now) => handle.picture(now) }
    return view.soFar === undefined ? { graph: view.graph?.(def) } : { soFar: () => view.soFar?.(def, run.state.root) ?? [] }
  }
  return {
    since: console.now,
    isFollowed: handle.isFollowed,
    usage: () => usageOfRun(run),
    ...stateFacts(),
    limits: run.settings.limits ?? {},
  }
}

interface Followed {
  readonly progress: Progress
  readonly follower: Follower
  readonly waited: WaitTotals
  readonly isShown: RunHooks['isShown']
}

function followRun({ console }: Session, handle: RunHandle, { progress, follower, waited, isShown }: Followed): void {
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
    if (isShown?.(line) !== false) progress.line(line)
  })
}

/** Answers each failure that stopped a run with null, so that each node is tried once more. */
export async function retryFailures(handle: RunHandle, actor: string): Promise<void> {
  const failed: OpenQuestion[] = handle.questions.filter(({ asker }) => asker === 'retry')
  for (const question of failed) await handle.answer(question, null, actor)
}
