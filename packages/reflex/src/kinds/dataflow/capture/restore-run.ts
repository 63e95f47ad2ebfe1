import type { Call, Host, Json, JsonObject, Port, PortRun } from '../../../kernel/index.ts'
import type { CapturedRun } from '../../../programs/run-captures.ts'
import type { Channel, Route } from '../adapter/host-file.ts'
import { EventSink } from '../channels/event-sink.ts'
import { type EventSource, writeArgs } from '../run/args.ts'
import { LEFT_OUT } from '../run/intents.ts'
import { readPosition } from '../run/position.ts'
import { placeOfSource } from '../run/read-place.ts'
import type { Bundle, CapturedDecision, CapturedEvent, IntentAck } from './bundle.ts'
import { faults } from './faults.ts'
import { writeBundle } from './write-bundle.ts'

/** The source of the events of an imported run, and the channel of intents whose own one the capture does not name. */
const CAPTURE = 'capture'
/** Milliseconds that a route must state; a channel of a capture answers at once. */
const NO_TIMEOUT = 30_000

/**
 * Returns a capture as the run that it was. Its events come from one source in their order, each with its own time; deferred items run where
 * the capture has their pumps; channels acknowledge what was acknowledged; the run ends as the captured one did, or completes. Programs
 * that intents had started are not started again: their ends are among the events.
 */
export function restoreRun(bundle: Bundle): CapturedRun {
  const script = new AckScript(bundle)
  const source: EventSource = { from: 'capture', name: CAPTURE }
  const { config, initial_context: context, egress_provenance: egress } = bundle
  return {
    input: writeArgs({
      stays: true,
      ...(context === undefined ? {} : { context }),
      host: { dedupe: 'segment', constraints: config, ...channelsOf(bundle) },
      sources: [source],
      imported: egress === undefined ? {} : { egress },
    }),
    ports: (world) => ({ ingress: eventPort(bundle, script, world), egress: ackPort(script) }),
    check(text) {
      const { events, decisions, chain: _, ...header } = bundle
      const steps = events.flatMap((event, index) => {
        const decision = decisions[index]
        return decision === undefined ? [] : [{ event, decision }]
      })
      if ([...writeBundle(header, steps)].join('') === text) return undefined
      return faults.make('R1390', 'a run with the events of this capture gives another capture', {
        fix: 'use a file that reflex export --format bundle wrote',
      })
    },
  }
}

/** Returns a route for each kind of intent: to the channel that acknowledged it. */
function channelsOf({ decisions }: Bundle): {
  readonly channels: Record<string, Channel>
  readonly routes: Record<string, Route>
} {
  const channels = new Map<string, Channel>()
  const routes = new Map<string, Route>()
  for (const { effects, intent_acks: acks = [] } of decisions)
    for (const { kind, intent_id } of effects.flatMap(({ effect }) => effect.intents)) {
      const channel = acks.find((ack) => ack.intent_id === intent_id)?.channel
      if (routes.has(kind) && channel === undefined) continue
      channels.set(channel ?? CAPTURE, { type: 'captured' })
      routes.set(kind, { channel: channel ?? CAPTURE, ack_timeout: NO_TIMEOUT, keyed: true, on_failure: 'fail' })
    }
  return { channels: Object.fromEntries(channels), routes: Object.fromEntries(routes) }
}

/** The acknowledgements of a capture, and the intents at its end that have none. */
class AckScript {
  readonly #acks = new Map<string, IntentAck>()
  /** The intents after the last acknowledgement of the last event: the captured run ended before theirs. */
  readonly open: ReadonlySet<string>
  readonly last: CapturedDecision | undefined

  constructor({ decisions }: Bundle) {
    for (const ack of decisions.flatMap(({ intent_acks = [] }) => intent_acks)) this.#acks.set(ack.intent_id, ack)
    this.last = decisions.at(-1)
    const intents = this.last?.effects.flatMap(({ effect }) => effect.intents.map(({ intent_id }) => intent_id)) ?? []
    this.open = new Set(intents.slice(intents.findLastIndex((id) => this.#acks.has(id)) + 1))
  }

  /** True if the run failed because a channel did not acknowledge an intent. */
  get failsAtChannel(): boolean {
    const { interruption } = this.last ?? {}
    return this.open.size > 0 && (interruption === undefined || interruption.startsWith('egress_'))
  }

  /** Returns the result of sending an intent; undefined for one that is not answered any more. */
  answer(intent: string, kind: string): Json | undefined {
    const ack = this.#acks.get(intent)
    if (ack !== undefined) {
      const { status, acceptance, egress_ref: ref } = ack
      return { status, acceptance, ...(ref === undefined ? {} : { egress_ref: ref }) }
    }
    if (!this.open.has(intent)) return { status: LEFT_OUT }
    if (this.failsAtChannel) throw this.ending(`${kind} was not acknowledged`)
    return undefined
  }

  /** Returns the failure with which the run ends. */
  ending(what: string): Error {
    const rule = this.last?.interruption
    return faults.make('R1389', `the capture ends here: ${what}`, rule === undefined ? {} : { rule })
  }
}

/** The port `egress` of an imported run: it answers from the capture and sends nothing. */
function ackPort(script: AckScript): Port {
  return {
    leaves: false,
    repeat: 'free',
    async perform(call) {
      const { intent } = call.args as unknown as { readonly intent: { readonly intent_id: string; readonly kind: string } }
      return script.answer(intent.intent_id, intent.kind) ?? aborted(call.signal)
    },
  }
}

/** The port `ingress` of an imported run: it sends the events of the capture, and ends as its run did. */
function eventPort({ events, decisions }: Bundle, script: AckScript, { host, ...run }: { readonly host: Host; cancel(): void }): Port {
  return {
    leaves: false,
    repeat: 'free',
    open: (run): PortRun => run,
    async perform(call) {
      const sink = new EventSink(CAPTURE, call, { run: call.session as PortRun, host })
      for (const [index, event] of events.entries()) await sink.post(messageOf(event, decisions[index]?.fork), index + 1, index + 1)
      await sink.flush()
      await allTaken(call, events.length, script.open.size, host)
      const { interruption } = script.last ?? {}
      if (!script.failsAtChannel && interruption === undefined) return sink.end()
      if (interruption === 'host_stop_requested') run.cancel()
      else if (!script.failsAtChannel) throw script.ending('its events ended')
      return aborted(call.signal)
    },
  }
}

/** Returns an event as a source sends it. A pump of the run itself is the time at which a deferred item is due. */
function messageOf({ event_id, event_time, kind, semantic_kind, payload, incoming }: CapturedEvent, fork: string | undefined): JsonObject {
  const mark = fork === undefined ? {} : { fork }
  const due = semantic_kind === undefined && kind === 'Pump' ? /^pump\/\d+\/(\d+)\.(\d+)$/.exec(event_id) : null
  if (due !== null) return { due: { secs: Number(due[1]), nanos: Number(due[2]) }, ...mark }
  const event = {
    event_id,
    at: { ...event_time },
    kind,
    ...(semantic_kind === undefined ? {} : { semantic_kind }),
    payload: JSON.parse(incoming ?? payload) as Json,
  }
  return { event, ...mark }
}

/** Waits until a run has taken all events and has no more pending intents than those that are never acknowledged. */
async function allTaken(call: Call, events: number, open: number, host: Host): Promise<void> {
  for (;;) {
    const { read, pending, held } = readPosition(call.frame.position)
    const isTaken = (placeOfSource(read, CAPTURE)?.[1] ?? 0) >= events && held.length === 0
    if (call.signal.aborted || (isTaken && pending.length <= open)) return
    await new Promise<void>((resolve) => host.turn(resolve))
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(faults.make('R1389', 'the run has ended'))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
