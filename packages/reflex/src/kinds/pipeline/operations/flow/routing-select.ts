import { isList, type Json } from '../../../../kernel/journal/json.ts'
import { listOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import type { Handler, Scene } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { required } from '../commands/requirements.ts'
import { jsonIn } from '../../language/json-in.ts'

/** A backend and the model that it would be asked for. */
export interface Candidate {
  readonly backend: string
  readonly model: string
}

/** What choosing goes by. */
export interface RoutingFacts {
  readonly exclude: readonly string[]
  readonly tier: string
  readonly budget: string
  /** Whether a fact of a backend is `yes` or `no`; anything else is not said. */
  readonly told: (fact: 'avail' | 'trust' | 'quota' | 'free', backend: string) => 'yes' | 'no' | undefined
}

/** The first candidate that may be used, and what is cheapest where little is left (reference pipeline 4.3.2). */
export function selectRoute(candidates: readonly Candidate[], { exclude, tier, budget, told }: RoutingFacts): Candidate | undefined {
  const usable = candidates.filter(
    ({ backend }) =>
      !exclude.includes(backend) && told('avail', backend) === 'yes' && told('trust', backend) !== 'no' && told('quota', backend) !== 'no',
  )
  if (tier === 'critical') return usable[0]
  const free = usable.filter(({ backend }) => told('free', backend) === 'yes')
  if (budget === 'over') return free[0]
  return budget === 'low' ? (free[0] ?? usable[0]) : usable[0]
}

/** Chooses the backend and model that a later node asks. Pure: it goes by the context alone. */
export const routingSelect: Handler = (scene) => {
  const { attributes, node } = scene
  const written = required(scene, 'candidates')
  if (typeof written !== 'string') return written
  const candidates = candidatesIn(written)
  if (candidates === undefined)
    return refusal(`${node.id}: candidates is a JSON list of pairs, [["backend", "model"]], not ${JSON.stringify(written.slice(0, 80))}`)
  const chosen = selectRoute(candidates, {
    exclude: [...listOf(attributes, 'exclude'), ...excludedBy(scene.get('exclude'))],
    tier: scene.text('tier'),
    budget: scene.text('budget_status'),
    told: (fact, backend) => told(scene, `${fact}_${backend}`),
  })
  if (chosen === undefined)
    return refusal(`${node.id}: none of ${candidates.map(({ backend }) => backend).join(', ') || 'no candidates'} can be used`)
  return success({
    selected_backend: chosen.backend,
    selected_model: chosen.model,
    routing_reason: node.id.includes('fallback') ? 'fallback' : 'tier_match',
  })
}

/** Backends that the context excludes: a list, or text with commas. */
function excludedBy(value: Json | undefined): readonly string[] {
  const names = isList(value) ? value.map(renderText) : renderText(value).split(',')
  return names.map((name) => name.trim()).filter((name) => name !== '')
}

function told(scene: Scene, key: string): 'yes' | 'no' | undefined {
  const word = scene.text(key).trim().toLowerCase()
  return word === 'true' ? 'yes' : word === 'false' ? 'no' : undefined
}

function candidatesIn(written: string): readonly Candidate[] | undefined {
  const list = jsonIn(written)
  if (!isList(list)) return undefined
  const pairs = list.map((pair) =>
    isList(pair) ? { backend: renderText(pair[0]), model: renderText(pair[1]) } : { backend: '', model: '' },
  )
  return pairs.every(({ backend, model }) => backend !== '' && model !== '') ? pairs : undefined
}
