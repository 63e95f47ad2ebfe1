import type { Json, JsonObject } from '../../../../kernel/journal/json.ts'
import type { Store } from '../../../../kernel/ports/store.ts'
import { renderText } from '../../language/render.ts'
import { combine } from '../../contract/label.ts'
import { labelled } from '../../contract/labelled.ts'
import type { Adapter, ServiceCall, ServiceFunction } from '../../contract/services.ts'
import { Mind } from './mind.ts'

/** Minds that are held in memory; the one that was used least lately goes. */
const MINDS = 32
/** Entries that are read at once. */
const PAGE = 1_000
const RECALLED = 10

/** What appends one entry to an agent's ledger, and answers with what it came to. */
const DEEDS = [
  'index',
  'consolidate',
  'working_save',
  'memory_update',
  'checkpoint',
  'update_goals',
  'store_decompositions',
  'process_proposal_decisions',
  'update_working_memory',
  'apply_identity_insights',
  'route_actions',
  'route_intents',
  'prune_stale_intents',
] as const

/**
 * Sessions and memory out of the store: for each agent a ledger `memory/<agent>`, of which every entry is a deed. A deed is
 * appended under the key of its effect, so one that is repeated after a crash is there once; what is read is the fold.
 */
export function ledgerServices(store: Pick<Store, 'append' | 'ledger'>): { readonly session: Adapter; readonly memory: Adapter } {
  const keeper = new Keeper(store)
  const reads =
    (read: (mind: Mind, args: JsonObject, call: ServiceCall) => Json): ServiceFunction =>
    async (args, call) =>
      read(await keeper.mind(call.agent), args, call)
  const does =
    (op: string): ServiceFunction =>
    (args, call) =>
      keeper.append(op, args, call)
  const recall = reads((mind, args) => {
    const { found, label } = mind.memories.recall(renderText(args['query']), countOf(args['limit'], RECALLED))
    return labelled(found, label)
  })
  const all: Adapter = Object.fromEntries(DEEDS.map((op) => [op, does(op)]))
  return {
    session: {
      ...all,
      recall_goals: reads((mind) => labelled(mind.goals.active(), mind.label)),
      recall_intents: reads((mind) => labelled(mind.goals.pending(), mind.label)),
      recall_beliefs: reads((mind) => labelled(mind.beliefs, mind.label)),
      memory_recall: recall,
      background_checks: reads((mind, _args, { now }) => checks(mind, now)),
    },
    memory: {
      ...all,
      recall,
      working_load: reads((mind) => labelled(mind.working, mind.workingLabel)),
      stats: reads((mind, _args, { now }) => ({
        ...checks(mind, now),
        entries: mind.seen,
        beliefs: mind.beliefs.length,
        insights: mind.insights.length,
      })),
    },
  }
}

function checks(mind: Mind, now: number): JsonObject {
  const stale = mind.goals.stale(now).length
  return {
    memories: mind.memories.size,
    newest_memory: mind.memories.newest,
    active_goals: mind.goals.active().length,
    pending_intents: mind.goals.pending().length,
    stale_intents: stale,
    last_checkpoint: mind.checkpoint,
    warnings: stale === 0 ? [] : [`${stale} intents have waited for more than half an hour`],
  }
}

/** Keeps the folds of ledgers, each as far as it has been read. */
class Keeper {
  readonly #store: Pick<Store, 'append' | 'ledger'>
  readonly #minds = new Map<string, Mind>()

  constructor(store: Pick<Store, 'append' | 'ledger'>) {
    this.#store = store
  }

  async append(op: string, args: JsonObject, { agent, run, key, now, label = null }: ServiceCall): Promise<Json> {
    const entry = { op, at: now, run, args, ...(label === null ? {} : { label }) }
    const seq = await this.#store.append(ledgerOf(agent), key, entry, now)
    const mind = await this.mind(agent)
    return labelled(mind.answerOf(seq), combine(mind.label, mind.workingLabel))
  }

  /** The mind of an agent with every entry that is there by now. */
  async mind(agent: string): Promise<Mind> {
    const mind = this.#minds.get(agent) ?? new Mind()
    this.#minds.delete(agent)
    this.#minds.set(agent, mind)
    const [oldest] = this.#minds.keys()
    if (this.#minds.size > MINDS && oldest !== undefined) this.#minds.delete(oldest)
    for (;;) {
      const entries = await this.#store.ledger(ledgerOf(agent), mind.seen, PAGE)
      for (const { seq, value } of entries) mind.fold(seq, value)
      if (entries.length < PAGE) return mind
    }
  }
}

function ledgerOf(agent: string): string {
  return `memory/${encodeURIComponent(agent.toWellFormed())}`
}

function countOf(value: Json | undefined, usual: number): number {
  const count = Math.trunc(Number(value ?? usual))
  return Number.isFinite(count) && count >= 0 ? Math.min(count, 1_000) : usual
}
