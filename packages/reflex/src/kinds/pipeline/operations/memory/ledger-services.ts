import type { Json, JsonObject, Store } from '../../../../kernel/index.ts'
import { renderText } from '../../language/render.ts'
import { combine } from '../../../../policy/label.ts'
import { labelled } from '../../../../policy/index.ts'
import type { Adapter, ServiceCall, ServiceFunction } from '../../contract/services.ts'
import { AgentMemory } from './agent-memory.ts'

/** The limit of agents whose memory is cached; the least recently used is dropped. */
const MOST_AGENTS = 32
/** The number of entries read at once. */
const PAGE = 1_000
const RECALLED = 10

/** The operations that append an entry to an agent's ledger. */
const OPERATIONS = [
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
 * The services for sessions and memory in the store: each agent has a ledger `memory/<agent>`, and every operation is an entry.
 * An entry has the key of its effect, so an operation that is repeated after a crash is stored once. Reads use the fold.
 */
export function ledgerServices(store: Pick<Store, 'append' | 'ledger'>): { readonly session: Adapter; readonly memory: Adapter } {
  const memories = new AgentMemories(store)
  const reader =
    (read: (memory: AgentMemory, args: JsonObject, call: ServiceCall) => Json): ServiceFunction =>
    async (args, call) =>
      read(await memories.load(call.agent), args, call)
  const writer =
    (op: string): ServiceFunction =>
    (args, call) =>
      memories.append(op, args, call)
  const recall = reader((memory, args) => {
    const { found, label } = memory.memories.recall(renderText(args['query']), countOf(args['limit'], RECALLED))
    return labelled(found, label)
  })
  const all: Adapter = Object.fromEntries(OPERATIONS.map((op) => [op, writer(op)]))
  return {
    session: {
      ...all,
      recall_goals: reader((memory) => labelled(memory.goals.active(), memory.label)),
      recall_intents: reader((memory) => labelled(memory.goals.pending(), memory.label)),
      recall_beliefs: reader((memory) => labelled(memory.beliefs, memory.label)),
      memory_recall: recall,
      background_checks: reader((memory, _args, { now }) => backgroundChecks(memory, now)),
    },
    memory: {
      ...all,
      recall,
      working_load: reader((memory) => labelled(memory.working, memory.workingLabel)),
      stats: reader((memory, _args, { now }) => ({
        ...backgroundChecks(memory, now),
        entries: memory.lastSeq,
        beliefs: memory.beliefs.length,
        insights: memory.insights.length,
      })),
    },
  }
}

function backgroundChecks(memory: AgentMemory, now: number): JsonObject {
  const stale = memory.goals.stale(now).length
  return {
    memories: memory.memories.size,
    newest_memory: memory.memories.newest,
    active_goals: memory.goals.active().length,
    pending_intents: memory.goals.pending().length,
    stale_intents: stale,
    last_checkpoint: memory.checkpoint,
    warnings: stale === 0 ? [] : [`${stale} intents have waited for more than half an hour`],
  }
}

/** A cache of folded ledgers. */
class AgentMemories {
  readonly #store: Pick<Store, 'append' | 'ledger'>
  readonly #memories = new Map<string, AgentMemory>()

  constructor(store: Pick<Store, 'append' | 'ledger'>) {
    this.#store = store
  }

  async append(op: string, args: JsonObject, { agent, run, key, now, label = null }: ServiceCall): Promise<Json> {
    const entry = { op, at: now, run, args, ...(label === null ? {} : { label }) }
    const seq = await this.#store.append(ledgerOf(agent), key, entry, now)
    const memory = await this.load(agent)
    return labelled(memory.answerOf(seq), combine(memory.label, memory.workingLabel))
  }

  /** Returns the memory of an agent with all current entries. */
  async load(agent: string): Promise<AgentMemory> {
    const memory = this.#memories.get(agent) ?? new AgentMemory()
    this.#memories.delete(agent)
    this.#memories.set(agent, memory)
    const [oldest] = this.#memories.keys()
    if (this.#memories.size > MOST_AGENTS && oldest !== undefined) this.#memories.delete(oldest)
    for (;;) {
      const entries = await this.#store.ledger(ledgerOf(agent), memory.lastSeq, PAGE)
      for (const { seq, value = null } of entries) memory.fold(seq, value)
      if (entries.length < PAGE) return memory
    }
  }
}

function ledgerOf(agent: string): string {
  return `memory/${encodeURIComponent(agent.toWellFormed())}`
}

function countOf(value: Json | undefined, fallback: number): number {
  const count = Math.trunc(Number(value ?? fallback))
  return Number.isFinite(count) && count >= 0 ? Math.min(count, 1_000) : fallback
}
