import { canonicalJson, type Json } from '../../../kernel/index.ts'
import type { BundleHeader, CapturedDecision, CapturedEvent } from './bundle.ts'
import { hashJson, hashText } from './hash.ts'

/**
 * The hash over what nothing else in a capture proves: the header, the events in their order without their payloads, acknowledgements,
 * interruptions and forks. Decisions and effects are not in it, because a replay makes them again and names the one that differs.
 */
export class BundleChain {
  #head: string

  constructor({
    capture_version,
    graph_id,
    config,
    adapter_provenance,
    runtime_provenance,
    egress_provenance,
    initial_context,
  }: BundleHeader) {
    const header = [capture_version, graph_id, config, adapter_provenance, runtime_provenance, egress_provenance ?? null]
    this.#head = hashJson(initial_context === undefined ? header : [...header, initial_context])
  }

  /** The hash over all that was added. */
  get head(): string {
    return this.#head
  }

  add(event: CapturedEvent, decision: Pick<CapturedDecision, 'intent_acks' | 'interruption' | 'fork'> | undefined): void {
    const { payload: _payload, incoming: _incoming, ...facts } = event
    const fork = decision?.fork === undefined ? [] : [decision.fork]
    const link = [facts, decision?.intent_acks ?? null, decision?.interruption ?? null, ...fork]
    this.#head = hashText(`${this.#head}\n${canonicalJson(link as unknown as Json)}`)
  }
}
