import { isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { renderText } from '../../language/render.ts'
import { type MemoryOperation, listOf } from './memory-operation.ts'

/** The limit of goals and of intents of one agent; the oldest are deleted. */
const MOST = 1_000
/** The age in milliseconds at which a waiting intent is dropped (reference pipeline 4.6.2). */
const STALE = 1_800_000
/** Statuses of goals that are no longer active. */
const ENDED_STATUSES: ReadonlySet<string> = new Set([
  'achieved',
  'completed',
  'done',
  'abandoned',
  'failed',
  'cancelled',
  'blocked_forever',
])

/** The goals and intents of an agent, and its decisions on proposals. */
export class Goals {
  readonly #goals = new Map<string, JsonObject>()
  readonly #intents = new Map<string, JsonObject>()
  readonly #decisions = new Map<string, Json>()

  /** Returns the active goals, highest priority first. */
  active(): readonly JsonObject[] {
    const priority = (goal: JsonObject): number => (typeof goal['priority'] === 'number' ? goal['priority'] : 0)
    return [...this.#goals.values()]
      .filter((goal) => !ENDED_STATUSES.has(renderText(goal['status'] ?? '')))
      .sort((a, b) => priority(b) - priority(a))
  }

  /** Returns the waiting intents, oldest first. */
  pending(): readonly JsonObject[] {
    return [...this.#intents.values()].filter(({ status }) => status === 'pending')
  }

  /** Returns the intents that have waited too long. */
  stale(now: number): readonly JsonObject[] {
    return this.pending().filter(({ at }) => typeof at === 'number' && now - at > STALE)
  }

  get decisions(): JsonObject {
    return Object.fromEntries(this.#decisions)
  }

  fold(seq: number, { op, at, args }: MemoryOperation): Json {
    switch (op) {
      case 'update_goals':
        return this.#update(seq, at, args)
      case 'store_decompositions':
        return { stored: this.#addIntents(seq, at, listOf(args['decompositions']).flatMap(stepsOf)) }
      case 'route_actions':
        return { routed: this.#addIntents(seq, at, listOf(args['actions'])) }
      case 'route_intents':
        return this.#routeIntents()
      case 'prune_stale_intents':
        return this.#pruneStale(at)
      case 'process_proposal_decisions':
        return this.#decide(listOf(args['proposal_decisions']))
      default:
        return null
    }
  }

  #update(seq: number, at: number, args: JsonObject): Json {
    let updated = 0
    for (const change of listOf(args['goal_updates']).filter(isObject)) {
      const id = renderText(change['goal_id'] ?? change['id'] ?? '')
      const goal = this.#goals.get(id)
      if (goal === undefined) continue
      this.#goals.set(id, { ...goal, ...change, id })
      updated++
    }
    const added = listOf(args['new_goals'])
    for (const [i, goal] of added.entries()) {
      const fields = isObject(goal) ? goal : { description: renderText(goal) }
      const id = renderText(fields['id'] ?? '') || `goal_${seq}_${i}`
      putLimited(this.#goals, id, { status: 'active', created_at: at, ...fields, id })
    }
    return { updated, added: added.length, active: this.active().length }
  }

  #addIntents(seq: number, at: number, steps: readonly Json[]): number {
    for (const [i, step] of steps.entries()) {
      const id = `intent_${seq}_${i}`
      putLimited(this.#intents, id, { ...(isObject(step) ? step : { description: renderText(step) }), id, at, status: 'pending' })
    }
    return steps.length
  }

  /** Routes all waiting intents. */
  #routeIntents(): Json {
    const pending = this.pending()
    for (const intent of pending) this.#intents.set(renderText(intent['id']), { ...intent, status: 'routed' })
    return { routed: pending.length, intents: pending }
  }

  #pruneStale(at: number): Json {
    const stale = this.stale(at)
    for (const intent of stale) this.#intents.set(renderText(intent['id']), { ...intent, status: 'stale' })
    return { pruned: stale.length, remaining: this.pending().length }
  }

  #decide(decisions: readonly Json[]): Json {
    const known = decisions.filter(isObject)
    for (const { proposal_id, decision } of known) putLimited(this.#decisions, renderText(proposal_id), decision ?? null)
    return { processed: known.length }
  }
}

/** Returns the steps of a decomposed goal: its list, otherwise the value itself. */
function stepsOf(decomposition: Json): readonly Json[] {
  if (!isObject(decomposition)) return [decomposition]
  const steps = ['intentions', 'intents', 'steps'].map((key) => decomposition[key]).find((list) => Array.isArray(list))
  const goal = decomposition['goal_id'] === undefined ? {} : { goal_id: decomposition['goal_id'] }
  return steps === undefined
    ? [decomposition]
    : listOf(steps).map((step) => (isObject(step) ? { ...goal, ...step } : { ...goal, description: renderText(step) }))
}

function putLimited<Value>(into: Map<string, Value>, id: string, value: Value): void {
  into.set(id, value)
  const [first] = into.keys()
  if (into.size > MOST && first !== undefined) into.delete(first)
}
