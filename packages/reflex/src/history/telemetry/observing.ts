import { isRegistered, loadTelemetry, type ObserveOptions, SAMPLED, type Span, type TelemetryApi } from './api.ts'
import { Metrics } from './metrics.ts'
import { type ProjectedSpan, type SpanChanges, SpanProjection, spanId } from './spans.ts'
import {
  type Fault,
  Journals,
  type Rec,
  type Run,
  RunPrograms,
  type RunRow,
  type Runtime,
  type Store,
  toFault,
} from '../../kernel/index.ts'
import { historyFaults } from '../faults.ts'

/** What observation needs of the rest. */
export interface ObserveWorld {
  readonly runtime: Runtime
  readonly store: Store
  /** Hears of what cannot be told; no run stops over it. */
  readonly onTrouble: (fault: Fault) => void
}

const SCOPE = 'reflex'

/**
 * Tells an application's telemetry of the runs that this process carries: spans and metrics, projected from their durable
 * records. Only where the application has registered a provider, or gave one: else nothing is imported and nothing is done.
 */
export class Observing {
  readonly #world: ObserveWorld
  readonly #options: ObserveOptions | undefined
  readonly #off: boolean
  readonly #under = new Set<Promise<void>>()
  #teller: Promise<Teller> | undefined

  constructor(world: ObserveWorld, options: ObserveOptions | false | undefined) {
    this.#world = world
    this.#options = options === false ? undefined : options
    this.#off = options === false
  }

  /** Follows a run that begins or is opened again, from its next record on. */
  follow(run: Run): void {
    if (this.#off || (this.#options === undefined && !isRegistered())) return
    this.#teller ??= loadTelemetry().then((api) => new Teller(api, this.#options ?? {}))
    const followed = new Followed(this.#world, run, this.#teller)
    const settled = followed.ready.catch((thrown: unknown) =>
      this.#world.onTrouble(untold(thrown, `telemetry of ${run.id} cannot be told`)),
    )
    this.#under.add(settled)
    void settled.finally(() => this.#under.delete(settled))
  }

  /** Resolves once what has become durable so far was told, and handed in as far as providers can: a process may end right after. */
  async settled(): Promise<void> {
    await Promise.all(this.#under)
    if (this.#teller === undefined) return
    try {
      await (await this.#teller).flush()
    } catch (thrown) {
      this.#world.onTrouble(untold(thrown, 'telemetry cannot be handed in'))
    }
  }
}

function untold(thrown: unknown, what: string): Fault {
  return toFault(thrown, (message, cause) => historyFaults.make('R2086', `${what}: ${message}`, { cause }))
}

/** One run whose records are told. */
class Followed {
  /** Resolves once it has caught up with the journal; rejects with what keeps it from that. */
  readonly ready: Promise<void>
  readonly #waiting: Rec[] = []
  #tell: ((record: Rec) => void) | undefined

  constructor(world: ObserveWorld, run: Run, teller: Promise<Teller>) {
    const known = run.state.n
    run.subscribe((record, n) => {
      if (n <= known) return
      if (this.#tell === undefined) this.#waiting.push(record)
      else this.#tell(record)
    })
    this.ready = this.#catchUp(world, run.id, known, teller)
  }

  async #catchUp({ runtime, store }: ObserveWorld, id: string, known: number, telling: Promise<Teller>): Promise<void> {
    try {
      const teller = await telling
      const projection = new SpanProjection((state) => new RunPrograms(runtime.programs, state), { origin: await originOf(store, id) })
      for await (const record of recordsOf(new Journals(store, runtime.programs), id, known)) projection.add(record)
      const told = teller.run(projection.open)
      this.#tell = (record) => told.add(record, projection)
      for (const record of this.#waiting.splice(0)) this.#tell(record)
    } catch (thrown) {
      this.#tell = () => undefined
      this.#waiting.length = 0
      throw thrown
    }
  }
}

/** The records of a run up to number `until`. */
async function* recordsOf(journals: Journals, id: string, until: number): AsyncGenerator<Rec> {
  if (until === 0) return
  let n = 0
  for await (const batch of journals.batches(id))
    for (const record of batch) {
      if (n++ === until) return
      yield record
    }
}

/** The trace of the run that a run was forked from, if both are in this store. */
async function originOf(store: Store, id: string): Promise<string | undefined> {
  const [first] = await store.journal(id)
  const fork = first === undefined || !first.body.includes('"fork":') ? undefined : forkIn(first.body)
  return fork === undefined ? undefined : (await rowOf(store, fork))?.trace
}

async function rowOf(store: Store, id: string): Promise<RunRow | undefined> {
  return (await store.read(id, 0))?.row
}

function forkIn(body: string): string | undefined {
  const rows = JSON.parse(body) as readonly (readonly unknown[])[]
  const more = rows[0]?.at(-1) as { readonly start?: { readonly fork?: readonly [string, number] } } | undefined
  return more?.start?.fork?.[0]
}

/** Tells spans and metrics to the providers of an application. */
class Teller {
  readonly #api: TelemetryApi
  readonly #options: ObserveOptions
  readonly #tracer: ReturnType<ReturnType<TelemetryApi['trace']['getTracerProvider']>['getTracer']>
  readonly #metrics: Metrics

  constructor(api: TelemetryApi, options: ObserveOptions) {
    this.#api = api
    this.#options = options
    this.#tracer = (options.tracerProvider ?? api.trace.getTracerProvider()).getTracer(SCOPE)
    this.#metrics = new Metrics((options.meterProvider ?? api.metrics.getMeterProvider()).getMeter(SCOPE))
  }

  async flush(): Promise<void> {
    const { tracerProvider = this.#api.trace.getTracerProvider(), meterProvider = this.#api.metrics.getMeterProvider() } = this.#options
    // The package puts one of its own before the provider that was registered.
    await (tracerProvider.getDelegate?.() ?? tracerProvider).forceFlush?.()
    await meterProvider.forceFlush?.()
  }

  /** A run, with what goes on in it already: those spans begin here once more, since only whoever ends one hands it in. */
  run(open: readonly ProjectedSpan[]): ToldRun {
    const told = new ToldRun((span, parent) => this.#begin(span, parent), this.#api, this.#metrics)
    told.take({ opened: open, closed: [] }, false)
    return told
  }

  #begin(span: ProjectedSpan, parent: Span | undefined): Span {
    const { ROOT_CONTEXT, SpanKind, trace } = this.#api
    const { ids } = this.#options
    const options = {
      kind: span.client ? SpanKind.CLIENT : SpanKind.INTERNAL,
      startTime: span.start,
      attributes: span.attributes,
      links: span.links.map((link) => ({
        context: { traceId: link.trace, spanId: link.id, traceFlags: SAMPLED, isRemote: true },
        attributes: link.attributes,
      })),
    }
    if (parent !== undefined) {
      const context = trace.setSpan(ROOT_CONTEXT, parent)
      return ids === undefined
        ? this.#tracer.startSpan(span.name, options, context)
        : ids.with({ trace: span.trace, span: span.id }, () => this.#tracer.startSpan(span.name, options, context))
    }
    if (ids !== undefined)
      return ids.with({ trace: span.trace, span: span.id }, () => this.#tracer.startSpan(span.name, options, ROOT_CONTEXT))
    // Without ids of ours a provider takes the trace of a parent, so there has to be one.
    const above = { traceId: span.trace, spanId: spanId(span.trace, 'above'), traceFlags: SAMPLED, isRemote: true }
    return this.#tracer.startSpan(span.name, options, trace.setSpanContext(ROOT_CONTEXT, above))
  }
}

/** The spans of one run that have begun in this process. */
class ToldRun {
  readonly #begin: (span: ProjectedSpan, parent: Span | undefined) => Span
  readonly #api: TelemetryApi
  readonly #metrics: Metrics
  readonly #spans = new Map<string, Span>()

  constructor(begin: (span: ProjectedSpan, parent: Span | undefined) => Span, api: TelemetryApi, metrics: Metrics) {
    this.#begin = begin
    this.#api = api
    this.#metrics = metrics
  }

  add(record: Rec, projection: SpanProjection): void {
    this.take(projection.add(record), true)
  }

  /** `counted`: for metrics too. */
  take({ opened, closed }: SpanChanges, counted: boolean): void {
    for (const span of opened) {
      this.#spans.set(span.id, this.#begin(span, span.parent === undefined ? undefined : this.#spans.get(span.parent)))
      if (counted) this.#metrics.began(span)
    }
    for (const span of closed) {
      this.#end(span)
      if (counted) this.#metrics.ended(span)
    }
  }

  #end(span: ProjectedSpan): void {
    const begun = this.#spans.get(span.id)
    this.#spans.delete(span.id)
    if (begun === undefined) return
    const { OK, ERROR } = this.#api.SpanStatusCode
    begun.setAttributes(span.attributes)
    if (span.status !== 'unset')
      begun.setStatus({ code: span.status === 'ok' ? OK : ERROR, ...(span.message === undefined ? {} : { message: span.message }) })
    begun.end(span.end)
  }
}
