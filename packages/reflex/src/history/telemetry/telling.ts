import { systemHost } from '../../kernel/index.ts'
import { type ObserveOptions, SAMPLED, type Span, type TelemetryApi } from './api.ts'
import { Metrics } from './metrics.ts'
import { type ProjectedSpan, type SpanChanges, spanId } from './spans.ts'

const SCOPE = 'reflex'
/** Milliseconds that each provider has to hand in what it holds when a process ends. */
const PATIENCE = 10_000

/** Tells spans and metrics to the providers of an application. */
export class Teller {
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

  /** Lets both providers hand in what they hold; neither fails with the other. Answers with what went wrong. */
  async flush(): Promise<readonly unknown[]> {
    const { tracerProvider = this.#api.trace.getTracerProvider(), meterProvider = this.#api.metrics.getMeterProvider() } = this.#options
    const handedIn = await Promise.allSettled([
      // The package puts one of its own before the provider that was registered.
      inTime(async () => (tracerProvider.getDelegate?.() ?? tracerProvider).forceFlush?.()),
      inTime(async () => meterProvider.forceFlush?.()),
    ])
    return handedIn.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  }

  /** A run, with what goes on in it already: those spans begin here once more, since only whoever ends one hands it in. */
  run(open: readonly ProjectedSpan[], trouble: (thrown: unknown) => void): ToldRun {
    const begin = (span: ProjectedSpan, parent: Span | undefined): Span => this.#begin(span, parent)
    const told = new ToldRun({ begin, api: this.#api, metrics: this.#metrics, messages: this.#options.messages === true, trouble })
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

/** What one run is told with. */
interface Telling {
  readonly begin: (span: ProjectedSpan, parent: Span | undefined) => Span
  readonly api: TelemetryApi
  readonly metrics: Metrics
  /** Failures are told with their messages. */
  readonly messages: boolean
  /** Hears of what a provider throws. */
  readonly trouble: (thrown: unknown) => void
}

/** The spans of one run that have begun in this process. A provider that throws loses what it was told, and nothing else. */
export class ToldRun {
  readonly #with: Telling
  readonly #spans = new Map<string, Span>()

  constructor(telling: Telling) {
    this.#with = telling
  }

  /** `counted`: for metrics too. */
  take({ opened, closed }: SpanChanges, counted: boolean): void {
    const { begin, metrics } = this.#with
    for (const span of opened) {
      this.#tell(() => this.#spans.set(span.id, begin(span, span.parent === undefined ? undefined : this.#spans.get(span.parent))))
      if (counted) this.#tell(() => metrics.began(span))
    }
    for (const span of closed) {
      this.#tell(() => this.#end(span))
      if (counted) this.#tell(() => metrics.ended(span))
    }
  }

  #tell(act: () => void): void {
    try {
      act()
    } catch (thrown) {
      this.#with.trouble(thrown)
    }
  }

  #end(span: ProjectedSpan): void {
    const begun = this.#spans.get(span.id)
    this.#spans.delete(span.id)
    if (begun === undefined) return
    const { OK, ERROR } = this.#with.api.SpanStatusCode
    begun.setAttributes(span.attributes)
    if (span.status === 'ok') begun.setStatus({ code: OK })
    if (span.status === 'error') begun.setStatus({ code: ERROR, message: this.#words(span) })
    begun.end(span.end)
  }

  /** Messages quote values, arguments and what tools have said, which stay in the journal unless they are asked for. */
  #words({ message, attributes }: ProjectedSpan): string {
    return (this.#with.messages ? message : undefined) ?? String(attributes['reflex.fault'] ?? '')
  }
}

/** Rejects once whoever hands in has had its time: a process that ends does not wait for a collector that is not there. */
async function inTime(handIn: () => Promise<void>): Promise<void> {
  let stop: (() => void) | undefined
  const late = new Promise<never>((_, reject) => {
    stop = systemHost.at(systemHost.now() + PATIENCE, () => reject(new Error(`no answer for ${PATIENCE / 1000} s`)))
  })
  try {
    await Promise.race([handIn(), late])
  } finally {
    stop?.()
  }
}
