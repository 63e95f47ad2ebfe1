import {
  type Change,
  digest,
  type FaultData,
  type Flight,
  type Frame,
  framePath,
  type History,
  isList,
  isObject,
  type Json,
  type JsonObject,
  nodePath,
  type Rec,
  type Ref,
  type RunPrograms,
  State,
  type Wait,
} from './kernel/index.ts'

/** A value that telemetry can carry. */
export type SpanValue = string | number | boolean

/** What a run, a called program, a branch, an effect or a wait took: a span, as its records tell it. */
export interface ProjectedSpan {
  /** The run's trace id: 32 hexadecimal digits. */
  readonly trace: string
  /** 16 hexadecimal digits, the same whoever projects it: they follow from the trace id and the place in the journal. */
  readonly id: string
  readonly parent?: string
  readonly what: 'run' | 'call' | 'branch' | 'effect' | 'wait'
  readonly name: string
  /** Leaves this process, as far as is known: a model or a tool is asked. */
  readonly client: boolean
  /** Milliseconds since the epoch. */
  readonly start: number
  /** Absent while it goes on. */
  readonly end?: number
  readonly status: 'unset' | 'ok' | 'error'
  /** Why it failed. */
  readonly message?: string
  readonly attributes: Readonly<Record<string, SpanValue>>
  /** What it goes on from: for a fork, the run that it was forked from. */
  readonly links: readonly { readonly trace: string; readonly id: string; readonly attributes: Readonly<Record<string, SpanValue>> }[]
}

/** What a record began and ended. */
export interface SpanChanges {
  readonly opened: readonly ProjectedSpan[]
  readonly closed: readonly ProjectedSpan[]
}

/** What is known beside the journal. */
export interface ProjectionOptions {
  /** The trace id of the run that this one was forked from. */
  readonly origin?: string | undefined
}

interface Open {
  span: ProjectedSpan
  readonly kind: { readonly frame: Frame } | { readonly flight: Flight } | { readonly wait: Wait }
}

const NOTHING: SpanChanges = { opened: [], closed: [] }

/** The id of the span of something that the journal of a trace names: `run`, `effect 12`, `wait 4w`, `frame 12f`. */
export function spanId(trace: string, name: string): string {
  return digest(`${trace} ${name}`).slice(0, 16)
}

/**
 * Spans of a run, projected from its records one after another: one for the run, nested ones for calls, branches, effects
 * and waits. Pure: the same records give the same spans, in whichever process and however late. Of a fork, what it shares with the run
 * that it was forked from stands in the trace of that one; what was open there begins with the fork.
 */
export class SpanProjection {
  readonly state = new State()
  readonly #definitions: RunPrograms
  readonly #options: ProjectionOptions
  readonly #open = new Map<string, Open>()

  /** `definitionsFor`: the programs of a state, by which nodes are named. */
  constructor(definitionsFor: (state: State) => RunPrograms, options: ProjectionOptions = {}) {
    this.#definitions = definitionsFor(this.state)
    this.#options = options
  }

  /** What goes on after the records so far, outermost first. */
  get open(): readonly ProjectedSpan[] {
    return [...this.#open.values()].map(({ span }) => span)
  }

  /** Takes the next record. Throws `R5003` for one that cannot follow those before it. */
  add(record: Rec): SpanChanges {
    const frame = this.state.frames.get(record.frame)
    const before = frame?.position
    const path = frame === undefined ? '' : framePath(frame, this.#definitions)
    this.state.apply(record)
    this.state.dropped.length = 0
    const { n, start } = this.state
    if (start === undefined) return NOTHING
    const changes = record.more?.start === undefined ? this.#changes(record, path, before) : { opened: [this.#run()], closed: [] }
    const shared = start.fork?.[1] ?? 0
    if (n <= shared) return NOTHING
    return shared > 0 && n === shared + 1 ? { opened: this.#begun(), closed: [] } : changes
  }

  /** What was open when a run was forked begins anew. */
  #begun(): ProjectedSpan[] {
    for (const open of this.#open.values()) open.span = { ...open.span, start: this.state.time }
    return [...this.open]
  }

  #changes(record: Rec, path: string, before: Json | undefined): SpanChanges {
    const frame = this.state.frames.get(record.frame)
    const change = frame === undefined ? undefined : { n: this.state.n, at: this.state.time, record, state: this.state, frame, before }
    const opened = this.#opened(record, path)
    const closed = this.#closed(record, change)
    return opened.length + closed.length === 0 ? NOTHING : { opened, closed }
  }

  // Beginning

  #run(): ProjectedSpan {
    const { start, root } = this.state
    const [pin] = start?.pins ?? []
    const fork = start?.fork
    const origin = this.#options.origin
    const forked = fork === undefined ? {} : { 'reflex.fork.run': fork[0], 'reflex.fork.record': fork[1] }
    return this.#begin(
      'run',
      {
        what: 'run',
        name: `run ${pin?.[0] ?? ''}`,
        attributes: { ...programFacts(pin), ...forked },
        links: origin === undefined ? [] : [{ trace: origin, id: spanId(origin, 'run'), attributes: forked }],
      },
      { frame: root },
    )
  }

  #opened(record: Rec, path: string): ProjectedSpan[] {
    const { n } = this.state
    const { call, spawn = [], wait = [] } = record.more ?? {}
    return [
      ...(call === undefined ? [] : this.#frame(`${n}f`)),
      ...spawn.flatMap((_, i) => this.#frame(named(n, 's', i))),
      ...(record.requests ?? []).flatMap((_, i) => this.#effect(i === 0 ? n : `${n}.${i}`, path)),
      ...wait.flatMap((_, i) => this.#wait(named(n, 'w', i))),
    ]
  }

  #frame(id: Ref): ProjectedSpan[] {
    const frame = this.state.frames.get(id)
    if (frame?.link === undefined) return []
    const what = frame.link.role === 'call' ? 'call' : 'branch'
    const pin = this.state.pins[frame.pin]
    const node = framePath(frame.link.caller, this.#definitions)
    const attributes = { ...programFacts(pin), 'reflex.node': node, 'reflex.frame': String(id) }
    return [this.#begin(`frame ${id}`, { what, name: `${what} ${pin?.[0] ?? ''}`, attributes, parent: frame.link.caller }, { frame })]
  }

  #effect(id: Ref, path: string): ProjectedSpan[] {
    const flight = this.state.flight(id)
    if (flight === undefined) return []
    const { def, kind } = this.#definitions.program(flight.frame.pin)
    const node = nodePath(flight.frame, this.#definitions.kind(kind).where?.(def, flight.frame.position), this.#definitions)
    const { name, facts } = nameOf(flight, node === '' ? path : node)
    const attributes = { 'reflex.effect': String(id), 'reflex.port': flight.port, 'reflex.node': node, ...facts }
    return [
      this.#begin(
        `effect ${id}`,
        { what: 'effect', name, attributes, parent: flight.frame, client: flight.port === 'model' || flight.port === 'tool' },
        { flight },
      ),
    ]
  }

  #wait(id: Ref): ProjectedSpan[] {
    const wait = this.state.waits.get(id)
    if (wait === undefined) return []
    const due = wait.due === undefined ? {} : { 'reflex.wait.due': new Date(wait.due).toISOString() }
    const attributes = {
      'reflex.wait': String(id),
      'reflex.wait.type': wait.type,
      'reflex.node': framePath(wait.frame, this.#definitions),
      ...due,
    }
    return [this.#begin(`wait ${id}`, { what: 'wait', name: `wait ${wait.type} ${wait.name}`, attributes, parent: wait.frame }, { wait })]
  }

  #begin(
    key: string,
    {
      parent,
      ...facts
    }: Pick<ProjectedSpan, 'what' | 'name' | 'attributes'> & {
      readonly parent?: Frame
      readonly client?: boolean
      readonly links?: ProjectedSpan['links']
    },
    kind: Open['kind'],
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
      start: time,
      status: 'unset',
      attributes: { 'reflex.run': start?.run ?? '', 'reflex.record': n, ...facts.attributes },
    }
    this.#open.set(key, { span, kind })
    return span
  }

  // Ending

  #closed(record: Rec, change: Omit<Change, 'def'> | undefined): ProjectedSpan[] {
    const { input, more } = record
    const closed: ProjectedSpan[] = []
    const end = (key: string, result: Partial<Result>): void => {
      const open = this.#open.get(key)
      if (open === undefined) return
      this.#open.delete(key)
      closed.push(this.#ended(open.span, result))
    }
    if (input?.[0] === 'ok') end(`effect ${input[1]}`, { status: 'ok', facts: this.#used(input[2], change) })
    if (input?.[0] === 'err') end(`effect ${input[1]}`, failure(input[2]))
    if (input?.[0] === 'answer' || input?.[0] === 'message' || input?.[0] === 'timer') {
      const by = input[0] !== 'timer' && input[3] !== undefined ? { 'reflex.wait.by': input[3] } : {}
      end(`wait ${input[1]}`, { status: 'ok', facts: { 'reflex.wait.met': input[0], ...by } })
    }
    const own = record.frame === 0 ? 'run' : `frame ${record.frame}`
    if (more?.return !== undefined || more?.drop !== undefined || input?.[0] === 'answer' || input?.[0] === 'kernel')
      for (const [key, open] of [...this.#open].reverse())
        if (key !== own && this.#isGone(open)) end(key, { facts: { 'reflex.status': 'dropped' } })
    if (more?.return !== undefined) end(own, returned(more.return))
    return closed
  }

  #isGone({ kind }: Open): boolean {
    if ('frame' in kind) return kind.frame.gone
    if ('flight' in kind) return kind.flight.frame.gone || !kind.flight.frame.flights.includes(kind.flight)
    return this.state.waits.get(kind.wait.id) !== kind.wait
  }

  #ended(span: ProjectedSpan, { status = 'unset', message, facts = {} }: Partial<Result>): ProjectedSpan {
    return {
      ...span,
      end: this.state.time,
      status,
      ...(message === undefined ? {} : { message }),
      attributes: { ...span.attributes, 'reflex.status': status === 'error' ? 'failed' : 'done', ...facts },
    }
  }

  /** What a model took for an effect: as its reply says, or as the kind tells it. */
  #used(value: Json, change: Omit<Change, 'def'> | undefined): Readonly<Record<string, SpanValue>> {
    if (isObject(value) && isObject(value.usage)) return usage({ ...value.usage, model: value.model ?? null, usd: value.cost ?? null })
    if (change === undefined) return {}
    const program = this.#definitions.program(change.frame.pin)
    const story = this.#definitions.kind(program.kind).story?.({ ...change, def: program.def }) ?? []
    for (const { facts } of story) if (isObject(facts?.used)) return usage(facts.used)
    return {}
  }
}

/** The spans of a whole journal, as `Runtime.history` gives it: those that have ended, in that order, then those that go on, without an end. Pure. */
export function projectSpans(
  { records, definitions }: Pick<History, 'records' | 'definitions'>,
  options: ProjectionOptions = {},
): ProjectedSpan[] {
  const projection = new SpanProjection(() => definitions, options)
  const ended = records.flatMap((record) => projection.add(record).closed)
  return [...ended, ...projection.open]
}

interface Result {
  readonly status: ProjectedSpan['status']
  readonly message: string | undefined
  readonly facts: Readonly<Record<string, SpanValue>>
}

function named(n: number, letter: string, index: number): string {
  return index === 0 ? `${n}${letter}` : `${n}${letter}${index}`
}

/** What an effect is called, as far as its request says, by the conventions for calls of models and tools. */
function nameOf({ port, args }: Flight, node: string): { readonly name: string; readonly facts: Readonly<Record<string, SpanValue>> } {
  const { tool, model } = isObject(args) ? args : {}
  if (port === 'tool' && typeof tool === 'string')
    return { name: `execute_tool ${tool}`, facts: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool } }
  if (port === 'model')
    return {
      name: typeof model === 'string' ? `chat ${shortName(model)}` : 'chat',
      facts: { 'gen_ai.operation.name': 'chat', ...(typeof model === 'string' ? modelFacts(model, 'request') : {}) },
    }
  if (port === 'ledger' && isList(args) && typeof args[0] === 'string') return { name: `ledger ${args[0]}`, facts: {} }
  return { name: `${port} ${node}`, facts: {} }
}

function programFacts(pin: readonly [string, string, number, string] | undefined): Readonly<Record<string, SpanValue>> {
  return pin === undefined ? {} : { 'reflex.program': pin[0], 'reflex.kind': pin[1], 'reflex.program.hash': pin[3] }
}

function failure(value: Json): Result {
  const fault = isObject(value) ? (value as unknown as FaultData) : undefined
  const used = isObject(value) && isObject(value.data) && isObject(value.data.used) ? usage(value.data.used) : {}
  const code = typeof fault?.code === 'string' ? fault.code : 'unknown'
  const verdict = typeof fault?.verdict === 'string' ? { 'reflex.fault.verdict': fault.verdict } : {}
  return {
    status: 'error',
    message: typeof fault?.message === 'string' ? fault.message : undefined,
    facts: { 'error.type': code, 'reflex.fault': code, ...verdict, ...used },
  }
}

function returned([ending, value]: readonly ['done' | 'failed' | 'cancelled', Json?]): Partial<Result> {
  if (ending === 'done') return { status: 'ok', facts: { 'reflex.status': 'completed' } }
  if (ending === 'cancelled') return { facts: { 'reflex.status': 'cancelled' } }
  const failed = failure(value ?? null)
  return { ...failed, facts: { ...failed.facts, 'reflex.status': 'failed' } }
}

/** Tokens, money and the model that answered, by the conventions for generative models. */
function usage(used: JsonObject): Readonly<Record<string, SpanValue>> {
  const { model, input, output, cached, usd, tries } = used
  return {
    ...(typeof model === 'string' ? modelFacts(model, 'response') : {}),
    'gen_ai.usage.input_tokens': typeof input === 'number' ? input : 0,
    'gen_ai.usage.output_tokens': typeof output === 'number' ? output : 0,
    ...(typeof cached === 'number' ? { 'gen_ai.usage.cache_read.input_tokens': cached } : {}),
    ...(typeof usd === 'number' ? { 'reflex.cost.usd': usd } : {}),
    ...(typeof tries === 'number' ? { 'reflex.model.tries': tries } : {}),
  }
}

/** A model is named `provider:name`. */
function modelFacts(model: string, of: 'request' | 'response'): Readonly<Record<string, SpanValue>> {
  const colon = model.indexOf(':')
  return { [`gen_ai.${of}.model`]: shortName(model), ...(colon > 0 ? { 'gen_ai.provider.name': model.slice(0, colon) } : {}) }
}

function shortName(model: string): string {
  return model.slice(model.indexOf(':') + 1)
}
