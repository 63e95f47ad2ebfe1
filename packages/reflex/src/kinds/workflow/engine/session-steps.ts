import { copyJson, type Json, type FaultData } from '../../../kernel/index.ts'
import { objectOf } from '../model/compile.ts'
import { EngineError } from '../step/engine-error.ts'
import { errorOf } from './events.ts'
import type { Handlers } from './handlers.ts'
import type { WorkflowCommand } from '../step/kind.ts'
import { isFailure } from '../step/run-faults.ts'
import { isBlocked, type Session } from './session.ts'
import type { ResumeOptions, RunResult, StepResult } from '../types/index.ts'
import { suspendedResult } from './suspended-result.ts'

/** The input and the signal of a step, checked before anything has changed. */
export interface Resumption {
  readonly input: Json | undefined
  readonly signal: AbortSignal | undefined
}

/** Checks the input and the signal of a step. Throws `EngineError` for an input without a wait, and `R2004` for one that is not JSON. */
export function checkResumption({ wait }: Session, what: string, { input, signal }: ResumeOptions, now: number): Resumption {
  if (input !== undefined && wait === undefined) throw new EngineError(`${what} was given input, but no node waits for it`)
  if (signal?.aborted) throw new EngineError(`${what} was given a signal that is already aborted`)
  if (input !== undefined) return { input: copyJson(input, 'input'), signal }
  // An engine has no timers, so it checks the deadline only now.
  const isLate = wait?.due !== undefined && wait.due <= now
  return { input: isLate ? objectOf(wait.about).otherwise : undefined, signal }
}

/** Makes one transition. */
export async function makeStep(session: Session, resume: Resumption): Promise<StepResult> {
  session.run.block(isBlocked)
  session.watch()
  session.outcome = undefined
  await proceed(session, resume, () => session.outcome === undefined)
  return session.outcome ?? stoppedResult(session)
}

/** Steps until the session completes, suspends or fails. */
export async function runSession(session: Session, handlers: Handlers, resume: Resumption): Promise<RunResult> {
  session.run.block(undefined)
  if (handlers.hasHandlers) session.watch()
  else session.unwatch()
  const interrupted = await proceed(session, resume, () => true)
  const result = resultOf(session, handlers)
  if (interrupted === undefined || session.status !== 'running') return result
  session.status = 'suspended'
  return { status: 'suspended', reason: interrupted }
}

/** Answers the wait, releases blocked work, and waits until the run is idle. Returns the reason if it was interrupted. */
async function proceed(session: Session, { input, signal }: Resumption, shouldRelease: () => boolean): Promise<string | undefined> {
  const { run, wait } = session
  session.interrupted = undefined
  const stop = (): void => interrupt(session, interruptReason(signal))
  signal?.addEventListener('abort', stop, { once: true })
  try {
    if (wait !== undefined) await run.answer(wait.id, input ?? null)
    if (session.interrupted !== undefined) abandonDecision(session, session.interrupted)
    else if (shouldRelease()) run.release()
    await run.idle()
    return session.interrupted
  } finally {
    signal?.removeEventListener('abort', stop)
    session.status = run.state.ended !== undefined ? 'completed' : session.wait === undefined ? 'running' : 'suspended'
  }
}

/** Abandons the decision under way, and lets nothing new begin. A session that is already at rest has made its transition. */
export function interrupt(session: Session, why: string): void {
  session.interrupted = why
  if (session.run.atRest) return
  session.run.block(isBlocked)
  abandonDecision(session, why)
}

function abandonDecision({ run, top }: Session, why: string): void {
  const command: WorkflowCommand = { interrupt: why }
  // A run that ends first has no decision to abandon.
  run.command(top.id, command).catch(() => undefined)
}

function interruptReason(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason
  return reason instanceof Error ? reason.message : 'interrupted'
}

/** Returns the result of a step that made no transition. */
export function stoppedResult({ run, wait }: Session): StepResult {
  return run.state.ended !== undefined ? { status: 'completed' } : suspendedResult(wait?.about)
}

/** Returns the result of a run. An error of a handler comes first, because it has not been reported. */
function resultOf(session: Session, handlers: Handlers): RunResult {
  const { run, wait } = session
  const nodeId = session.node?.id ?? ''
  const thrown = handlers.takeThrown()
  if (thrown !== undefined) return { status: 'error', error: { error: thrown.error, nodeId } }
  const { ended } = run.state
  if (ended !== undefined)
    return ended.status === 'done' ? { status: 'completed' } : { status: 'error', error: { error: errorOf(faultOf(ended.value)), nodeId } }
  if (wait !== undefined && isFailure(wait.name, wait.about)) return { status: 'error', error: { error: lastError(session), nodeId } }
  return suspendedResult(wait?.about)
}

function lastError({ run, thrown, wait }: Session): unknown {
  const input = run.records.at(-1)?.input
  const thrownValue = input?.[0] === 'err' && input[1] === thrown?.effect ? thrown.value : undefined
  return thrownValue ?? errorOf(faultOf(objectOf(wait?.about).fault))
}

function faultOf(value: Json | undefined): FaultData {
  return objectOf(value) as unknown as FaultData
}
