import { context, metrics, trace } from '@opentelemetry/api'
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { SpanIds } from '../../../src/index.ts'
import type { ObserveOptions } from '../../../src/history/telemetry/api.ts'

/** The telemetry of an application, in memory. */
export interface Telemetry {
  readonly observe: ObserveOptions & { readonly tracerProvider: BasicTracerProvider; readonly meterProvider: MeterProvider }
  spans(): readonly ReadableSpan[]
  /** The sums of counters and the counts of histograms, by name and facts. */
  metrics(): Promise<Readonly<Record<string, number>>>
}

export function telemetry(withIds = true): Telemetry {
  const ids = new SpanIds()
  const spans = new InMemorySpanExporter()
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(spans)],
    ...(withIds ? { idGenerator: ids } : {}),
  })
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1e9, exportTimeoutMillis: 1e8 })
  const meterProvider = new MeterProvider({ readers: [reader] })
  return {
    observe: { tracerProvider, meterProvider, ...(withIds ? { ids } : {}) },
    spans: () => spans.getFinishedSpans(),
    async metrics() {
      await reader.forceFlush()
      const points =
        exporter
          .getMetrics()
          .at(-1)
          ?.scopeMetrics.flatMap(({ metrics: all }) => all) ?? []
      return Object.fromEntries(
        points.flatMap(({ descriptor, dataPoints }) =>
          dataPoints.map(({ attributes, value }) => [
            `${descriptor.name} ${Object.values(attributes).map(String).join(' ')}`,
            typeof value === 'number' ? value : (value as { readonly count: number }).count,
          ]),
        ),
      )
    },
  }
}

/** Registers a tracer provider for this process. Returns a function that removes all providers. */
export function registered({ observe }: Telemetry): () => void {
  trace.setGlobalTracerProvider(observe.tracerProvider)
  return () => {
    trace.disable()
    metrics.disable()
    context.disable()
  }
}
