import { systemHost } from '../../kernel/index.ts'
import { type ObserveOptions, SAMPLED, type Span, type TelemetryApi } from './api.ts'
import { Metrics } from './metrics.ts'
import { type ProjectedSpan, type SpanChanges, spanId } from './spans.ts'

const SCOPE = 'reflex'
/** The time in milliseconds that each provider has to flush when a process ends. */
const FLUSH_TIMEOUT_MS = 10_000

/** Sends spans and metrics to the providers of an application. */
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

  /** Flushes both providers; a failure of one does not stop the other. Returns the failures. */
  async flush(): Promise<readonly unknown[]> {
    const { tracerProvider = this.#api.trace.getTracerProvider(), meterProvider = this.#api.metrics.getMeterProvider() } = this.#options
    const results = await Promise.allSettled([
      // The package wraps the registered provider in its own.
      withTimeout(async () => (tracerProvider.getDelegate?.() ?? tracerProvider).forceFlush?.()),
      withTimeout(async () => meterProvider.forceFlush?.()),
    ])
    return results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
  }

  /** Begins the telemetry of a run. Spans that are already open begin here again, because only the process that ends a span exports it. */
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
    // Without our ids, a provider takes the trace from a parent, so the span needs a parent.
    const parentContext = { traceId: span.trace, spanId: spanId(span.trace, 'above'), traceFlags: SAMPLED, isRemote: true }
    return this.#tracer.startSpan(span.name, options, trace.setSpanContext(ROOT_CONTEXT, parentContext))
  }
}

/** The settings for the telemetry of one run. */
interface RunTelemetryOptions {
  readonly begin: (span: ProjectedSpan, parent: Span | undefined) => Span
  readonly api: TelemetryApi
  readonly metrics: Metrics
  /** True if failures have their messages. */
  readonly messages: boolean
  /** Receives the errors of a provider. */
  readonly onFault: (thrown: unknown) => void
}

/** The spans of one run that have begun in this process. If a provider throws, only its span or count is lost. */
export class RunTelemetry {
  readonly #options: RunTelemetryOptions
  readonly #spans = new Map<string, Span>()

  constructor(options: RunTelemetryOptions) {
    this.#options = options
  }

  /** Applies changes of spans. `isCounted` is true if they also count for metrics. */
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

  /**
   * Returns the text of a failed status. Messages quote values, arguments and answers of tools, so they stay in the journal unless the
   * application asks for them.
   */
  #statusMessage({ message, attributes }: ProjectedSpan): string {
    return (this.#options.messages ? message : undefined) ?? String(attributes['reflex.fault'] ?? '')
  }
}

/** Flushes and rejects after the time limit. A process that ends does not wait for a collector that does not answer. */
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
