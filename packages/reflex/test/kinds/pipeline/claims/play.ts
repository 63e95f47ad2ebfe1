import {
  HandlerRegistry,
  type PipelineEvent,
  type PipelineHandler,
  type PipelineResult,
  type PipelineRunOptions,
  run,
} from '../../../../src/kinds/pipeline/index.ts'
import { virtualHost } from '../../../../src/testing/index.ts'

/** What a test says of the run, beside the options of `run`. */
export interface Stage extends Omit<PipelineRunOptions, 'handlers'> {
  readonly handlers?: Readonly<Record<string, PipelineHandler['execute']>>
  /** Attributes of the graph. */
  readonly graph?: string
}

/** A result with the events of its run. */
export interface Played extends PipelineResult {
  readonly events: readonly PipelineEvent[]
}

/** Runs nodes and edges between a start and an exit through `run`, on a clock that moves whenever the run rests. */
export function play(body: string, { graph = '', ...stage }: Stage = {}): Promise<Played> {
  return playDot(`digraph g { ${graph} start [shape=Mdiamond] done [shape=Msquare] ${body} }`, stage)
}

/** Runs a whole text in the same way. */
export async function playDot(dot: string, { handlers = {}, ...options }: Stage = {}): Promise<Played> {
  const registry = new HandlerRegistry()
  for (const [type, execute] of Object.entries(handlers))
    if (execute !== undefined) registry.register(type, { execute, idempotency: 'idempotent' })
  const events: PipelineEvent[] = []
  const host = virtualHost()
  const state = { ended: false }
  const end = (): void => void (state.ended = true)
  const running = run(dot, {
    logs_root: false,
    validate: false,
    trust: 'trusted',
    host,
    handlers: registry,
    on_event: (event) => events.push(event),
    ...options,
  })
  void running.then(end, end)
  while (!state.ended) {
    await host.drain()
    await host.tick()
  }
  return { ...(await running), events }
}

/** The events of one type. */
export function toldOf({ events }: Played, type: string): readonly PipelineEvent[] {
  return events.filter((event) => event.type === type)
}

/** A handler that fails a number of times, each time with another reason, then succeeds. */
export function failing(times: number, status = 'fail'): NonNullable<PipelineHandler['execute']> {
  let tries = 0
  return () =>
    ++tries <= times ? { status, failure_reason: `broken by ${'abcdefghij'.repeat(10).slice(0, tries)}` } : { status: 'success' }
}

/** A handler that succeeds with updates. */
export function writes(context_updates: object): NonNullable<PipelineHandler['execute']> {
  return () => ({ status: 'success', context_updates: { ...context_updates } })
}
