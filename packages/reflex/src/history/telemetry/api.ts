import { historyFaults } from '../faults.ts'
import { systemHost } from '../../kernel/index.ts'

/** The used part of the package @opentelemetry/api, which is optional. */
export interface TelemetryApi {
  readonly trace: {
    getTracerProvider(): TracerProvider
    setSpan(context: object, span: Span): object
    setSpanContext(context: object, span: SpanContext): object
  }
  readonly metrics: { getMeterProvider(): MeterProvider }
  readonly ROOT_CONTEXT: object
  readonly SpanKind: { readonly INTERNAL: number; readonly CLIENT: number }
  readonly SpanStatusCode: { readonly OK: number; readonly ERROR: number }
}

/** A tracer provider of any SDK. */
export interface TracerProvider {
  getTracer(name: string, version?: string): Tracer
  getDelegate?(): TracerProvider
  forceFlush?(): Promise<void>
}

interface Tracer {
  startSpan(name: string, options?: object, context?: object): Span
}

export interface Span {
  spanContext(): SpanContext
  setAttributes(attributes: Readonly<Record<string, string | number | boolean>>): unknown
  setStatus(status: { readonly code: number; readonly message?: string }): unknown
  end(time?: number): void
}

export interface SpanContext {
  readonly traceId: string
  readonly spanId: string
  readonly traceFlags: number
  readonly isRemote?: boolean
}

/** A meter provider of any SDK. */
export interface MeterProvider {
  getMeter(name: string, version?: string): Meter
  forceFlush?(): Promise<void>
}

type Facts = Readonly<Record<string, string | number | boolean>>

export interface Meter {
  createCounter(name: string, options?: object): { add(value: number, facts?: Facts): void }
  createUpDownCounter(name: string, options?: object): { add(value: number, facts?: Facts): void }
  createHistogram(name: string, options?: object): { record(value: number, facts?: Facts): void }
}

/** The destination of telemetry. */
export interface ObserveOptions {
  /** Default: the provider that the application has registered. */
  readonly tracerProvider?: TracerProvider
  readonly meterProvider?: MeterProvider
  /**
   * The ids of the spans. Give the same object to the tracer provider as its `idGenerator`; spans then have the same ids in every process.
   */
  readonly ids?: SpanIds
  /** If true, failures have their messages, which can quote values, prompts and answers of tools. Default: only the code. */
  readonly messages?: boolean
}

const PACKAGE: string = '@opentelemetry/api'
/** The key under which the package keeps registered providers, in every version with this major number. */
const REGISTRY = Symbol.for('opentelemetry.js.api.1')
/** The sampled bit. */
export const SAMPLED = 1

/** True if an application has registered a provider of traces or metrics in this process. Imports nothing. */
export function isRegistered(): boolean {
  const registered = (globalThis as { [REGISTRY]?: { readonly trace?: unknown; readonly metrics?: unknown } })[REGISTRY]
  return registered?.trace !== undefined || registered?.metrics !== undefined
}

/** Imports the package. Throws `R2086` if it is missing. */
export async function loadTelemetry(): Promise<TelemetryApi> {
  try {
    return (await import(/* @vite-ignore */ PACKAGE)) as TelemetryApi
  } catch (thrown) {
    const isMissing = (thrown as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'
    throw historyFaults.make(
      'R2086',
      isMissing ? 'telemetry needs the package @opentelemetry/api' : 'the package @opentelemetry/api cannot be loaded',
      {
        fix: 'npm install @opentelemetry/api',
        ...(isMissing ? {} : { cause: thrown }),
      },
    )
  }
}

/**
 * The ids of spans for a tracer provider (`idGenerator`). The ids of runs are computed from their journals, so that every process that
 * continues a run adds to the same trace with the same parents. All other ids are random.
 */
export class SpanIds {
  #next: { readonly trace: string; readonly span: string } | undefined

  /** Runs a function that starts a span, so that the span gets these ids. */
  useIds<Result>(next: { readonly trace: string; readonly span: string }, begin: () => Result): Result {
    this.#next = next
    try {
      return begin()
    } finally {
      this.#next = undefined
    }
  }

  generateTraceId = (): string => this.#next?.trace ?? systemHost.entropy()

  generateSpanId = (): string => this.#next?.span ?? systemHost.entropy().slice(0, 16)
}
