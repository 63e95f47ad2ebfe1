import { isObject, type Json, type JsonObject } from '../../../../kernel/journal/json.ts'
import { renderText } from '../../language/render.ts'
import { combine, type Label, TRUSTED } from '../../../../policy/label.ts'
import { type MemoryOperation, readOperation, listOf } from './memory-operation.ts'
import { Goals } from './goals.ts'
import { Memories } from './memories.ts'

/** Answers to the last deeds are kept, so that a deed that is done again after a crash has the same answer. */
const MOST_ANSWERS = 64
/** Entries of a list of the working memory; the oldest go. */
const MOST_WORKING = 20
/** Insights about itself that an agent keeps. */
const MOST_INSIGHTS = 200

/**
 * All that an agent remembers: the fold of its ledger, entry by entry. Every deed is one entry and its answer a function of
 * the entries up to it, so that what one process answers any other does too (seed pipeline B.7, reference pipeline 4.6.2).
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

  /** The number of the last entry that was folded. */
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

  /** What a deed came to; null for one that is long gone. */
  answerOf(seq: number): Json {
    return this.#answers.get(seq) ?? null
  }

  /** Takes an entry in. One that is no deed, or that nothing knows, changes nothing. */
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

  /** A turn: what was said, notes and beliefs that it brought. */
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

/** One list after the other, each value where it came last, and of all that the newest. */
function appendUnique(before: readonly Json[], added: readonly Json[], most: number): readonly Json[] {
  const unique = new Map<string, Json>()
  for (const value of [...before, ...added]) {
    const key = JSON.stringify(value)
    unique.delete(key)
    unique.set(key, value)
  }
  return [...unique.values()].slice(-most)
}
