import { defineFaults, type Fault, isFault, isObject, type Json, type Rec, thrownMessage } from '../../../kernel/index.ts'

/** The name of the wait that a failure opens. */
export const ENGINE_ERROR = 'engine:error'

/** True for the wait of a failure. A node may have the same name as that wait, but its question has no fault. */
export function isFailure(name: string, about: Json | undefined): boolean {
  return name === ENGINE_ERROR && isObject(about) && isObject(about.fault)
}

/** True for a record whose step has failed. */
export function hasFailed({ more }: Rec): boolean {
  return more?.wait?.some(([, name, , about]) => isFailure(name, about)) === true
}

/** Faults of a running workflow. Each suspends the run, which can be resumed when the cause is corrected. */
export const runFaults = defineFaults({
  R2050: {
    title: 'The decision names an edge that is not open',
    verdict: 'fail',
    when: 'during a run',
    means: 'The agent named an edge that does not leave the node, or whose guard does not pass. The writes of the decision were discarded.',
    often: 'a misspelt edge id, an edge that its own writes would have opened',
    fix: 'Choose one of the valid edges, by its id.',
  },
  R2051: {
    title: 'A guard failed',
    verdict: 'fail',
    when: 'during a run',
    means: 'The guard of an outgoing edge threw, or returned neither true nor false, so no agent was asked to decide.',
    fix: 'A run keeps its program: correct the guard in the file and start another run. A host that drives an engine sets another function of the guard and steps again.',
  },
  R2052: {
    title: 'An agent failed',
    verdict: 'retry',
    when: 'during a run',
    means: 'The agent threw an error instead of a decision. Nothing was written.',
    fix: 'Read the cause, correct it, then resume; the agent is asked again.',
  },
  R2053: {
    title: 'An agent returned an invalid decision',
    verdict: 'fail',
    when: 'during a run',
    means: 'A decision must advance over an edge, suspend, or complete, and its writes must be JSON.',
    fix: 'Return a decision of type advance, suspend or complete.',
  },
  R2054: {
    title: 'A workflow cannot end here',
    verdict: 'fail',
    when: 'during a run',
    means: 'Only a node without outgoing edges may complete. Closed edges count as edges too.',
    fix: 'Advance over an edge, or remove the edges.',
  },
  R2055: {
    title: 'A sub-workflow is missing',
    verdict: 'fail',
    when: 'during a run',
    rules: ['workflow missing_sub_workflow'],
    means: 'The node calls a program that is not registered. The call is made again when the run is resumed.',
    fix: 'Register the program or name its folder with --programs, then resume.',
  },
  R2056: {
    title: 'A called program failed',
    verdict: 'fail',
    when: 'during a run',
    means: 'The program that the node called ended without completing. The call is made again when the run is resumed.',
    fix: 'Read the cause, correct it, then resume.',
  },
  R2057: {
    title: 'The engine is in the wrong state for this call',
    verdict: 'fail',
    when: 'when an engine is driven',
    means: 'The call needs a session, a suspended session, or a caller on the stack. Nothing was changed.',
    fix: 'Check status() and stack() first.',
  },
  R2058: {
    title: 'A snapshot cannot be restored',
    verdict: 'fail',
    when: 'when an engine is restored',
    means: 'The value is not a snapshot, or the registry does not have its workflows, nodes or guards.',
    fix: 'Register the workflows that the snapshot names.',
  },
  R2059: {
    title: 'A decision was interrupted',
    verdict: 'retry',
    when: 'when an engine is driven',
    means: 'The host or its signal interrupted the step before the agent answered. A later answer of the agent is ignored.',
    often: 'an agent that never answers, a time limit',
    fix: 'Resume; the agent is asked again.',
  },
})

/** Returns the fault of a guard that threw. */
export function guardFault(path: string, edge: string, cause: unknown): Fault {
  const message = thrownMessage(cause)
  // The place in an expression and the fix of the cause belong to this fault too.
  const place = isFault(cause) ? { frame: cause.frame, fix: cause.fix } : {}
  return runFaults.make('R2051', `the guard of ${edge} failed: ${message}`, { path, cause, ...place })
}

/** Returns the reason of a suspension that the seed's users know, for a step that failed (reference workflow 5). */
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
