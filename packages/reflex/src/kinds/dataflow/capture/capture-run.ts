import { type Change, type Input, isObject, type Json } from '../../../kernel/index.ts'
import { frameArgs, readArgs } from '../run/args.ts'
import type { CompiledGraph } from '../run/compiled.ts'
import { channelOf, LEFT_OUT } from '../run/intents.ts'
import { passesOf } from '../run/passes-of.ts'
import { readPosition } from '../run/position.ts'
import type { PassReport } from '../run/taken.ts'
import { type BundleHeader, CAPTURE_VERSION, type CapturedStep, INTERRUPTIONS, type IntentAck, type Interruption } from './bundle.ts'
import { captureStep } from './capture-step.ts'
import { adapterProvenance, egressProvenance, runtimeProvenance } from './provenance.ts'

/** Returns the part of the capture of a run that is known before its first event. `args`: those with which it started. */
export function captureHeader({ id, graph, adapter }: CompiledGraph, args: Json | undefined): BundleHeader {
  const { host, context, imported } = readArgs(args)
  const own = Object.keys(host.channels).length === 0 ? undefined : egressProvenance(host)
  const egress = imported === undefined ? own : imported.egress
  return {
    capture_version: CAPTURE_VERSION,
    graph_id: id,
    config: host.constraints,
    adapter_provenance: adapterProvenance(adapter?.adapter),
    runtime_provenance: runtimeProvenance(graph),
    ...(egress === undefined ? {} : { egress_provenance: egress }),
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
  const { event, merged, decision, effects, outputs, fork } = report
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
    fork,
  })
}

/**
 * Returns the intents of the open step that a record acknowledges: one by its result, programs by their start. One that a person leaves out is
 * not acknowledged.
 */
function acksOf({ record: { input }, frame, state }: Change<CompiledGraph>, { report, acks }: OpenStep): IntentAck[] {
  const { host } = frameArgs(frame, state)
  const pending = new Set(readPosition(frame.position).pending.map(({ intent_id }) => intent_id))
  const known = new Set(acks.map(({ intent_id }) => intent_id))
  const isLeftOut = (input?.[0] === 'answer' && input[2] !== 'again') || isLeftOutResult(input)
  const done = report.effects.flatMap(({ intents }) => intents).filter(({ intent_id }) => !pending.has(intent_id) && !known.has(intent_id))
  if (isLeftOut) done.shift()
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

/** True for the result of a channel of an imported run that stands for an intent which the run had left out. */
function isLeftOutResult(input: Input | undefined): boolean {
  return input?.[0] === 'ok' && isObject(input[2]) && input[2].status === LEFT_OUT
}

/** Returns the reason for which a run ended before its events did. */
function interruptionOf({ record: { input, more } }: Change<CompiledGraph>): Interruption | undefined {
  if (input?.[0] === 'kernel' && input[1] === 'cancel') return 'host_stop_requested'
  const fault = more?.return?.[1]
  const rule = isObject(fault) ? fault.rule : undefined
  return INTERRUPTIONS.find((one) => one === rule)
}
