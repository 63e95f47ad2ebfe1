import type { DecisionRecord } from '../model/decision.ts'
import type { Manifest } from '../model/manifest.ts'
import { expectedSaving } from './saving.ts'

/** Returns the record of a decision that is only a shadow: nothing is carried out, and it says what an approved one would have saved. */
export function shadowed(decision: DecisionRecord, manifest: Pick<Manifest, 'plan' | 'provenance'>): DecisionRecord {
  const { verdict, reason } = decision
  const saves = verdict === 'approved' ? { saves: expectedSaving(manifest) } : {}
  return {
    ...decision,
    ...(verdict === 'approved' ? { verdict: 'denied', reason: 'mode.shadow' } : {}),
    shadow: { verdict, reason, ...saves },
  }
}
