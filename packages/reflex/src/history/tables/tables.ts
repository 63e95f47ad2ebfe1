import { type RunOutcome, type Frame, type History, isObject, type Json, type Rec, type Scope, type State } from '../../kernel/index.ts'
import type { SpanValue } from '../telemetry/span-facts.ts'
import { type ProjectedSpan, SpanProjection } from '../telemetry/spans.ts'
import { withoutLocalSettings } from '../archive/change-start.ts'

/** The type of a column: text, whole number, number, time in milliseconds since the epoch, true or false, any JSON. */
export type ColumnType = 'text' | 'whole' | 'number' | 'time' | 'flag' | 'json'

/** The tables of an exported store with their columns. An unknown value is null. */
export const TABLES = {
  runs: {
    run: 'text',
    trace: 'text',
    program: 'text',
    kind: 'text',
    hash: 'text',
    status: 'text',
    records: 'whole',
    started: 'time',
    updated: 'time',
    effects: 'whole',
    input_tokens: 'whole',
    output_tokens: 'whole',
    cost_usd: 'number',
    fork_run: 'text',
    fork_record: 'whole',
    args: 'json',
    value: 'json',
  },
  records: {
    run: 'text',
    record: 'whole',
    time: 'time',
    frame: 'text',
    program: 'text',
    input: 'text',
    about: 'text',
    value: 'json',
    position: 'json',
    requests: 'json',
    more: 'json',
  },
  effects: {
    run: 'text',
    effect: 'text',
    record: 'whole',
    node: 'text',
    port: 'text',
    name: 'text',
    started: 'time',
    ended: 'time',
    took_ms: 'whole',
    status: 'text',
    fault: 'text',
    model: 'text',
    input_tokens: 'whole',
    output_tokens: 'whole',
    cost_usd: 'number',
  },
  entries: {
    run: 'text',
    record: 'whole',
    time: 'time',
    frame: 'text',
    scope: 'text',
    key: 'text',
    value: 'json',
    deleted: 'flag',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ColumnType>>>>

export type TableName = keyof typeof TABLES
export type TableRow = Readonly<Record<string, Json | undefined>>
/** A row and its table. */
export type TableEntry = readonly [table: TableName, row: TableRow]

type TableSource = Pick<History, 'row'> & {
  readonly definitionsFor: ConstructorParameters<typeof SpanProjection>[0]
  /** The state before the first record. */
  readonly opening: State
}

/** The rows of one run, from its records; the row of the run comes last. Holds the boards of the run and only the current record. */
export class RunTables {
  readonly #source: TableSource
  readonly #projection: SpanProjection
  readonly #usage = { effects: 0, input: 0, output: 0, cost: undefined as number | undefined }

  constructor(source: TableSource) {
    this.#source = source
    this.#projection = new SpanProjection(source.definitionsFor, { opening: source.opening })
  }

  get #run(): string {
    return this.#source.row.id
  }

  get #state(): State {
    return this.#projection.state
  }

  /** Returns the rows of the next record. */
  *record(record: Rec): Generator<TableEntry> {
    const boards = boardsOf(this.#state, record)
    const sizes = boards.map(({ scope }) => scope.size)
    const program = this.#programOf(record)
    const { closed } = this.#projection.add(record)
    yield ['records', { ...this.#recordRow(record), program: program ?? this.#programOf(record) }]
    for (const [i, { frame, scope, name }] of boards.entries())
      for (const { key, value, record: n, at } of scope.entries(undefined, sizes[i]))
        yield [
          'entries',
          { run: this.#run, record: n, time: at, frame, scope: name, key, value: value ?? null, deleted: value === undefined },
        ]
    for (const span of closed) if (span.what === 'effect') yield ['effects', this.#effectRow(span)]
  }

  /** Returns the last rows: the effects in progress, and the run. */
  *end(): Generator<TableEntry> {
    for (const span of this.#projection.open) if (span.what === 'effect') yield ['effects', this.#effectRow(span)]
    const { id, trace, program, status, last, started, updated } = this.#source.row
    const { start, ended } = this.#state
    const { effects, input, output, cost } = this.#usage
    yield [
      'runs',
      {
        run: id,
        trace,
        program: program[0],
        kind: program[1],
        hash: program[3],
        status,
        records: last,
        started,
        updated,
        effects,
        input_tokens: input,
        output_tokens: output,
        cost_usd: cost,
        fork_run: start?.fork?.[0],
        fork_record: start?.fork?.[1],
        args: start?.args,
        value: valueOf(ended),
      },
    ]
  }

  #programOf({ frame, more }: Rec): string | undefined {
    if (more?.start !== undefined) return more.start.pins[0]?.[0]
    const pin = this.#state.frames.get(frame)?.pin
    return pin === undefined ? undefined : this.#state.pins[pin]?.[0]
  }

  #recordRow({ frame, input, position, requests, more }: Rec): TableRow {
    const [type, about, value] = input ?? []
    const isNamed = typeof about === 'string' || typeof about === 'number'
    return {
      run: this.#run,
      record: this.#state.n,
      time: this.#state.time,
      frame: String(frame),
      input: type,
      about: isNamed ? String(about) : undefined,
      value: isNamed ? value : about,
      position,
      requests: requests as Json | undefined,
      more: (more?.start === undefined ? more : { ...more, start: withoutLocalSettings(more.start, Number.POSITIVE_INFINITY) }) as
        | Json
        | undefined,
    }
  }

  #effectRow({ attributes, name, start, end }: ProjectedSpan): TableRow {
    const input = numberOf(attributes['gen_ai.usage.input_tokens'])
    const output = numberOf(attributes['gen_ai.usage.output_tokens'])
    const cost = numberOf(attributes['reflex.cost.usd'])
    this.#usage.effects++
    this.#usage.input += input ?? 0
    this.#usage.output += output ?? 0
    if (cost !== undefined) this.#usage.cost = (this.#usage.cost ?? 0) + cost
    return {
      run: this.#run,
      effect: attributes['reflex.effect'],
      record: attributes['reflex.record'],
      node: attributes['reflex.node'],
      port: attributes['reflex.port'],
      name,
      started: start,
      ended: end,
      took_ms: end === undefined ? undefined : end - start,
      status: end === undefined ? 'open' : attributes['reflex.status'],
      fault: attributes['reflex.fault'],
      model: attributes['gen_ai.response.model'] ?? attributes['gen_ai.request.model'],
      input_tokens: input,
      output_tokens: output,
      cost_usd: cost,
    }
  }
}

interface Board {
  readonly frame: string
  readonly name: string
  readonly scope: Scope
}

/** Returns the boards that a record can write: those of the frame, the outermost one, and the caller's when the frame returns. */
function boardsOf(state: State, record: Rec): readonly Board[] {
  const frame = state.frames.get(record.frame)
  if (frame === undefined) return []
  const boards: Board[] = [{ frame: String(frame.id), name: 'own', scope: frame.scope }]
  for (const [id] of record.more?.sub ?? []) {
    const scope = frame.subs?.get(id)?.scope
    if (scope !== undefined) boards.push({ frame: String(frame.id), name: String(id), scope })
  }
  const others = [
    ...(record.more?.root === undefined ? [] : [outermostFrame(frame)]),
    ...(record.more?.return === undefined ? [] : callerOf(frame)),
  ]
  for (const { id, scope } of others)
    if (boards.every((board) => board.scope !== scope)) boards.push({ frame: String(id), name: 'own', scope })
  return boards
}

function outermostFrame(frame: Frame): Frame {
  return frame.outer === undefined ? frame : outermostFrame(frame.outer)
}

function callerOf({ link }: Frame): readonly Frame[] {
  return link?.role === 'call' ? [link.caller] : []
}

function valueOf(ended: RunOutcome | undefined): Json | undefined {
  const value = ended?.value
  return isObject(value) && Object.keys(value).length === 0 ? undefined : value
}

function numberOf(value: SpanValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined
}
