import {
  type Change,
  digest,
  type PendingEffect,
  type Frame,
  framePath,
  type Input,
  isObject,
  type Json,
  type JournalPart,
  nodePath,
  type Rec,
  type Ref,
  State,
  strandName,
  type Wait,
} from '../../kernel/index.ts'
import { type Facts, failureResult, nameOf, programFacts, type SpanResult, frameResult, faultFacts, usageFacts } from './span-facts.ts'
import { definitionFinder } from '../../programs/kind-view.ts'
import type { ViewedPrograms } from '../../programs/kinds.ts'

/** The span of a run, a called program, a branch, an effect or a wait, projected from its records. */
export interface ProjectedSpan {
  /** The trace id of the run: 32 hexadecimal digits. */
  readonly trace: string
  /** 16 hexadecimal digits. They depend only on the trace id and the place in the journal, so they are the same in every process. */
  readonly id: string
  readonly parent?: string
  readonly what: 'run' | 'call' | 'branch' | 'effect' | 'wait'
  readonly name: string
  /** True if it is known to leave this process: a call of a model or a tool. */
  readonly client: boolean
  /** Milliseconds since the epoch. */
  readonly start: number
  /** Absent while the span is open. */
  readonly end?: number
  readonly status: 'unset' | 'ok' | 'error'
  /** The message of the failure. */
  readonly message?: string
  readonly attributes: Facts
  /** The spans that it continues: for a fork, the source run. */
  readonly links: readonly { readonly trace: string; readonly id: string; readonly attributes: Facts }[]
}

/** The spans that a record opened and closed. */
export interface SpanChanges {
  readonly opened: readonly ProjectedSpan[]
  readonly closed: readonly ProjectedSpan[]
}

/** The facts that are not in the records. */
export interface ProjectionOptions {
  /** The state before the first record, if it is not the first of the run. Spans that are open in it begin with it. */
  readonly opening?: State | undefined
  /** The trace id of the source run of a fork. */
  readonly origin?: string | undefined
}

interface OpenSpan {
  span: ProjectedSpan
  readonly kind: { readonly frame: Frame } | { readonly pendingEffect: PendingEffect } | { readonly wait: Wait }
}

const NOTHING: SpanChanges = { opened: [], closed: [] }

/** Returns the id of a span from its name in the journal of a trace: `run`, `effect 12`, `wait 4w`, `frame 12f`. */
export function spanId(trace: string, name: string): string {
  return digest(`${trace} ${name}`).slice(0, 16)
}

/**
 * Projects the spans of a run from its records in order: one for the run, with nested spans for calls, branches, effects and waits. Pure:
 * the same records give the same spans in every process and at any time. The spans of the shared records of a fork are in the trace of its
 * source run; spans that were open at the fork begin with the fork.
 */
export class SpanProjection {
  readonly state: State
  readonly #definitions: ViewedPrograms
  readonly #options: ProjectionOptions
  readonly #open = new Map<string, OpenSpan>()

  /** `definitionsFor` returns the programs of a state, which give the names of nodes. */
  constructor(definitionsFor: (state: State) => ViewedPrograms, options: ProjectionOptions = {}) {
    this.state = options.opening ?? new State()
    this.#definitions = definitionsFor(this.state)
    this.#options = options
    if (this.state.start !== undefined) this.#openStanding()
  }

  /** The open spans after the records so far, outermost first. */
  get open(): readonly ProjectedSpan[] {
    return [...this.#open.values()].map(({ span }) => span)
  }

  /** Adds the next record. Throws `R5003` for a record that cannot follow the records before it. */
  add(record: Rec): SpanChanges {
    const frame = this.state.frames.get(record.frame)
    const before = frame?.position
    const path = frame === undefined ? '' : framePath(frame, this.#definitions)
    this.state.apply(record)
    this.state.droppedEffects.length = 0
    const { n, start } = this.state
    if (start === undefined) return NOTHING
    const changes = record.more?.start === undefined ? this.#changes(record, path, before) : { opened: [this.#openRun()], closed: [] }
    const shared = start.fork?.[1] ?? 0
    if (n <= shared) return NOTHING
    return shared > 0 && n === shared + 1 ? { opened: this.#restartOpen(), closed: [] } : changes
  }

  /** Opens the spans of everything that is in progress before the first record. */
  #openStanding(): void {
    const { frames, waits } = this.state
    this.#openRun(this.state.start?.at)
    for (const id of frames.keys()) this.#openFrame(id)
    for (const effect of this.state.pendingEffects()) this.#openEffect(effect.id, framePath(effect.frame, this.#definitions))
    for (const id of waits.keys()) this.#openWait(id)
  }

  /** Begins the spans that were open at the fork again. */
  #restartOpen(): ProjectedSpan[] {
    for (const open of this.#open.values()) open.span = { ...open.span, start: this.state.time }
    return [...this.open]
  }

  #changes(record: Rec, path: string, before: Json | undefined): SpanChanges {
    const frame = this.state.frames.get(record.frame)
    const change = frame === undefined ? undefined : { n: this.state.n, at: this.state.time, record, state: this.state, frame, before }
    const opened = this.#openedSpans(record, path)
    const closed = this.#closedSpans(record, change)
    return opened.length + closed.length === 0 ? NOTHING : { opened, closed }
  }

  // Beginning

  #openRun(at?: number): ProjectedSpan {
    const { start, root } = this.state
    const [pin] = start?.pins ?? []
    const fork = start?.fork
    const origin = this.#options.origin
    const forked = fork === undefined ? {} : { 'reflex.fork.run': fork[0], 'reflex.fork.record': fork[1] }
    return this.#begin(
      'run',
      {
        what: 'run',
        at,
        name: `run ${pin?.[0] ?? ''}`,
        attributes: { 'reflex.record': 1, ...programFacts(pin), ...forked },
        links: origin === undefined ? [] : [{ trace: origin, id: spanId(origin, 'run'), attributes: forked }],
      },
      { frame: root },
    )
  }

  #openedSpans(record: Rec, path: string): ProjectedSpan[] {
    const { n } = this.state
    const { call, spawn = [], wait = [] } = record.more ?? {}
    return [
      ...(call === undefined ? [] : this.#openFrame(`${n}f`)),
      ...spawn.flatMap((_, i) => this.#openFrame(refOf(n, 's', i))),
      ...(record.requests ?? []).flatMap((_, i) => this.#openEffect(i === 0 ? n : `${n}.${i}`, path)),
      ...wait.flatMap((_, i) => this.#openWait(refOf(n, 'w', i))),
    ]
  }

  #openFrame(id: Ref): ProjectedSpan[] {
    const frame = this.state.frames.get(id)
    if (frame?.link === undefined) return []
    const what = frame.link.role === 'call' ? 'call' : 'branch'
    const pin = this.state.pins[frame.pin]
    const node = framePath(frame.link.caller, this.#definitions)
    const branch = strandName(frame, this.#definitions)
    const attributes = {
      ...programFacts(pin),
      'reflex.node': node,
      'reflex.frame': String(id),
      ...(branch === undefined ? {} : { 'reflex.branch': branch }),
    }
    return [
      this.#begin(`frame ${id}`, { what, name: `${what} ${branch ?? pin?.[0] ?? ''}`, attributes, parent: frame.link.caller }, { frame }),
    ]
  }

  #openEffect(id: Ref, path: string): ProjectedSpan[] {
    const pendingEffect = this.state.effect(id)
    if (pendingEffect === undefined) return []
    const { def, kind } = this.#definitions.program(pendingEffect.frame.pin)
    const node = nodePath(pendingEffect.frame, this.#definitions.kind(kind).node?.(def, pendingEffect.frame.position), this.#definitions)
    const { name, facts } = nameOf(pendingEffect, node === '' ? path : node)
    const attributes = {
      'reflex.record': pendingEffect.record,
      'reflex.effect': String(id),
      'reflex.port': pendingEffect.port,
      'reflex.node': node,
      ...facts,
    }
    return [
      this.#begin(
        `effect ${id}`,
        {
          what: 'effect',
          name,
          attributes,
          parent: pendingEffect.frame,
          client: pendingEffect.port === 'model' || pendingEffect.port === 'tool',
        },
        { pendingEffect },
      ),
    ]
  }

  #openWait(id: Ref): ProjectedSpan[] {
    const wait = this.state.waits.get(id)
    if (wait === undefined) return []
    const due = wait.due === undefined ? {} : { 'reflex.wait.due': timeText(wait.due) }
    const attributes = {
      'reflex.record': wait.record,
      'reflex.wait': String(id),
      'reflex.wait.type': wait.type,
      'reflex.node': framePath(wait.frame, this.#definitions),
      ...due,
      ...faultFacts(wait.about),
    }
    return [
      this.#begin(
        `wait ${id}`,
        { what: 'wait', at: wait.since, name: `wait ${wait.type} ${wait.name}`, attributes, parent: wait.frame },
        { wait },
      ),
    ]
  }

  #begin(
    key: string,
    {
      parent,
      at,
      ...facts
    }: Pick<ProjectedSpan, 'what' | 'name' | 'attributes'> & {
      readonly parent?: Frame
      /** The time at which it began, if it is not that of the current record. */
      readonly at?: number | undefined
      readonly client?: boolean
      readonly links?: ProjectedSpan['links']
    },
    kind: OpenSpan['kind'],
  ): ProjectedSpan {
    const { start, n, time } = this.state
    const trace = start?.trace ?? ''
    const span: ProjectedSpan = {
      trace,
      id: spanId(trace, key),
      ...(parent === undefined ? {} : { parent: spanId(trace, parent.link === undefined ? 'run' : `frame ${parent.id}`) }),
      client: false,
      links: [],
      ...facts,
      start: at ?? time,
      status: 'unset',
      attributes: { 'reflex.run': start?.run ?? '', 'reflex.record': n, ...facts.attributes },
    }
    this.#open.set(key, { span, kind })
    return span
  }

  // Ending

  #closedSpans(record: Rec, change: Omit<Change, 'def'> | undefined): ProjectedSpan[] {
    const { input, more } = record
    const ownKey = record.frame === 0 ? 'run' : `frame ${record.frame}`
    const ending = this.#endingOf(input, change)
    const removesSpans = more?.return !== undefined || more?.drop !== undefined || input?.[0] === 'answer' || input?.[0] === 'kernel'
    const removed = removesSpans
      ? [...this.#open].reverse().filter(([key, open]) => key !== ownKey && key !== ending?.[0] && this.#isRemoved(open))
      : []
    return [
      ...(ending === undefined ? [] : this.#end(...ending)),
      ...removed.flatMap(([key]) => this.#end(key, { facts: { 'reflex.status': 'dropped' } })),
      ...(more?.return === undefined ? [] : this.#end(ownKey, frameResult(more.return))),
    ]
  }

  /** Returns the span that an input ends, and its result. */
  #endingOf(
    input: Input | undefined,
    change: Omit<Change, 'def'> | undefined,
  ): readonly [key: string, result: Partial<SpanResult>] | undefined {
    switch (input?.[0]) {
      case 'ok':
        return [`effect ${input[1]}`, { status: 'ok', facts: this.#usageOf(input[2], change) }]
      case 'err':
        return [`effect ${input[1]}`, failureResult(input[2])]
      case 'answer':
      case 'message': {
        if (this.#isOpen(input[1])) return undefined
        const by = input[0] === 'answer' ? input[3] : input[4]
        return [
          `wait ${input[1]}`,
          { status: 'ok', facts: { 'reflex.wait.met': input[0], ...(by === undefined ? {} : { 'reflex.wait.by': by }) } },
        ]
      }
      case 'messages':
        return this.#isOpen(input[1]) ? undefined : [`wait ${input[1]}`, { status: 'ok', facts: { 'reflex.wait.met': 'message' } }]
      case 'timer':
        if (this.#isOpen(input[1])) return undefined
        return [`wait ${input[1]}`, { status: 'ok', facts: { 'reflex.wait.met': 'timer' } }]
      default:
        return undefined
    }
  }

  /** True for a wait that stays open after its input. */
  #isOpen(wait: Ref): boolean {
    return this.state.waits.has(wait)
  }

  #end(key: string, result: Partial<SpanResult>): ProjectedSpan[] {
    const open = this.#open.get(key)
    if (open === undefined) return []
    this.#open.delete(key)
    return [this.#endedSpan(open.span, result)]
  }

  #isRemoved({ kind }: OpenSpan): boolean {
    if ('frame' in kind) return kind.frame.gone
    if ('pendingEffect' in kind)
      return kind.pendingEffect.frame.gone || !kind.pendingEffect.frame.pendingEffects.includes(kind.pendingEffect)
    return this.state.waits.get(kind.wait.id) !== kind.wait
  }

  #endedSpan(span: ProjectedSpan, { status = 'unset', message, facts = {} }: Partial<SpanResult>): ProjectedSpan {
    return {
      ...span,
      end: this.state.time,
      status,
      ...(message === undefined ? {} : { message }),
      attributes: { ...span.attributes, 'reflex.status': status === 'error' ? 'failed' : 'done', ...facts },
    }
  }

  /** Returns the usage of a model by an effect, from its reply or from the story of the kind. */
  #usageOf(value: Json, change: Omit<Change, 'def'> | undefined): Facts {
    if (isObject(value) && isObject(value.usage)) return usageFacts({ ...value.usage, model: value.model ?? null, usd: value.cost ?? null })
    if (change === undefined) return {}
    const program = this.#definitions.program(change.frame.pin)
    const story =
      this.#definitions.view(program.kind).story?.({ ...change, def: program.def }, definitionFinder(change.state, this.#definitions)) ?? []
    for (const { facts } of story) if (isObject(facts?.used)) return usageFacts(facts.used)
    return {}
  }
}

/** Returns the spans of a part of a journal: the ended ones in the order of their ends, then those without an end. */
export async function projectSpans(
  part: JournalPart,
  definitionsFor: (state: State) => ViewedPrograms,
  options: Pick<ProjectionOptions, 'origin'> = {},
): Promise<ProjectedSpan[]> {
  const projection = new SpanProjection(definitionsFor, { ...options, opening: part.opening() })
  const ended: ProjectedSpan[] = []
  for await (const [, record] of part.records()) ended.push(...projection.add(record).closed)
  return [...ended, ...projection.open]
}

function refOf(n: number, letter: string, index: number): string {
  return index === 0 ? `${n}${letter}` : `${n}${letter}${index}`
}

/** Returns a time in UTC and ISO 8601; a time outside the calendar as its number of milliseconds. */
function timeText(ms: number): string {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString()
}
