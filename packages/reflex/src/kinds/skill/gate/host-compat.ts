import { matchCompat } from '../manifest/compat.ts'
import type { CompatResult, GateSnapshot } from '../model/decision.ts'
import type { Manifest } from '../model/manifest.ts'

/** Matches what a skill needs against the facts of the host, of which the project is one (reference skill 1.4). */
export function compatOf({ compat }: Pick<Manifest, 'compat'>, { facts, project }: Pick<GateSnapshot, 'facts' | 'project'>): CompatResult {
  return matchCompat(compat, { ...facts, project })
}
