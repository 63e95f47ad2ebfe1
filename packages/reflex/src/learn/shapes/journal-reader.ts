import {
  type Frame,
  hidesContents,
  isList,
  isObject,
  type Json,
  type PendingEffect,
  type Rec,
  type Ref,
  type RunRow,
  type Start,
  type State,
} from '../../kernel/index.ts'
import type { CallLeaves, RunRead } from './call-sequence.ts'
import { bounded } from './marks.ts'
import { houseTools, operationShape, type ToolShapes } from './operation-shape.ts'
import { type OpenCall, StrandReader } from './strand-reader.ts'
import { boardFacts, textsIn, userTexts } from './user-input.ts'

/** The facts of the host about tools and runs. */
export interface ReadOptions {
  readonly tools?: ToolShapes
  /** Returns the facts of a run that compatibility is matched against. Default: the labels in its start. */
  readonly labels?: (start: State['start'], row: RunRow) => Readonly<Record<string, string>>
}

/** The kind whose frames are one symbol: what happens inside is the skill's own. */
const SKILL = 'skill'
/** The kind whose calls its host makes: the arguments of such a run describe it, and only its input is the user's. */
const TURN = 'turn'
/** The ports of tools and of models, as programs call them and as wrapped agents do. */
const TOOL_PORTS: ReadonlySet<string> = new Set(['tool', 'wrap.tool'])
const MODEL_PORTS: ReadonlySet<string> = new Set(['model', 'wrap.model'])
/** The outcome of a call whose record does not know if it succeeded. */
const UNKNOWN = 2
/** The most characters of texts of users in one run. */
const MOST_TEXT = 65_536
/** The most facts of a run. */
const MOST_FACTS = 500

/** Folds the records of one run and collects the calls of each strand. */
export class JournalReader {
  readonly #state: State
  readonly #options: ReadOptions
  #strands = new Map<Ref, StrandReader>()
  readonly #open = new Map<Ref, OpenCall>()
  /** When each effect was requested that is not the call of a tool. */
  readonly #others = new Map<Ref, number>()
  readonly #texts: string[] = []
  readonly #facts = new Map<string, Json>()
  #textLeft = MOST_TEXT

  constructor(opening: State, options: ReadOptions) {
    this.#state = opening
    this.#options = options
    if (opening.start !== undefined) this.#addTexts(startTexts(opening.start))
  }

  take(record: Rec): void {
    const state = this.#state
    const used = { tokens: state.meter.total.tokens, cost: state.meter.total.cost, unpriced: state.meter.total.unpriced }
    const texts = userTexts(record.input, state)
    const settled = settledEffect(record, state)
    const returned = record.more?.return === undefined ? undefined : this.#open.get(record.frame)
    state.apply(record)
    if (record.more?.start !== undefined) this.#addTexts(startTexts(record.more.start))
    this.#addTexts(texts)
    if (settled !== undefined) this.#settle(settled, record, used)
    if (returned !== undefined) this.#return(returned, record)
    for (const { id } of state.droppedEffects.splice(0)) this.#open.delete(id)
    if (isForkRecord(record)) this.#forget()
    if (isInferredReply(record)) this.#inferReply(record)
    for (const [path, value] of boardFacts(record)) this.#addFact(path, value)
    this.#request(record)
  }

  /** Returns the shape of the run; undefined for a simulated one, and for one without contents. */
  read(row: RunRow): RunRead | undefined {
    const { start } = this.#state
    if (isSimulated(start?.by) || hidesContents({ start })) return undefined
    const leaves: CallLeaves[] = []
    const strands = [...this.#strands.values()]
    const labels = this.#options.labels?.(start, row) ?? { ...labelsIn(start?.by), ...importLabels(start) }
    const succeeded =
      labels.outcome === undefined ? row.status === 'completed' && strands.every((one) => one.endsWell) : labels.outcome === 'ok'
    const sequences = strands.map((strand) => strand.sequence(leaves)).filter(({ symbols }) => symbols.length > 0)
    const final = textsIn(row.value).join('\n').slice(0, MOST_TEXT)
    return { shape: { run: row.id, last: row.last, started: row.started, succeeded, labels, sequences, final }, leaves }
  }

  #strandOf(frame: Frame): StrandReader {
    let base = frame
    while (base.link?.role === 'call') base = base.link.caller
    const known = this.#strands.get(base.id)
    if (known !== undefined) return known
    const made = new StrandReader(String(base.id), this.#texts, this.#facts)
    this.#strands.set(base.id, made)
    return made
  }

  #request({ frame: id, more }: Rec): void {
    const state = this.#state
    const frame = state.frames.get(id)
    if (frame === undefined || this.#isInSkill(frame)) return
    for (const effect of frame.pendingEffects) if (effect.record === state.n) this.#requested(effect)
    if (more?.call !== undefined && frame.callee !== undefined) this.#callSkill(frame.callee, frame)
    if (more?.spawn !== undefined)
      for (const base of frame.strands?.values() ?? []) if (base.link?.record === state.n) this.#callSkill(base, frame)
  }

  #requested(effect: PendingEffect): void {
    const { id, port, args, frame } = effect
    if (!TOOL_PORTS.has(port)) {
      this.#others.set(id, this.#state.time)
      return
    }
    const { tool, args: given = null, outcome } = isObject(args) ? args : {}
    if (typeof tool !== 'string') return
    const facts = this.#options.tools?.(tool) ?? houseTools(tool)
    const call = { symbol: operationShape(tool, given, facts), tool, args: bounded(given) }
    const open = this.#strandOf(frame).call({ ...call, record: this.#state.n, requested: this.#state.time })
    if (outcome === 'unknown') open.ok = UNKNOWN
    this.#open.set(id, open)
  }

  /** A skill is one call, of the strand that called or spawned it. */
  #callSkill(callee: Frame, caller: Frame): void {
    const { pins, n, time } = this.#state
    const [name = '', kind] = pins[callee.pin] ?? []
    if (kind !== SKILL) return
    const symbol = name.startsWith(`${SKILL}:`) ? name : `${SKILL}:${name}`
    const call = { symbol, tool: symbol, args: bounded(callee.args ?? null), record: n, requested: time }
    this.#open.set(callee.id, this.#strandOf(caller).call(call))
  }

  #isInSkill(frame: Frame): boolean {
    for (let at: Frame | undefined = frame; at !== undefined; at = at.link?.caller) if (this.#state.pins[at.pin]?.[1] === SKILL) return true
    return false
  }

  #settle(
    effect: PendingEffect,
    { input }: Rec,
    before: { readonly tokens: number; readonly cost: number; readonly unpriced: number },
  ): void {
    const { time, meter } = this.#state
    const { tokens, cost, unpriced } = meter.total
    const used = { tokens: tokens - before.tokens, cost: cost - before.cost, unpriced: unpriced - before.unpriced }
    const call = this.#open.get(effect.id)
    const requested = this.#others.get(effect.id)
    this.#open.delete(effect.id)
    this.#others.delete(effect.id)
    if (call !== undefined) {
      const value = input?.[0] === 'ok' || input?.[0] === 'err' ? input[2] : null
      Object.assign(call, {
        ok: call.ok === UNKNOWN ? UNKNOWN : input?.[0] === 'ok' && !isFailure(value) ? 1 : 0,
        result: bounded(value),
        ms: time - call.requested,
        cost: used.cost,
      })
    } else if (requested !== undefined && input?.[0] === 'ok' && (MODEL_PORTS.has(effect.port) || used.tokens > 0))
      this.#strandOf(effect.frame).reply({
        ...(used.unpriced > 0 || (used.tokens === 0 && used.cost === 0) ? {} : { usd: used.cost }),
        ...(used.tokens > 0 ? { tokens: used.tokens } : {}),
        ms: time - requested,
      })
  }

  #return(call: OpenCall, { frame, more }: Rec): void {
    const [status, value = null] = more?.return ?? ['failed']
    const said = isObject(value) ? value.status : undefined
    const ok = status === 'done' && (said === undefined || said === 'ok' || said === 'noop') ? 1 : 0
    Object.assign(call, { ok, result: bounded(value), ms: this.#state.time - call.requested })
    this.#open.delete(frame)
  }

  /** The record does not have the reply that issued the next calls: what it took is unknown. */
  #inferReply({ frame: id }: Rec): void {
    const frame = this.#state.frames.get(id)
    if (frame !== undefined) this.#strandOf(frame).reply({ ms: 0 })
  }

  /** Leaves out what a fork shares with its source. */
  #forget(): void {
    this.#strands = new Map()
    this.#open.clear()
  }

  #addTexts(texts: readonly string[]): void {
    for (const text of texts) {
      // Each request of a turn repeats the text that opened it.
      if (text.length > this.#textLeft || text === this.#texts.at(-1)) continue
      this.#textLeft -= text.length
      this.#texts.push(text)
      for (const strand of this.#strands.values()) strand.text(text)
    }
  }

  #addFact(path: string, value: Json): void {
    if (this.#facts.size >= MOST_FACTS && !this.#facts.has(path)) return
    this.#facts.set(path, value)
    for (const strand of this.#strands.values()) strand.fact(path, value)
  }
}

/** Returns the effect that a record settles, before the record is applied. */
function settledEffect({ frame, input }: Rec, state: State): PendingEffect | undefined {
  if (input?.[0] !== 'ok' && input?.[0] !== 'err') return undefined
  return state.frames.get(frame)?.pendingEffects.find(({ id }) => id === input[1])
}

/** True for a result that says that the call failed: an error of MCP, or a command with another exit code than 0. */
function isFailure(result: Json): boolean {
  if (!isObject(result)) return false
  const { isError, code, exit_code: exit = code } = result
  return isError === true || (typeof exit === 'number' && exit !== 0 && ('stdout' in result || 'stderr' in result))
}

/** True for the settings of a simulated run, as `policy/` stores them and as the kernel does. */
export function isSimulated(by: Json | undefined): boolean {
  return isObject(by) && (by.simulate === true || by.simulated === true)
}

/** True for the note that a model has replied, in the record of a run that does not have the reply. */
function isInferredReply({ more }: Rec): boolean {
  return isObject(more?.note) && more.note['reply'] === 'inferred'
}

function startTexts({ args, pins }: Start): readonly string[] {
  return textsIn(pins[0]?.[1] === TURN && isObject(args) ? args['input'] : args)
}

function isForkRecord({ input }: Rec): boolean {
  return input?.[0] === 'kernel' && input[1] === 'fork'
}

/** Returns the labels of a run that was imported from a transcript. */
function importLabels(start: Start | undefined): Readonly<Record<string, string>> {
  const { args, pins = [] } = start ?? {}
  const imported = pins[0]?.[1] === TURN && isObject(args) ? args['imported'] : undefined
  const format = isObject(imported) ? imported['format'] : undefined
  return typeof format === 'string' ? { origin: 'imported', format } : {}
}

/** Returns the labels in the settings of a run: texts by name. */
function labelsIn(by: Json | undefined): Readonly<Record<string, string>> {
  const labels = isObject(by) ? by.labels : undefined
  if (!isObject(labels) || isList(labels)) return {}
  return Object.fromEntries(Object.entries(labels).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
