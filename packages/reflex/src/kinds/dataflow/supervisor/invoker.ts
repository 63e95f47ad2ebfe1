import type { RunTermination } from '../model/termination.ts'

/** One attempt of a pass. `context` is the snapshot at the arrival of the event `event_id`, also for a pass that was deferred. */
export interface Invocation<Context> {
  readonly event_id: string
  readonly context: Context
  /** 0 for the first attempt. */
  readonly attempt: number
}

/**
 * Performs one attempt of a pass. It returns how the attempt ended and nothing else: a supervisor cannot see outputs, outcomes or effects,
 * so it cannot decide by them (SUP-2).
 */
export type Invoker<Context> = (invocation: Invocation<Context>) => RunTermination

/**
 * Returns an invoker for tests of schedules: it ends the attempts of an event as the script lists them, and all others with `otherwise`. It
 * knows the id of the event only, neither the graph nor the context (REP-3).
 */
export function scriptedInvoker(
  script: Readonly<Record<string, readonly RunTermination[]>>,
  otherwise: RunTermination = 'Completed',
): Invoker<unknown> {
  const made = new Map<string, number>()
  return ({ event_id }) => {
    const attempt = made.get(event_id) ?? 0
    made.set(event_id, attempt + 1)
    return (Object.hasOwn(script, event_id) ? script[event_id]?.[attempt] : undefined) ?? otherwise
  }
}
