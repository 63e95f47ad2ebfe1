import type { Json } from '../../../../kernel/journal/json.ts'
import { renderText } from '../../language/render.ts'
import { textOf } from '../../dot/graph.ts'
import { councilKeys, decideBranches } from '../people/consensus-decide.ts'
import type { Action } from './action.ts'

/**
 * Decides by the votes of the branches before it (reference pipeline 4.6.1). That a council does not agree fails in mode
 * `decision`, as the node type does; `advisory` tells it as a result.
 */
export const decide: Action = (scene, given) => {
  const quorum = renderText(given['quorum']).trim() || 'majority'
  const made = decideBranches(given['results'] ?? scene.get('parallel.results'), quorum)
  if ('problem' in made) return made
  const mode = renderText(given['mode']) || (textOf(scene.typed.graph.attributes, 'mode') ?? '')
  if (made.decision === 'deadlock' && mode.trim() !== 'advisory') return { problem: `the council does not agree (${made.recommendation})` }
  const plain = Object.entries(councilKeys(made)).map(([key, value]): [string, Json] => [key.replace(/^council\./, ''), value])
  return { result: { ...Object.fromEntries(plain), recommendation: made.recommendation, status: 'decided' } }
}
