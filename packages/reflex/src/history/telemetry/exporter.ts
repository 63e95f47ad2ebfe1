import { systemHost } from '../../kernel/index.ts'
import { type ObserveOptions, SAMPLED, type Span, type TelemetryApi } from './api.ts'
import { Metrics } from './metrics.ts'
import { type ProjectedSpan, type SpanChanges, spanId } from './spans.ts'

const SCOPE = 'reflex'
/** Milliseconds that each provider has to hand in what it holds when a process ends. */
const FLUSH_TIMEOUT_MS = 10_000

/** Tells spans and metrics to the providers of an application. */
export class TelemetryExporter {
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
    const results = await Promise.allSettled([
      // The package puts one of its own before the provider that was registered.
      withTimeout(async () => (tracerProvider.getDelegate?.() ?? tracerProvider).forceFlush?.()),
      withTimeout(async () => meterProvider.forceFlush?.()),
    ])
    return results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
  }

  /** A run, with what goes on in it already: those spans begin here once more, since only whoever ends one hands it in. */
  run(open: readonly ProjectedSpan[], onFault: (thrown: unknown) => void): RunTelemetry {
    const begin = (span: ProjectedSpan, parent: Span | undefined): Span => this.#begin(span, parent)
    const telemetry = new RunTelemetry({
      begin,
      api: this.#api,
      metrics: this.#metrics,
      messages: this.#options.messages === true,
      onFault,
    })
    telemetry.apply({ opened: open, closed: [] }, false)
    return telemetry
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
        : ids.useIds({ trace: span.trace, span: span.id }, () => this.#tracer.startSpan(span.name, options, context))
    }
    if (ids !== undefined)
      return ids.useIds({ trace: span.trace, span: span.id }, () => this.#tracer.startSpan(span.name, options, ROOT_CONTEXT))
    // Without ids of ours a provider takes the trace of a parent, so there has to be one.
    const parentContext = { traceId: span.trace, spanId: spanId(span.trace, 'above'), traceFlags: SAMPLED, isRemote: true }
    return this.#tracer.startSpan(span.name, options, trace.setSpanContext(ROOT_CONTEXT, parentContext))
  }
}

/** What one run is told with. */
interface RunTelemetryOptions {
  readonly begin: (span: ProjectedSpan, parent: Span | undefined) => Span
  readonly api: TelemetryApi
  readonly metrics: Metrics
  /** Failures are told with their messages. */
  readonly messages: boolean
  /** Hears of what a provider throws. */
  readonly onFault: (thrown: unknown) => void
}

/** The spans of one run that have begun in this process. A provider that throws loses what it was told, and nothing else. */
export class RunTelemetry {
  readonly #options: RunTelemetryOptions
  readonly #spans = new Map<string, Span>()

  constructor(options: RunTelemetryOptions) {
    this.#options = options
  }

  /** `counted`: for metrics too. */
  apply({ opened, closed }: SpanChanges, isCounted: boolean): void {
    const { begin, metrics } = this.#options
    for (const span of opened) {
      this.#attempt(() => this.#spans.set(span.id, begin(span, span.parent === undefined ? undefined : this.#spans.get(span.parent))))
      if (isCounted) this.#attempt(() => metrics.countBegin(span))
    }
    for (const span of closed) {
      this.#attempt(() => this.#end(span))
      if (isCounted) this.#attempt(() => metrics.countEnd(span))
    }
  }

  #attempt(act: () => void): void {
    try {
      act()
    } catch (thrown) {
      this.#options.onFault(thrown)
    }
  }

  #end(span: ProjectedSpan): void {
    const openSpan = this.#spans.get(span.id)
    this.#spans.delete(span.id)
    if (openSpan === undefined) return
    const { OK, ERROR } = this.#options.api.SpanStatusCode
    openSpan.setAttributes(span.attributes)
    if (span.status === 'ok') openSpan.setStatus({ code: OK })
    if (span.status === 'error') openSpan.setStatus({ code: ERROR, message: this.#statusMessage(span) })
    openSpan.end(span.end)
  }

  /** Messages quote values, arguments and what tools have said, which stay in the journal unless they are asked for. */
  #statusMessage({ message, attributes }: ProjectedSpan): string {
    return (this.#options.messages ? message : undefined) ?? String(attributes['reflex.fault'] ?? '')
  }
}

/** Rejects once whoever hands in has had its time: a process that ends does not wait for a collector that is not there. */
async function withTimeout(flush: () => Promise<void>): Promise<void> {
  let stop: (() => void) | undefined
  const timeout = new Promise<never>((_, reject) => {
    stop = systemHost.at(systemHost.now() + FLUSH_TIMEOUT_MS, () => reject(new Error(`no answer for ${FLUSH_TIMEOUT_MS / 1000} s`)))
  })
  try {
    await Promise.race([flush(), timeout])
  } finally {
    stop?.()
  }
}
