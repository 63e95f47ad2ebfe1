import type { Manifest } from '../model/manifest.ts'
import type { Saving } from '../model/decision.ts'

/**
 * Returns what one execution of a skill saves an agent that would call its tools itself: a call of its model for each step but the first,
 * because the proposal is one, and the share of the cost that mining has measured. It is an expectation: what the agent would have done is unknown.
 */
export function expectedSaving({ plan, provenance }: Pick<Manifest, 'plan' | 'provenance'>): Saving {
  const { delta_cost: delta, cost_unit: unit } = provenance
  const cost = delta === undefined ? {} : { share: Math.round(-delta * 1e6) / 1e6, ...(unit === undefined ? {} : { unit }) }
  return { calls: Math.max(0, plan.steps.length - 1), ...cost }
}
