import { isList, type Json } from '../../../../kernel/index.ts'
import { listOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import type { Handler, NodeContext } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { requiredText } from '../commands/requirements.ts'
import { parseJson } from '../../language/parse-json.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { context, writes } from '../../model/operation-ports.ts'

/** A backend and a model. */
export interface Candidate {
  readonly backend: string
  readonly model: string
}

/** The facts that determine the choice. */
export interface RoutingFacts {
  readonly exclude: readonly string[]
  readonly tier: string
  readonly budget: string
  /** Returns a fact of a backend, `yes` or `no`; undefined if it is not stated. */
  readonly factOf: (fact: 'avail' | 'trust' | 'quota' | 'free', backend: string) => 'yes' | 'no' | undefined
}

/** Returns the first usable candidate; if the budget is low, the cheapest one (reference pipeline 4.3.2). */
export function selectRoute(candidates: readonly Candidate[], { exclude, tier, budget, factOf }: RoutingFacts): Candidate | undefined {
  const usable = candidates.filter(
    ({ backend }) =>
      !exclude.includes(backend) &&
      factOf('avail', backend) === 'yes' &&
      factOf('trust', backend) !== 'no' &&
      factOf('quota', backend) !== 'no',
  )
  if (tier === 'critical') return usable[0]
  const free = usable.filter(({ backend }) => factOf('free', backend) === 'yes')
  if (budget === 'over') return free[0]
  return budget === 'low' ? (free[0] ?? usable[0]) : usable[0]
}

/** Selects the backend and model for a later node. Pure: depends only on the context. */
const run: Handler = (context) => {
  const { attributes, node } = context
  const written = requiredText(context, 'candidates')
  if (typeof written !== 'string') return written
  const candidates = candidatesIn(written)
  if (candidates === undefined)
    return refusal(
      `${node.id}: candidates must be a JSON list of pairs, [["backend", "model"]], not ${JSON.stringify(written.slice(0, 80))}`,
    )
  const chosen = selectRoute(candidates, {
    exclude: [...listOf(attributes, 'exclude'), ...excludedBy(context.get('exclude'))],
    tier: context.text('tier'),
    budget: context.text('budget_status'),
    factOf: (fact, backend) => contextFlag(context, `${fact}_${backend}`),
  })
  if (chosen === undefined)
    return refusal(`${node.id}: none of ${candidates.map(({ backend }) => backend).join(', ') || 'no candidates'} can be used`)
  return success({
    selected_backend: chosen.backend,
    selected_model: chosen.model,
    routing_reason: node.id.includes('fallback') ? 'fallback' : 'tier_match',
  })
}

/** Returns the backends that the context excludes, from a list or from text with commas. */
function excludedBy(value: Json | undefined): readonly string[] {
  const names = isList(value) ? value.map(renderText) : renderText(value).split(',')
  return names.map((name) => name.trim()).filter((name) => name !== '')
}

function contextFlag(context: NodeContext, key: string): 'yes' | 'no' | undefined {
  const word = context.text(key).trim().toLowerCase()
  return word === 'true' ? 'yes' : word === 'false' ? 'no' : undefined
}

function candidatesIn(written: string): readonly Candidate[] | undefined {
  const list = parseJson(written)
  if (!isList(list)) return undefined
  const pairs = list.map((pair) =>
    isList(pair) ? { backend: renderText(pair[0]), model: renderText(pair[1]) } : { backend: '', model: '' },
  )
  return pairs.every(({ backend, model }) => backend !== '' && model !== '') ? pairs : undefined
}

export const routingSelect = defineOperation({
  name: 'routing.select',
  does: 'Selects the backend and the model for a later node.',
  dispatch: [{ type: 'compute', by: { purpose: 'routing' } }],
  parameters: {
    candidates: attribute('json', 'A list of pairs, backend and model.', { required: true }),
    exclude: attribute('csv', 'Excluded backends, in addition to those in the context key `exclude`.'),
  },
  reads: [context('exclude'), context('tier'), context('budget_status')],
  writes: writes('engine', 'selected_backend', 'selected_model', 'routing_reason'),
  repeat: 'read_only',
  run,
})
