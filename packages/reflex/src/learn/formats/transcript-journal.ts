import { archiveOf } from '../../history/archive/export.ts'
import {
  type Call,
  type Change,
  encodeRecord,
  type FaultData,
  faultData,
  FORMAT,
  type Host,
  isObject,
  type Json,
  type JsonObject,
  type Port,
  type Program,
  type Run,
  Runtime,
  storedProgram,
} from '../../kernel/index.ts'
import type { ImportedTurn, ModelReply, TurnInput } from '../../kinds/skill/model/turn.ts'
import { turnKind } from '../../kinds/skill/turn/kind.ts'
import { usedOf } from '../../kinds/skill/turn/ports.ts'
import { TURN_KEYS } from '../../kinds/skill/turn/turn.ts'
import { memoryStore } from '../../store/index.ts'
import { faults } from '../shapes/faults.ts'
import type { TranscriptFormat } from './detect.ts'
import { importedProgram } from './imported-run.ts'
import { TranscriptClock } from './transcript-clock.ts'
import type { TranscriptCall, TranscriptStrand, TranscriptTurn } from './transcript.ts'

type Reply = Extract<TranscriptTurn, { readonly type: 'reply' }>
type Answer = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly fault: Error }

/** A transcript that becomes a run. */
export interface RecordedTurn {
  readonly id: string
  readonly format: TranscriptFormat
  readonly imported: ImportedTurn
  readonly conversation: string | undefined
  readonly strand: TranscriptStrand
  /** False if the transcript says that the session failed. */
  readonly succeeded: boolean | undefined
  /** Milliseconds since the epoch at which it began. */
  readonly started: number
}

/** A call that was made, and the time of its result in milliseconds since the epoch. */
interface OpenCall {
  readonly id: string
  readonly call: TranscriptCall
  readonly ends: number
}

/**
 * Makes the run that a transcript records, and returns the lines of its archive. The runtime makes it in memory, with ports that answer from the
 * transcript: nothing is performed, and the journal replays like any other. A call without a result stays open until the end of the run, which drops it.
 */
export async function transcriptArchive(host: Host, turn: RecordedTurn): Promise<AsyncIterable<string>> {
  const clock = new TranscriptClock(host, turn.id, turn.started)
  const player = new TranscriptPlayer(turn, clock)
  const runtime = new Runtime({ kinds: [turnKind], ports: player.ports, host: clock })
  const { name, source } = importedProgram(turn.format)
  try {
    const program = runtime.programs.add('turn', name, source)
    return await storedArchive(await player.play(runtime, program), program)
  } finally {
    await runtime.close()
  }
}

/** Stores an ended run, which no store has, in one of its own. A store that had it from the start would have its state at several records. */
async function storedArchive({ id, state, records }: Run, root: Program): Promise<AsyncIterable<string>> {
  const store = memoryStore()
  const { start, time } = state
  const [program] = start?.pins ?? []
  if (start === undefined || program === undefined) throw faults.make('R2166', 'the run of the transcript has not begun', { run: id })
  const worker = { id, host: '', pid: 0 }
  const row = { status: 'running', updated: time, due: null, waits: [] } as const
  await store.hello(worker, time, 1)
  const lease = await store.create({ ...row, id, trace: start.trace, program, started: start.at }, worker)
  if (lease === 'taken') throw faults.make('R2166', 'the run of the transcript is stored already', { run: id })
  const encoded = records.map(encodeRecord)
  const blobs = new Map(encoded.flatMap((record) => [...(record.blobs ?? [])]))
  const body = `[${encoded.map(({ text }) => text).join(',\n')}]`
  await store.commit([{ lease, first: 1, count: records.length, version: FORMAT, body, row, programs: [storedProgram(root)], blobs }])
  return archiveOf(store, { id })
}

/** Does what the agent of a transcript did, in its order and at its times. */
class TranscriptPlayer {
  readonly #turn: RecordedTurn
  readonly #clock: TranscriptClock
  readonly #answers = new Map<string, PromiseWithResolvers<Answer>>()
  readonly #settled = new Map<string, () => void>()
  readonly #texts: string[] = []
  #run: Run | undefined
  #runtime: Runtime | undefined
  #asked = 0
  #sent = 0
  #calls = 0

  constructor(turn: RecordedTurn, clock: TranscriptClock) {
    this.#turn = turn
    this.#clock = clock
  }

  /** The ports of the run: they answer from the transcript. */
  get ports(): Readonly<Record<string, Port>> {
    const perform = (call: Call): Promise<Json> => this.#answer(call)
    const port = { leaves: false, repeat: 'free', perform } as const
    return { 'wrap.model': { ...port, used: usedOf }, 'wrap.tool': port }
  }

  /** Makes the run, and returns it when it has ended. */
  async play(runtime: Runtime, program: Program): Promise<Run> {
    const { id, imported, conversation, strand, succeeded } = this.#turn
    const args = { imported, ...(conversation === undefined ? {} : { conversation }) }
    this.#runtime = runtime
    const run = await runtime.start(program, {
      id,
      args: args as unknown as Json,
      prepare: (begun) => void begun.observe((change) => this.#observe(change)),
    })
    this.#run = run
    for (const turn of strand.turns)
      if (turn.type === 'user') this.#texts.push(turn.text)
      else await this.#reply(turn)
    // What the user wrote at the end has no reply in the transcript.
    for (const text of this.#texts.slice(this.#sent)) await this.#command({ do: 'note', note: { user: text } })
    const end: TurnInput =
      succeeded === false ? { do: 'end', status: 'failed', value: sessionFault() } : { do: 'end', status: 'done', value: finalText(strand) }
    await this.#command(end)
    await run.idle({ until: 'end' })
    return run
  }

  /** A reply of the model, and then its calls: all are made before the first one is answered. */
  async #reply({ isInferred, at, usage, text, calls }: Reply): Promise<void> {
    this.#clock.advance(at)
    if (isInferred === true) await this.#command({ do: 'note', note: { reply: 'inferred' } })
    else {
      const reply: ModelReply = {
        parts: [
          ...(text === '' ? [] : [{ text }]),
          ...calls.map(({ tool, args }, i) => ({ call: { id: `call-${this.#calls + i + 1}`, name: tool, arguments: args } })),
        ],
        ...(Object.keys(usage).length === 0 ? {} : { usage }),
      }
      await this.#settle(await this.#ask(), { ok: true, value: reply as unknown as Json })
    }
    for (const { id, call, ends } of await this.#call(calls)) {
      this.#clock.advance(ends)
      await this.#settle(id, answerOf(call))
    }
  }

  /** Makes the calls of a reply. Returns those with a result, in the order in which their results came. */
  async #call(calls: readonly TranscriptCall[]): Promise<readonly OpenCall[]> {
    const open: OpenCall[] = []
    for (const call of calls) {
      this.#clock.advance(call.at)
      const id = `tool/${++this.#calls}`
      if (call.isAnswered) open.push({ id, call, ends: this.#clock.now() + call.ms })
      const { tool, args, ok } = call
      await this.#command({ do: 'tool', id, tool, args, ...(ok === 2 ? { outcome: 'unknown' } : {}) })
    }
    return open.sort((one, other) => one.ends - other.ends)
  }

  /** Sends a request of the model with what the user has written since the one before. Returns its id. */
  async #ask(): Promise<string> {
    const id = `model/${++this.#asked}`
    const texts = this.#texts.slice(this.#sent)
    const request = { keep: this.#sent, add: texts.map((content) => ({ role: 'user', content })) }
    const base = this.#asked === 1 ? {} : { base: `model/${this.#asked - 1}` }
    this.#sent = this.#texts.length
    const userText = texts.length === 0 ? {} : { userText: texts.join('\n') }
    await this.#command({ do: 'model', id, request: { ...base, ...request }, ...userText })
    return id
  }

  async #command(input: TurnInput): Promise<void> {
    this.#runtime?.resetClock()
    await this.#run?.command(0, input as unknown as Json)
  }

  /** Answers an effect of the run, and waits until the run has recorded it. */
  async #settle(id: string, answer: Answer): Promise<void> {
    const settled = new Promise<void>((resolve) => this.#settled.set(id, resolve))
    this.#runtime?.resetClock()
    this.#answerOf(id).resolve(answer)
    await settled
  }

  async #answer({ args }: Call): Promise<Json> {
    const id = isObject(args) && typeof args['id'] === 'string' ? args['id'] : ''
    const answer = await this.#answerOf(id).promise
    this.#answers.delete(id)
    if (!answer.ok) throw answer.fault
    return answer.value
  }

  #answerOf(id: string): PromiseWithResolvers<Answer> {
    const known = this.#answers.get(id) ?? Promise.withResolvers<Answer>()
    this.#answers.set(id, known)
    return known
  }

  #observe({ record: { writes = [] } }: Change): void {
    const prefix = TURN_KEYS.result('')
    for (let i = 0; i < writes.length; i += 2) {
      const key = writes[i]
      if (typeof key !== 'string' || !key.startsWith(prefix)) continue
      const id = key.slice(prefix.length)
      this.#settled.get(id)?.()
      this.#settled.delete(id)
    }
  }
}

/** Returns the answer of a call as the transcript has it: what a failed call gave is the message of its failure. */
function answerOf({ ok, result, tool }: TranscriptCall): Answer {
  if (ok !== 0) return { ok: true, value: result }
  const said = typeof result === 'string' ? result : JSON.stringify(result)
  return { ok: false, fault: faults.make('R2167', `${tool} has failed: ${said}`, { severity: 'error' }) }
}

function sessionFault(): JsonObject {
  return faultData(faults.make('R2168', 'the transcript says that its session failed')) as FaultData & JsonObject
}

/** Returns the text of the last reply. */
function finalText({ turns }: TranscriptStrand): string {
  const last = turns.at(-1)
  return last?.type === 'reply' ? last.text : ''
}
