import { intersect, type Claim, complement, PRESENT, restrict } from './claim.ts'
import { isDecided } from './condition.ts'
import type { Claims } from './demand.ts'
import type { BoardRead } from './flow.ts'
import type { Layout, ProofNode } from './layout.ts'

const cachedClaims = new WeakMap<ProofNode, Claims>()

/**
 * Returns the claims under which a run gets past a node: the required keys are present and no guard fails. So a missing key is
 * reported where it is first read, and not again at later nodes.
 */
export function claimsToPass(layout: Layout, proofNode: ProofNode): Claims {
  const known = cachedClaims.get(proofNode)
  if (known !== undefined) return known
  const claims = new Map<string, Claim>()
  const addClaim = (key: string, asked: Claim): void => {
    claims.set(key, intersect(claims.get(key) ?? asked, asked))
  }
  for (const { key, required } of proofNode.node.inputs ?? []) if (required && canBePresent(layout, key)) addClaim(key, PRESENT)
  for (const key of requiredReads(layout, proofNode.flow.reads)) addClaim(key, PRESENT)
  for (const { edge } of proofNode.outgoing) {
    if (edge.guard?.type !== 'cel') continue
    const condition = layout.condition(edge)
    if (!isDecided(condition)) for (const key of condition.needs) addClaim(key, PRESENT)
    else
      for (const failing of condition.fails) {
        const [only, ...others] = failing
        if (only !== undefined && others.length === 0) addClaim(only[0], restrict(complement(only[1]), layout.domain(only[0])))
      }
  }
  cachedClaims.set(proofNode, claims)
  return claims
}

/** Returns the keys that reads require and that can be present at all. */
export function requiredReads(layout: Layout, reads: readonly BoardRead[]): string[] {
  return reads.flatMap(({ path, optional }) => {
    const key = layout.keyOf(path)
    return optional !== true && canBePresent(layout, key) ? [key] : []
  })
}

/** True if a key can be present. A key that nothing writes is a finding where it is read; the nodes after that read are still checked. */
function canBePresent(layout: Layout, key: string): boolean {
  return layout.writtenKeys.has(key) || !layout.isAbsentAtStart(key)
}
