import { isObject, type Json, type JsonObject, type NumberedRecord, type PendingEffect, type Rec, type Ref } from '../../kernel/index.ts'
import { applyRecord } from '../../history/trace.ts'
import { closingOf, openQuestions, type RunFold, statusOf } from '../run-fold.ts'

/** One part of the stream of a message, in the protocol of the AI SDK. */
export type Chunk = JsonObject & { readonly type: string }

/** The answer of a model that is streamed. */
interface OpenAnswer {
  readonly effect: string
  /** The number of times that it began again: each has parts of its own. */
  round: number
  text: string
  reasoning: string
}

const ANSWERS = 'model'
const TOOLS = 'tool'

/**
 * Projects the records of a run to the chunks of one message: the answers of its models, the calls of its tools, its questions, its
 * end. Pure: the same records give the same chunks, so a stream that is read again is the same.
 */
export class ChatProjection {
  readonly #run: string
  readonly #fold: RunFold
  readonly #answers = new Map<Ref, OpenAnswer>()
  readonly #tools = new Set<Ref>()

  /** `fold` is the run before the first record; it is changed. */
  constructor(run: string, fold: RunFold) {
    this.#run = run
    this.#fold = fold
  }

  /** True if nothing follows until somebody answers a question or sends a message, or if the run has ended. */
  get isAtRest(): boolean {
    const { state } = this.#fold
    if (state.ended !== undefined) return true
    return statusOf(state) === 'suspended' && [...state.waits.values()].some(({ type }) => type !== 'timer')
  }

  /** Applies the next record, and returns its chunks. */
  add([n, record]: NumberedRecord): Chunk[] {
    const { state, definitions } = this.#fold
    const before = openQuestions(this.#run, this.#fold)
    const settled = this.#settled(record)
    applyRecord(state, record, definitions)
    const dropped = state.droppedEffects.splice(0).flatMap(({ id }) => this.#dropped(id))
    const requested = state.frames.get(record.frame)?.pendingEffects.filter((effect) => effect.record === n) ?? []
    const now = openQuestions(this.#run, this.#fold)
    const asked = [...now].filter(([id]) => !before.has(id)).map(([, question]) => dataChunk('question', question))
    const closed = [...before].filter(([id]) => !now.has(id))
    const answered = closed.map(([id, { id: question = '' }]) => dataChunk('answered', { id: question, ...closingOf(id, record, state) }))
    return [...settled, ...dropped, ...answered, ...requested.flatMap((effect) => this.#requested(effect)), ...asked, ...this.#failed()]
  }

  /** Returns the chunks that end everything that is still open. */
  end(): Chunk[] {
    return [...this.#answers.values()].flatMap((answer) => endsOf(answer))
  }

  #requested({ id, port, args }: PendingEffect): Chunk[] {
    if (port === ANSWERS) this.#answers.set(id, { effect: String(id), round: 0, text: '', reasoning: '' })
    if (port !== TOOLS || !isObject(args)) return []
    this.#tools.add(id)
    const toolName = typeof args.tool === 'string' ? args.tool : TOOLS
    return [{ type: 'tool-input-available', toolCallId: this.#callId(id), toolName, input: args.args ?? {}, dynamic: true }]
  }

  #callId(id: Ref): string {
    return `${this.#run}:${id}`
  }

  #settled({ input }: Rec): Chunk[] {
    if (input?.[0] !== 'part' && input?.[0] !== 'ok' && input?.[0] !== 'err') return []
    const [type, id, value] = input
    const answer = this.#answers.get(id)
    if (answer !== undefined) return type === 'part' ? grow(answer, value) : this.#answered(id, answer, type === 'ok' ? value : undefined)
    if (type === 'part' || !this.#tools.delete(id)) return []
    const toolCallId = this.#callId(id)
    return [
      type === 'ok'
        ? { type: 'tool-output-available', toolCallId, output: value, dynamic: true }
        : { type: 'tool-output-error', toolCallId, errorText: messageOf(value), dynamic: true },
    ]
  }

  /** Returns the end of an answer: what was not streamed of it, for a model that does not stream all of it. */
  #answered(id: Ref, answer: OpenAnswer, value: Json | undefined): Chunk[] {
    this.#answers.delete(id)
    const { text, reasoning } = isObject(value) ? value : {}
    const rest = { ...restOf('reasoning', answer.reasoning, reasoning), ...restOf('text', answer.text, text) }
    return [...grow(answer, rest), ...endsOf(answer)]
  }

  #dropped(id: Ref): Chunk[] {
    const answer = this.#answers.get(id)
    this.#answers.delete(id)
    if (answer !== undefined) return endsOf(answer)
    if (!this.#tools.delete(id)) return []
    return [{ type: 'tool-output-error', toolCallId: this.#callId(id), errorText: 'the call was cancelled', dynamic: true }]
  }

  #failed(): Chunk[] {
    const { ended } = this.#fold.state
    if (ended === undefined || ended.status === 'done') return []
    return ended.status === 'cancelled' ? [{ type: 'abort' }] : [{ type: 'error', errorText: messageOf(ended.value ?? null) }]
  }
}

function restOf(name: 'text' | 'reasoning', streamed: string, whole: Json | undefined): JsonObject {
  return typeof whole === 'string' && whole.length > streamed.length && whole.startsWith(streamed)
    ? { [name]: whole.slice(streamed.length) }
    : {}
}

/** Adds a part of an answer. Pieces that are void because another try began end; a data part names them. */
function grow(answer: OpenAnswer, delta: Json): Chunk[] {
  if (!isObject(delta)) return []
  const chunks: Chunk[] = []
  if (delta.restart !== undefined) {
    chunks.push(...endsOf(answer), dataChunk('restart', { id: idOf(answer), because: delta.restart }))
    answer.round++
    answer.text = ''
    answer.reasoning = ''
  }
  for (const name of ['reasoning', 'text'] as const) {
    const piece = delta[name]
    if (typeof piece !== 'string' || piece === '') continue
    if (answer[name] === '') chunks.push({ type: `${name}-start`, id: idOf(answer) })
    chunks.push({ type: `${name}-delta`, id: idOf(answer), delta: piece })
    answer[name] += piece
  }
  return chunks
}

function endsOf(answer: OpenAnswer): Chunk[] {
  return (['reasoning', 'text'] as const).flatMap((name) => (answer[name] === '' ? [] : [{ type: `${name}-end`, id: idOf(answer) }]))
}

function idOf({ effect, round }: OpenAnswer): string {
  return round === 0 ? effect : `${effect}-${round + 1}`
}

function dataChunk(name: string, data: JsonObject): Chunk {
  return { type: `data-${name}`, ...(typeof data.id === 'string' ? { id: `${name} ${data.id}` } : {}), data }
}

function messageOf(value: Json): string {
  return isObject(value) && typeof value.message === 'string' ? value.message : 'it failed'
}
