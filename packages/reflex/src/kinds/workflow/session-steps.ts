import { copyJson, type Json } from '../../kernel/journal/json.ts'
import type { FaultData } from '../../kernel/journal/fault.ts'
import { objectOf } from './compile.ts'
import { EngineError } from './engine-error.ts'
import { errorOf } from './events.ts'
import type { Handlers } from './handlers.ts'
import type { WorkflowCommand } from './kind.ts'
import { isFailure } from './run-faults.ts'
import { isBlocked, type Session } from './session.ts'
import type { ResumeOptions, RunResult, StepResult } from './types.ts'
import { suspendedResult } from './suspended-result.ts'

/** What a step goes on with, checked before anything has changed. */
export interface Resumption {
  readonly input: Json | undefined
  readonly signal: AbortSignal | undefined
}

/** Checks what a step is to go on with. Throws `EngineError` for an answer to nothing, `R2004` for one that is not JSON. */
export function checkResumption({ wait }: Session, what: string, { input, signal }: ResumeOptions, now: number): Resumption {
  if (input !== undefined && wait === undefined) throw new EngineError(`${what} was given input, and nothing waits for it`)
  if (signal?.aborted) throw new EngineError(`${what} was given a signal that is aborted already`)
  if (input !== undefined) return { input: copyJson(input, 'input'), signal }
  // Nothing happens in an engine by itself, so it looks at the clock only now.
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

/** Goes on until the session completes, suspends or fails. */
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

/** Answers what is waited for, lets through what is held back, and waits for rest; gives the reason if it was interrupted. */
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

/** Gives up the decision under way, and lets nothing new begin. What is at rest already has made its transition. */
export function interrupt(session: Session, why: string): void {
  session.interrupted = why
  if (session.run.atRest) return
  session.run.block(isBlocked)
  abandonDecision(session, why)
}

function abandonDecision({ run, top }: Session, why: string): void {
  const command: WorkflowCommand = { interrupt: why }
  // A run that ends first has nothing to give up.
  run.command(top.id, command).catch(() => undefined)
}

function interruptReason(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason
  return reason instanceof Error ? reason.message : 'interrupted'
}

/** What a step that brought no transition has left behind. */
export function stoppedResult({ run, wait }: Session): StepResult {
  return run.state.ended !== undefined ? { status: 'completed' } : suspendedResult(wait?.about)
}

/** How a run ended; an error of a handler comes first, since nobody has been told of it. */
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
