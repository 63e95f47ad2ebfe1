import { canonicalJson } from '../../../kernel/index.ts'
import type { Bundle, BundleHeader, CapturedDecision, CapturedEvent, CapturedStep, RecordedStep } from './bundle.ts'
import { BundleChain } from './chain.ts'
import { hashJson, hashText } from './hash.ts'

/** Returns a step as a capture has it, with its hashes. */
export function captureStep(step: RecordedStep): CapturedStep {
  const { event_id, kind, at, semantic_kind } = step.event
  const payload = canonicalJson(step.context)
  const incoming = step.incoming === undefined ? payload : canonicalJson(step.incoming)
  const event: CapturedEvent = {
    event_id,
    event_time: { secs: at.secs, nanos: at.nanos },
    kind,
    ...(semantic_kind === undefined ? {} : { semantic_kind }),
    payload,
    payload_hash: hashText(payload),
    ...(incoming === payload ? {} : { incoming, incoming_hash: hashText(incoming) }),
  }
  const decision: CapturedDecision = {
    ...step.decision,
    effects: step.effects.map((effect) => ({ effect, effect_hash: hashJson(effect) })),
    outputs_hash: step.outputs === null ? null : hashJson(step.outputs),
    ...(step.acks === undefined || step.acks.length === 0 ? {} : { intent_acks: step.acks }),
    ...(step.interruption === undefined ? {} : { interruption: step.interruption }),
    ...(step.fork === undefined ? {} : { fork: step.fork }),
  }
  return { event, decision }
}

/** Returns the capture of a run; undefined for a run without events, which has none. */
export function bundleOf(header: BundleHeader, steps: Iterable<CapturedStep>): Bundle | undefined {
  const chain = new BundleChain(header)
  const events: CapturedEvent[] = []
  const decisions: CapturedDecision[] = []
  for (const { event, decision } of steps) {
    chain.add(event, decision)
    events.push(event)
    decisions.push(decision)
  }
  return events.length === 0 ? undefined : { ...header, events, decisions, chain: chain.head }
}
