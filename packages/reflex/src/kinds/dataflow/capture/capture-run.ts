import { type Change, isObject, type Json } from '../../../kernel/index.ts'
import { readArgs } from '../run/args.ts'
import type { CompiledGraph } from '../run/compiled.ts'
import { channelOf } from '../run/intents.ts'
import { passesOf } from '../run/passes-of.ts'
import { readPosition } from '../run/position.ts'
import type { PassReport } from '../run/taken.ts'
import { type BundleHeader, CAPTURE_VERSION, type CapturedStep, INTERRUPTIONS, type IntentAck, type Interruption } from './bundle.ts'
import { captureStep } from './capture-step.ts'
import { adapterProvenance, egressProvenance, runtimeProvenance } from './provenance.ts'

/** Returns the part of the capture of a run that is known before its first event. `args`: those with which it started. */
export function captureHeader({ id, graph, adapter }: CompiledGraph, args: Json | undefined): BundleHeader {
  const { host, context } = readArgs(args)
  return {
    capture_version: CAPTURE_VERSION,
    graph_id: id,
    config: host.constraints,
    adapter_provenance: adapterProvenance(adapter?.adapter),
    runtime_provenance: runtimeProvenance(graph),
    ...(Object.keys(host.channels).length === 0 ? {} : { egress_provenance: egressProvenance(host) }),
    ...(Object.keys(context).length === 0 ? {} : { initial_context: context }),
  }
}

/** The last pass, whose intents may still be acknowledged by later records. */
interface OpenStep {
  readonly report: PassReport
  readonly acks: IntentAck[]
}

/**
 * Yields the events of a run with all that came of them, from the records of its root in order: the passes are computed again, the
 * acknowledgements are those of the journal. No event follows intents that are not acknowledged, so one step at most is in memory.
 */
export async function* capturedSteps(changes: AsyncIterable<Change<CompiledGraph>>): AsyncGenerator<CapturedStep> {
  let open: OpenStep | undefined
  let interruption: Interruption | undefined
  for await (const change of changes) {
    if (change.frame !== change.state.root) continue
    for (const report of passesOf(change)?.passes ?? []) {
      if (open !== undefined) yield finished(open)
      open = { report, acks: [] }
    }
    open?.acks.push(...acksOf(change, open))
    interruption = interruptionOf(change) ?? interruption
  }
  if (open !== undefined) yield finished(open, interruption)
}

function finished({ report, acks }: OpenStep, interruption?: Interruption): CapturedStep {
  const { event, merged, decision, effects, outputs } = report
  const { event_id, kind, at, semantic_kind, payload = {} } = event
  return captureStep({
    event: { event_id, kind, at, semantic_kind },
    incoming: payload,
    context: merged,
    decision,
    effects,
    outputs: outputs ?? null,
    acks,
    interruption,
  })
}

/** Returns the intents of the open step that a record acknowledges: one by its result, programs by their start. */
function acksOf({ record: { input }, frame }: Change<CompiledGraph>, { report, acks }: OpenStep): IntentAck[] {
  const { host } = readArgs(frame.args)
  const pending = new Set(readPosition(frame.position).pending.map(({ intent_id }) => intent_id))
  const known = new Set(acks.map(({ intent_id }) => intent_id))
  const done = report.effects.flatMap(({ intents }) => intents).filter(({ intent_id }) => !pending.has(intent_id) && !known.has(intent_id))
  const result = input?.[0] === 'ok' ? input[2] : undefined
  const ref = isObject(result) && typeof result.egress_ref === 'string' ? result.egress_ref : undefined
  return done.map(({ kind, intent_id }, index) => ({
    intent_id,
    channel: channelOf(host, kind)?.route.channel ?? '',
    status: 'accepted',
    acceptance: 'durable',
    ...(ref === undefined || index > 0 ? {} : { egress_ref: ref }),
  }))
}

/** Returns the reason for which a run ended before its events did. */
function interruptionOf({ record: { input, more } }: Change<CompiledGraph>): Interruption | undefined {
  if (input?.[0] === 'kernel' && input[1] === 'cancel') return 'host_stop_requested'
  const fault = more?.return?.[1]
  const rule = isObject(fault) ? fault.rule : undefined
  return INTERRUPTIONS.find((one) => one === rule)
}
