/** The states of a host (reference 5.8). `FinalizeOnly`: no more steps, a capture can still be made. `Fatal`: neither. */
export type HostState = 'NoCommittedSteps' | 'Eligible' | 'FinalizeOnly' | 'Fatal'

/** The result of handling one event. `refused`: the event did not reach the supervisor, and its id can be sent again. */
export type StepEnd = 'committed' | 'refused' | 'egress_failed' | 'failed'

/** Returns the state after an event. `FinalizeOnly` and `Fatal` are never left. */
export function nextHostState(state: HostState, end: StepEnd): HostState {
  if (state === 'FinalizeOnly' || state === 'Fatal' || end === 'refused') return state
  return end === 'committed' ? 'Eligible' : end === 'egress_failed' ? 'FinalizeOnly' : 'Fatal'
}

/** True if a capture can be made. */
export function isFinalizable(state: HostState): boolean {
  return state === 'Eligible' || state === 'FinalizeOnly'
}
