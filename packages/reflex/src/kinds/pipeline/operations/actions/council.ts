import type { Json } from '../../../../kernel/index.ts'
import { renderText } from '../../language/render.ts'
import { textOf } from '../../dot/graph.ts'
import { councilKeys, decideBranches } from '../people/consensus-decide.ts'
import type { Action } from './action.ts'

/**
 * Decides by the votes of the preceding branches (reference pipeline 4.6.1). A deadlock fails the node; in mode `advisory` it
 * is a result.
 */
export const decideCouncil: Action = (context, params) => {
  const quorum = renderText(params['quorum']).trim() || 'majority'
  const decision = decideBranches(params['results'] ?? context.get('parallel.results'), quorum)
  if ('problem' in decision) return decision
  const mode = renderText(params['mode']) || (textOf(context.typed.graph.attributes, 'mode') ?? '')
  if (decision.decision === 'deadlock' && mode.trim() !== 'advisory')
    return { problem: `the council does not agree (${decision.recommendation})` }
  const plain = Object.entries(councilKeys(decision)).map(([key, value]): [string, Json] => [key.replace(/^council\./, ''), value])
  return { result: { ...Object.fromEntries(plain), recommendation: decision.recommendation, status: 'decided' } }
}
