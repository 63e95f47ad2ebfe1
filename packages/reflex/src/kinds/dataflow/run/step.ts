import {
  type Fault,
  type FaultData,
  faultJson,
  type Input,
  isObject,
  type Json,
  type JsonObject,
  type Ref,
  type TakenMessage,
} from '../../../kernel/index.ts'
import type { EventSource } from './args.ts'
import { faults } from './faults.ts'
import { channelOf, dispatch, FAILURE_WAIT, kindsOf, LEFT_OUT, refusalOf, uncoveredIntents } from './intents.ts'
import type { Instant } from '../model/event.ts'
import { callArrival, endArrival, isLast, messageArrivals, timerArrival } from './arrivals.ts'
import { type GraphPosition, positionPatch } from './position.ts'
import { batchArrivals, type FileBatch, fileBatchOf, placeAfter } from './file-batch.ts'
import { dropReads, mostOf, readFiles } from './files.ts'
import { keepPasses } from './live-passes.ts'
import { recordTaken } from './record-taken.ts'
import { dropWaits, type GraphStep, type Running, running, waitName } from './running.ts'
import type { Arrived, Taken } from './taken.ts'
import { EVENT_TOPIC, MOST_CHARACTERS, MOST_EVENTS, PUMP_TIMER } from './topics.ts'

/** One step of a graph: whole passes, the acknowledgement of an intent, or the end of what was started. */
export function stepGraph(x: GraphStep, input: Input | undefined): void {
  const graph = running(x, input)
  const before = graph.session.position
  if (x.position === undefined) return begin(graph)
  switch (input?.[0]) {
    case undefined:
      return next(graph, before, graph.session.take([], x.now))
    case 'messages':
      return take(graph, before, input[2])
    case 'timer':
      return onTimer(graph, before, waitName(x, input[1]))
    case 'ok':
      return settled(graph, before, input[1], input[2])
    case 'err':
      return failed(graph, before, input[1], input[2] as unknown as FaultData)
    case 'answer':
      return answered(graph, before, input[2])
    case 'end':
      return ended(graph, before, String(input[1]), input[2], input[3])
    default:
  }
}

/** The first step: the context with which the graph begins, and the channels that must be ready before the first event. */
function begin(graph: Running): void {
  const { x, args } = graph
  x.go({ n: 0 })
  for (const [key, value] of Object.entries(args.context)) x.set(key, value)
  if (!args.stays) return beginCall(graph)
  const { channels } = args.host
  const processes = Object.keys(channels).filter((name) => channels[name]?.type === 'process' && kindsOf(name, args.host).length > 0)
  for (const channel of processes)
    x.request('egress', { do: 'open', channel, by: channels[channel] as unknown as JsonObject, kinds: kindsOf(channel, args.host) })
  if (processes.length === 0) open(graph)
}

/** Takes the one event of a graph that is called. A called graph whose intents have no route fails before its pass, as a run would not start. */
function beginCall(graph: Running): void {
  const { x, args, session } = graph
  const [uncovered] = x.frame.link === undefined ? [] : uncoveredIntents(x.def, args.host)
  if (uncovered !== undefined) return x.fail(uncovered)
  next(graph, session.position, session.take([callArrival(x.def, args, x.origin.run, x.frame.id)], x.now))
}

/** Opens the waits and the sources of events. */
function open(graph: Running): void {
  const { x, args } = graph
  openEvents(x)
  for (const source of args.sources) openSource(x, source)
  readFiles(graph)
}

function openEvents(x: GraphStep): void {
  x.wait('message', EVENT_TOPIC, { stays: true, most: MOST_EVENTS, bytes: MOST_CHARACTERS })
}

function openSource(x: GraphStep, source: EventSource): void {
  if (source.from === 'timer') x.wait('timer', source.name, { every: source.every })
  else if (source.from !== 'file') x.request('ingress', source)
}

/** Takes events, up to the first pass with an external intent. */
function take(graph: Running, before: GraphPosition, messages: readonly TakenMessage[]): void {
  const { x, session } = graph
  const arrived = messageArrivals(messages, before.read)
  const taken = session.take(arrived, x.now)
  const own = arrived.slice(0, taken.count)
  const read = Object.fromEntries(own.flatMap((one) => ('name' in one ? [[one.name, one.read]] : [])))
  if (taken.count < messages.length) x.took(taken.count)
  arrive(graph, before, own, read)
  next(graph, before, taken)
}

/** Takes the events of a part of a file, up to the first pass with an external intent: the rest is read again after it. */
function takeBatch(graph: Running, before: GraphPosition, batch: FileBatch, most: number): void {
  const { x, session } = graph
  const arrived = batchArrivals(batch)
  const taken = session.take(arrived, x.now)
  arrive(graph, before, arrived.slice(0, taken.count), { [batch.source]: placeAfter(batch, arrived, taken.count, most) })
  next(graph, before, taken)
}

/** Moves the places of the sources behind the events that were taken, and closes the graph behind the last one. */
function arrive({ args, session }: Running, before: GraphPosition, own: readonly Arrived[], read: GraphPosition['read']): void {
  const position = { ...before.read, ...read }
  const isClosing = before.isClosing || isLast(own, args.sources, position)
  session.move({ isClosing, ...(Object.keys(read).length === 0 ? {} : { read: position }) })
}

/** Records what was taken, and does what follows: an intent, the next event, or the end. */
function next(graph: Running, before: GraphPosition, taken: Taken): void {
  const { x, args, session, input } = graph
  keepPasses(x.frame, { record: x.record, input, taken })
  if (taken.fatal !== undefined) {
    recordTaken(x, before, taken)
    return x.fail(taken.fatal)
  }
  if (!args.stays && taken.refusals[0] !== undefined) return x.fail(taken.refusals[0].fault)
  const [report] = taken.passes
  if (!args.stays && report?.failure !== undefined) return x.fail(report.failure)
  if (before.pending.length === 0) send(graph)
  if (session.position.pending.length > 0) {
    dropWaits(x, EVENT_TOPIC)
    dropReads(graph)
  }
  recordTaken(x, before, taken, session.position)
  if (!args.stays && report?.outputs !== undefined) x.setInternal(OUTPUTS, report.outputs)
  rest(graph)
}

/** The key under which a called graph keeps its outputs until its intents are acknowledged. */
const OUTPUTS = '~outputs'

/** Sends the intents that can be sent: the first one that leaves; programs are only started. */
function send(graph: Running): void {
  const { session } = graph
  for (;;) {
    const [intent, ...rest] = session.position.pending
    if (intent === undefined) return
    const strand = dispatch(graph, intent)
    if (strand === undefined) return
    session.move({
      pending: rest,
      sent: counted(session.position.sent, intent.kind),
      started: { ...session.position.started, [strand]: [intent.kind, intent.intent_id] },
    })
  }
}

/** Continues after the intents: the events that were held, the next ones, or the end of the graph. */
function rest(graph: Running): void {
  const { x, args, session } = graph
  const { pending, held, isClosing, started } = session.position
  if (pending.length > 0) return
  if (held.length > 0) return x.again()
  const isDone = !args.stays || isClosing
  if (isDone && Object.keys(started).length === 0) return finish(graph)
  if (isDone && !args.stays) return
  if (args.stays && !isDone) readFiles(graph)
  if (!x.waits().some(({ name }) => name === EVENT_TOPIC)) openEvents(x)
  if (args.isLive) alarm(x, session.nextDue)
}

/** Sets the timer of the next deferred item. */
function alarm(x: GraphStep, due: Instant | undefined): void {
  const open = x.waits().find(({ name }) => name === PUMP_TIMER)
  const at = due === undefined ? undefined : due.secs * 1000 + Math.ceil(due.nanos / 1_000_000)
  if (open?.due === at) return
  dropWaits(x, PUMP_TIMER)
  if (at !== undefined) x.wait('timer', PUMP_TIMER, { due: at })
}

function finish({ x, args, session }: Running): void {
  if (!args.stays) return x.done(x.get(OUTPUTS) ?? {})
  const { taken, refused, failed, sent } = session.position
  x.done({ events: taken, refused, failed, sent: sent as JsonObject })
}

/** A deferred item is due, or a timer that is a source of events has fired. */
function onTimer(graph: Running, before: GraphPosition, name: string | undefined): void {
  const { x, args, session } = graph
  if (name === PUMP_TIMER) return next(graph, before, session.pump(x.now))
  const source = args.sources.find((one) => one.from === 'timer' && one.name === name)
  if (source?.from !== 'timer') return
  next(graph, before, session.take([timerArrival(source, x.record, x.now)], x.now))
}

/** A channel is ready, an intent is acknowledged, or a source has ended. */
function settled(graph: Running, before: GraphPosition, ref: Ref, result: Json): void {
  const { x, session } = graph
  const effect = x.pendingEffects().find(({ id }) => id === ref)
  if (effect?.port === 'ingress') {
    const batch = fileBatchOf(result)
    return batch === undefined ? rest(graph) : takeBatch(graph, before, batch, mostOf(effect.args))
  }
  if (isOpening(effect?.args)) {
    if (x.pendingEffects().length === 1) open(graph)
    return
  }
  const [intent, ...others] = before.pending
  if (intent === undefined) return
  const refusal = refusalOf(result)
  if (refusal !== undefined) return interrupted(graph, intent.kind, refusal)
  const isLeftOut = isObject(result) && result.status === LEFT_OUT
  session.move({ pending: others, ...(isLeftOut ? {} : { sent: counted(before.sent, intent.kind) }) })
  send(graph)
  record(graph, before)
  rest(graph)
}

function isOpening(args: Json | undefined): boolean {
  return isObject(args) && args.do === 'open'
}

function record({ x, session }: Running, before: GraphPosition): void {
  const patch = positionPatch(before, session.position)
  if (patch !== undefined) x.patch(patch)
}

function counted(sent: GraphPosition['sent'], kind: string): GraphPosition['sent'] {
  return { ...sent, [kind]: (Object.hasOwn(sent, kind) ? (sent[kind] ?? 0) : 0) + 1 }
}

/** A channel or a source has failed. No further event is taken: the graph fails with the reason, or a person is asked. */
function failed(graph: Running, before: GraphPosition, ref: Ref, fault: FaultData): void {
  const { x } = graph
  const effect = x.pendingEffects().find(({ id }) => id === ref)
  const [intent] = before.pending
  if (effect?.port === 'ingress' || intent === undefined) return x.fail(fault)
  interrupted(graph, intent.kind, fault)
}

function interrupted({ x, args }: Running, kind: string, fault: FaultData | Fault): void {
  if (channelOf(args.host, kind)?.route.on_failure !== 'ask') return x.fail(fault)
  x.wait('answer', FAILURE_WAIT, {
    about: {
      text: `${kind} was not acknowledged. Send it again, leave it out, or end the run?`,
      type: 'choice',
      options: [
        { value: 'again', label: 'Send it again' },
        { value: 'leave out', label: 'Leave it out' },
        { value: 'end', label: 'End the run' },
      ],
      fault: faultJson(fault),
    },
  })
}

function answered(graph: Running, before: GraphPosition, answer: Json): void {
  const { x, session } = graph
  const [intent, ...others] = before.pending
  if (intent === undefined) return
  if (answer === 'end') return x.fail(faults.make('R1386', `a person ended the run after ${intent.kind} was not acknowledged`))
  if (answer !== 'again') session.move({ pending: others })
  send(graph)
  record(graph, before)
  rest(graph)
}

/** A program that an intent has started has ended: its end is an event of the graph, if its route names a kind for it. */
function ended(graph: Running, before: GraphPosition, strand: string, status: string, value: Json | undefined): void {
  const { x, args, session } = graph
  const [kind, intent] = before.started[strand] ?? []
  if (kind === undefined || intent === undefined) return
  const { [strand]: _, ...started } = before.started
  session.move({ started })
  x.drop(strand)
  const channel = channelOf(args.host, kind)?.channel
  if (channel?.type !== 'program' || channel.ends_as === undefined) {
    record(graph, before)
    return rest(graph)
  }
  next(graph, before, session.take([endArrival(x.def, channel.ends_as, { intent, status, value, now: x.now })], x.now))
}
