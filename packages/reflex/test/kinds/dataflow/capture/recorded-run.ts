import type { Json, JsonObject } from '../../../../src/kernel/index.ts'
import { bindEvent } from '../../../../src/kinds/dataflow/adapter/bind-event.ts'
import { prepareAdapter } from '../../../../src/kinds/dataflow/adapter/event-form.ts'
import { effectOwners, realizeEffects } from '../../../../src/kinds/dataflow/adapter/realize-effects.ts'
import type { BundleHeader, CapturedStep, Interruption } from '../../../../src/kinds/dataflow/capture/bundle.ts'
import { CAPTURE_VERSION } from '../../../../src/kinds/dataflow/capture/bundle.ts'
import { captureStep } from '../../../../src/kinds/dataflow/capture/capture-step.ts'
import { adapterProvenance, egressProvenance, runtimeProvenance } from '../../../../src/kinds/dataflow/capture/provenance.ts'
import type { Attempt, Evaluation } from '../../../../src/kinds/dataflow/capture/replay-bundle.ts'
import type { Adapter } from '../../../../src/kinds/dataflow/model/adapter.ts'
import type { Constraints } from '../../../../src/kinds/dataflow/model/constraints.ts'
import type { HostedEvent } from '../../../../src/kinds/dataflow/model/event.ts'
import type { ValidatedGraph } from '../../../../src/kinds/dataflow/model/graph.ts'
import type { Scalar } from '../../../../src/kinds/dataflow/model/value.ts'
import { evaluate } from '../../../../src/kinds/dataflow/pass/evaluate.ts'
import { terminationOf } from '../../../../src/kinds/dataflow/pass/pass-error.ts'
import { FIRST_STATE, supervise, type SupervisorState } from '../../../../src/kinds/dataflow/supervisor/supervise.ts'

/** Returns the evaluation of a graph by the checked pass. */
export function evaluation(graph: ValidatedGraph): Evaluation {
  return (context, event_id): Attempt => {
    const reader = { value: (key: string) => (Object.hasOwn(context, key) ? context[key] : undefined) }
    const result = evaluate(graph, reader, { graphId: graph.id, eventId: event_id })
    return 'error' in result
      ? { termination: terminationOf(result.error), effects: [], outputs: null }
      : { termination: 'Completed', effects: result.effects, outputs: result.outputs }
  }
}

export interface Recorded {
  readonly header: BundleHeader
  readonly steps: readonly CapturedStep[]
  readonly context: ReadonlyMap<string, Scalar>
}

/** Runs a graph over events as a host does, with a channel that acknowledges every intent, and records it. */
export function record(
  graph: ValidatedGraph,
  adapter: Adapter,
  events: readonly HostedEvent[],
  constraints: Constraints = {},
  interruption?: Interruption,
): Recorded {
  const prepared = prepareAdapter(adapter)
  const owners = effectOwners(adapter, ['heater_command'])
  const context = new Map<string, Scalar>()
  const store = new Map<string, Json>()
  const pass = evaluation(graph)
  let state: SupervisorState = FIRST_STATE
  const steps = events.flatMap((event, index): CapturedStep[] => {
    const bound = bindEvent(prepared, (key) => context.get(key), event)
    if ('refused' in bound) return []
    let attempt: Attempt | undefined
    const done = supervise({ constraints, store }, state, { ...event, context: bound.context }, (invocation) => {
      attempt = pass(invocation.context, invocation.event_id)
      return attempt.termination
    })
    state = done.state
    const { effects, outputs } = attempt ?? { effects: [], outputs: null }
    const { writes, intents } = realizeEffects(owners, effects)
    for (const { key, value } of writes) context.set(key, value)
    const acks = intents.map(({ intent_id }) => ({ intent_id, channel: 'hvac', status: 'accepted', acceptance: 'durable' }) as const)
    const isLast = index === events.length - 1
    const step = { event, incoming: event.payload ?? {}, context: bound.context as JsonObject, decision: done.decision, effects, outputs }
    return [
      captureStep({ ...step, acks: isLast && interruption !== undefined ? [] : acks, interruption: isLast ? interruption : undefined }),
    ]
  })
  const host = { channels: { hvac: { type: 'process', command: ['hvac'] } }, routes: {} } as const
  const header: BundleHeader = {
    capture_version: CAPTURE_VERSION,
    graph_id: graph.id,
    config: constraints,
    adapter_provenance: adapterProvenance(adapter),
    runtime_provenance: runtimeProvenance(graph),
    egress_provenance: egressProvenance(host),
  }
  return { header, steps, context }
}

/** Returns readings of a thermostat at these temperatures, a second apart; null is a pump. */
export function readings(temperatures: readonly (number | null)[]): HostedEvent[] {
  return temperatures.map((temp, index) => ({
    event_id: `t${index + 1}`,
    kind: temp === null ? 'Pump' : 'DataAvailable',
    at: { secs: index, nanos: 0 },
    semantic_kind: 'reading',
    payload: { temp: temp ?? 0 },
  }))
}
