/** The states of a host (reference 5.8). `FinalizeOnly`: no more steps, a capture can still be made. `Fatal`: neither. */
export type HostState = 'NoCommittedSteps' | 'Eligible' | 'FinalizeOnly' | 'Fatal'

/** How the handling of one event ended. `refused`: before it reached the supervisor; its id is not used up. */
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
