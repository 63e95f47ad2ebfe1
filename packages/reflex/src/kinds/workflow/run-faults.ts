import { defineFaults, type Fault, isFault } from '../../kernel/journal/fault.ts'
import { isObject, type Json } from '../../kernel/journal/json.ts'
import type { Rec } from '../../kernel/journal/record.ts'

/** The name of the wait that a failure opens. */
export const ENGINE_ERROR = 'engine:error'

/** True for the wait of a failure. A node may have the name of that wait, but what it asks carries no fault. */
export function isFailure(name: string, about: Json | undefined): boolean {
  return name === ENGINE_ERROR && isObject(about) && isObject(about.fault)
}

/** True for a record whose step has failed. */
export function hasFailed({ more }: Rec): boolean {
  return more?.wait?.some(([, name, , about]) => isFailure(name, about)) === true
}

/** What can go wrong while a workflow runs. Each suspends the run, which can go on once the cause is mended. */
export const runFaults = defineFaults({
  R2050: {
    title: 'The decision is not one that was open',
    verdict: 'fail',
    when: 'during a run',
    means: 'The agent named an edge that does not leave the node, or whose guard does not pass. Its writes were not kept.',
    often: 'a misspelt edge id, an edge that its own writes would have opened',
    fix: 'Choose one of the valid edges, by its id.',
  },
  R2051: {
    title: 'A guard failed',
    verdict: 'fail',
    when: 'during a run',
    means: 'The guard of an outgoing edge threw, or answered something else than true or false, so nobody was asked to decide.',
    fix: 'A run keeps its program: correct the guard in the file and start another run. A host that drives an engine gives the guard another function and steps again.',
  },
  R2052: {
    title: 'An agent failed',
    verdict: 'retry',
    when: 'during a run',
    means: 'Whoever was to decide threw instead. Nothing was written.',
    fix: 'Read the cause, mend it, then resume; the agent is asked again.',
  },
  R2053: {
    title: 'An agent answered something that is no decision',
    verdict: 'fail',
    when: 'during a run',
    means: 'A decision advances over an edge, suspends, or completes, and its writes are JSON.',
    fix: 'Answer with type advance, suspend or complete.',
  },
  R2054: {
    title: 'A workflow cannot end here',
    verdict: 'fail',
    when: 'during a run',
    means: 'Only a node without outgoing edges may complete, whatever its guards say.',
    fix: 'Advance over an edge, or take the edges away.',
  },
  R2055: {
    title: 'A sub-workflow is missing',
    verdict: 'fail',
    when: 'during a run',
    rules: ['workflow missing_sub_workflow'],
    means: 'The node calls a program that is not registered. The call is made again when the run is resumed.',
    fix: 'Register it or name its folder with --programs, then resume.',
  },
  R2056: {
    title: 'A called program failed',
    verdict: 'fail',
    when: 'during a run',
    means: 'The program that the node called ended without completing. The call is made again when the run is resumed.',
    fix: 'Read the cause, mend it, then resume.',
  },
  R2057: {
    title: 'The engine is not in a state for this',
    verdict: 'fail',
    when: 'when an engine is driven',
    means: 'The call needs a session, a suspended session, or a caller on the stack. Nothing was changed.',
    fix: 'Look at status() and stack() first.',
  },
  R2058: {
    title: 'A snapshot cannot be restored',
    verdict: 'fail',
    when: 'when an engine is restored',
    means: 'The snapshot does not fit the registry, or is none.',
    fix: 'Register the workflows that the snapshot names.',
  },
  R2059: {
    title: 'A decision was given up',
    verdict: 'retry',
    when: 'when an engine is driven',
    means: 'The host interrupted the step, or its signal did, before the agent had answered. Whatever it answers now is ignored.',
    often: 'an agent that never answers, a time limit',
    fix: 'Resume; the agent is asked again.',
  },
})

/** The guard of an edge that threw. */
export function guardFault(path: string, edge: string, cause: unknown): Fault {
  const message = isFault(cause) || cause instanceof Error ? cause.message : String(cause)
  // The place in an expression, and what to write there, are the guard's as well.
  const place = isFault(cause) ? { frame: cause.frame, fix: cause.fix } : {}
  return runFaults.make('R2051', `the guard of ${edge} failed: ${message}`, { path, cause, ...place })
}

/** What the seed's users read where a step suspends because something failed (reference workflow 5). */
export function suspensionReason(code: string, message: string): string {
  switch (code) {
    case 'R2050':
      return 'Invalid edge selection'
    case 'R2051':
      return 'Guard evaluation error'
    case 'R2012':
    case 'R2052':
      return 'Decision agent threw an error'
    case 'R2053':
      return 'Invalid decision'
    case 'R2054':
      return 'complete at non-terminal node'
    default:
      return message
  }
}
