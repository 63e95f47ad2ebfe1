import { isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { renderText } from '../../language/render.ts'
import { combine, type Label, TRUSTED } from '../../../../policy/label.ts'
import { type MemoryOperation, readOperation, listOf } from './memory-operation.ts'
import { Goals } from './goals.ts'
import { Memories } from './memories.ts'

/** The number of stored answers: an operation that is repeated after a crash returns the same answer. */
const MOST_ANSWERS = 64
/** The limit of entries of a list in the working memory; the oldest are deleted. */
const MOST_WORKING = 20
/** The limit of insights of an agent. */
const MOST_INSIGHTS = 200

/**
 * The memory of an agent: the fold of its ledger. Every operation is one entry, and its answer is a function of the entries up
 * to it, so all processes return the same answer (seed pipeline B.7, reference pipeline 4.6.2).
 */
export class AgentMemory {
  readonly memories = new Memories()
  readonly goals = new Goals()
  #working: JsonObject = {}
  #beliefs: readonly Json[] = []
  #insights: readonly Json[] = []
  #checkpoint: Json = null
  #workingLabel = TRUSTED
  #label = TRUSTED
  #lastSeq = 0
  readonly #answers = new Map<number, Json>()

  /** The number of the last folded entry. */
  get lastSeq(): number {
    return this.#lastSeq
  }

  get working(): JsonObject {
    return this.#working
  }

  /** The label of the working memory. */
  get workingLabel(): Label {
    return this.#workingLabel
  }

  /** The worst label of goals, intents, beliefs and insights. */
  get label(): Label {
    return this.#label
  }

  get beliefs(): readonly Json[] {
    return this.#beliefs
  }

  get insights(): readonly Json[] {
    return this.#insights
  }

  get checkpoint(): Json {
    return this.#checkpoint
  }

  /** Returns the answer to an operation; null for an old one. */
  answerOf(seq: number): Json {
    return this.#answers.get(seq) ?? null
  }

  /** Folds an entry. Ignores an entry that is not an operation, or an unknown one. */
  fold(seq: number, entry: Json): void {
    if (seq <= this.#lastSeq) return
    this.#lastSeq = seq
    const operation = readOperation(entry)
    if (operation === undefined) return
    this.#answers.set(seq, this.#apply(seq, operation))
    const [first] = this.#answers.keys()
    if (this.#answers.size > MOST_ANSWERS && first !== undefined) this.#answers.delete(first)
  }

  #apply(seq: number, operation: MemoryOperation): Json {
    const { op, at, args, label } = operation
    if (op === 'working_save') this.#workingLabel = label
    else if (op === 'update_working_memory') this.#workingLabel = combine(this.#workingLabel, label)
    else if (op !== 'index') this.#label = combine(this.#label, label)
    switch (op) {
      case 'index':
        return this.memories.add(`m${seq}`, operation)
      case 'memory_update':
        return this.#remember(seq, operation)
      case 'consolidate':
        return this.memories.consolidate(renderText(args['strategy']) || 'full', at)
      case 'working_save':
        this.#working = isObject(args['working_memory']) ? args['working_memory'] : { notes: listOf(args['working_memory']) }
        return true
      case 'update_working_memory':
        return this.#updateWorking(args)
      case 'apply_identity_insights':
        this.#insights = appendUnique(this.#insights, listOf(args['identity_insights']), MOST_INSIGHTS)
        return { stored: listOf(args['identity_insights']).length }
      case 'checkpoint':
        this.#checkpoint = { id: args['id'] ?? null, turn_count: args['turn_count'] ?? null, at, snapshot: args['snapshot'] ?? null }
        return { at, seq }
      default:
        return this.goals.fold(seq, operation)
    }
  }

  /** Stores a turn: its text, notes and beliefs. */
  #remember(seq: number, { at, run, args, op, label }: MemoryOperation): Json {
    const turn = args['turn_data'] ?? null
    const parts = isObject(turn) ? [turn['user'], turn['input'], turn['assistant'], turn['response'], turn['content']] : [turn]
    const text = [...parts, args['response']]
      .map((part) => renderText(part ?? ''))
      .filter((part) => part !== '')
      .join('\n')
    const texts = [...(text === '' ? [] : [text]), ...listOf(args['memory_notes']).map((note) => renderText(note))]
    for (const [i, content] of texts.entries()) this.memories.add(`m${seq}.${i}`, { op, at, run, args: { content }, label })
    const beliefs = listOf(args['beliefs'] ?? (isObject(turn) ? turn['beliefs'] : undefined))
    this.#beliefs = appendUnique(this.#beliefs, beliefs, MOST_INSIGHTS)
    return { remembered: texts.length, beliefs: beliefs.length }
  }

  #updateWorking(args: JsonObject): Json {
    const next: Record<string, Json> = { ...this.#working }
    for (const list of ['concerns', 'curiosity', 'memory_notes']) {
      const added = listOf(args[list])
      if (added.length > 0) next[list] = appendUnique(listOf(next[list]), added, MOST_WORKING)
    }
    this.#working = next
    return next
  }
}

/** Concatenates lists, keeps the last occurrence of each value, and returns the newest. */
function appendUnique(before: readonly Json[], added: readonly Json[], most: number): readonly Json[] {
  const unique = new Map<string, Json>()
  for (const value of [...before, ...added]) {
    const key = JSON.stringify(value)
    unique.delete(key)
    unique.set(key, value)
  }
  return [...unique.values()].slice(-most)
}
