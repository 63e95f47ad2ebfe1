import { type Change, isObject } from '../../../kernel/index.ts'
import type { StoryEvent } from '../../../programs/kind-view.ts'
import { shortJson } from '../../../text/index.ts'
import type { EffectIntent } from '../model/effect.ts'
import { nodeName } from '../model/graph.ts'
import { untagged } from '../model/value.ts'
import { frameArgs } from '../run/args.ts'
import type { CompiledGraph } from '../run/compiled.ts'
import { channelOf } from '../run/intents.ts'
import { passesOf } from '../run/passes-of.ts'
import { fileBatchOf } from '../run/file-batch.ts'
import { readPosition } from '../run/position.ts'
import type { PassReport, Taken } from '../run/taken.ts'

/** The most characters of the values in a line. */
const MOST = 60

/**
 * Returns the lines of a record: each event that was refused, each pass that failed, was deferred or asks for something outside, and one line
 * for the passes that only changed the context. The line of a pass that asks for something outside ends with the record that has its
 * acknowledgement.
 */
export function graphStory(change: Change<CompiledGraph>): StoryEvent[] {
  const { input } = change.record
  const isRead = input?.[0] === 'ok' && fileBatchOf(input[2]) !== undefined
  if (!isRead && (input?.[0] === 'ok' || input?.[0] === 'err' || input?.[0] === 'answer')) return settledStory(change)
  const taken = passesOf(change)
  return taken === undefined ? [] : [...refusedStory(taken), ...passStory(taken, change)]
}

function refusedStory({ refusals }: Taken): StoryEvent[] {
  return refusals.map(({ id, place, fault }): StoryEvent => {
    const { code, message, rule } = fault
    const facts = { fault: { code, message, ...(rule === undefined ? {} : { rule }) } }
    return { mark: 'warn', node: place ?? id, text: `refused ${code}: ${message}`, facts }
  })
}

function passStory({ passes }: Taken, change: Change<CompiledGraph>): StoryEvent[] {
  const told = passes.map((report) => tellPass(report, change))
  const quiet = told.filter(({ length }) => length === 0).length
  const [first, last] = [passes[0], passes.at(-1)]
  if (quiet === 0 || first === undefined || last === undefined) return told.flat()
  const range =
    first === last
      ? episodeName(first.decision.episode_id)
      : `${episodeName(first.decision.episode_id)}–${episodeName(last.decision.episode_id)}`
  const text = quiet === 1 && passes.length === 1 ? contextText(first) : `${quiet} quiet ${quiet === 1 ? 'pass' : 'passes'}`
  return [{ mark: 'step', node: range, text }, ...told.flat()]
}

/** Returns the lines of a pass that is worth one. */
function tellPass(report: PassReport, change: Change<CompiledGraph>): StoryEvent[] {
  const { decision, failure, effects, event } = report
  const node = episodeName(decision.episode_id)
  if (failure !== undefined)
    return [{ mark: 'fail', node, text: failure.message, facts: { fault: { code: failure.code, message: failure.message } } }]
  if (decision.decision === 'Defer') {
    if (decision.schedule_at === null) return []
    return [{ mark: 'wait', node, text: `${event.event_id} deferred until ${decision.schedule_at.secs} s` }]
  }
  const intents = effects.flatMap((effect) => effect.intents)
  const started = intents.flatMap((intent): StoryEvent[] => {
    const channel = channelOf(frameArgs(change.frame, change.state).host, intent.kind)?.channel
    return channel?.type === 'program' ? [{ mark: 'done', node, text: `${intentText(intent, change)}  starts ${channel.start}` }] : []
  })
  return intents.length > started.length ? [...started, { mark: 'enter', node }] : started
}

/** Returns the time of the graph, the action that asked for an intent behind the triggers that let it, and the fields of the intent. */
function intentText({ kind, fields }: EffectIntent, { def: { graph }, frame }: Change<CompiledGraph>): string {
  const index = graph.nodes.findIndex(({ primitive }) => (primitive.manifest.effects?.intents ?? []).some(({ name }) => name === kind))
  const node = graph.nodes[index]
  const gates = Object.values(graph.producers[index] ?? {}).flatMap(({ node: at }) => {
    const gate = graph.nodes[at]
    return gate?.primitive.kind === 'trigger' ? [topName(nodeName(gate))] : []
  })
  const cause = node === undefined ? kind : `${gates.join(' and ')} → ${topName(nodeName(node))}`
  const values = fields.map(({ name, value }) => `${name} ${fieldText(untagged(value))}`).join(', ')
  return [timeText(readPosition(frame.position).clock), cause, values.slice(0, MOST)].filter((part) => part !== '').join('  ')
}

function fieldText(value: unknown): string {
  return typeof value === 'string' ? shortJson(value, 20).replace(/^"(.*)"$/, '$1') : shortJson(value, 20)
}

/** Returns the node of the graph itself that a node belongs to. */
function topName(name: string): string {
  return name.split('/')[0] ?? name
}

/** Times before 1973 count something else than seconds since 1970. */
const FIRST_DATE = 100_000_000

/** Returns the time of day in UTC of the latest event. */
function timeText(clock: readonly [secs: number, nanos: number] | null): string {
  if (clock === null || clock[0] < FIRST_DATE) return ''
  return [3600, 60, 1].map((size) => String(Math.floor((clock[0] % 86_400) / size) % (size === 3600 ? 24 : 60)).padStart(2, '0')).join(':')
}

/** Returns the values of the event. */
function contextText({ event }: PassReport): string {
  return Object.entries(event.payload ?? {})
    .map(([key, value]) => `${key} ${shortJson(value, 20)}`)
    .join(', ')
    .slice(0, MOST)
}

function episodeName(id: number): string {
  return `E${id}`
}

/** Returns what became of an intent: the acknowledgement of its channel, its failure, or the decision of a person. */
function settledStory(change: Change<CompiledGraph>): StoryEvent[] {
  const { record, before, frame } = change
  const { input } = record
  const [intent] = readPosition(before).pending
  if (intent === undefined || input === undefined) return []
  const node = episodeName(intent.episode)
  if (input[0] === 'err') {
    const fault = input[2]
    return [
      {
        mark: 'fail',
        node,
        text: isObject(fault) && typeof fault.message === 'string' ? fault.message : '',
        ...(isObject(fault) ? { facts: { fault } } : {}),
      },
    ]
  }
  if (readPosition(frame.position).pending[0]?.intent_id === intent.intent_id) return []
  const outcome = input[0] === 'answer' ? 'left out' : 'acknowledged'
  return [{ mark: 'done', node, text: `${intentText(intent, change)}  ${outcome}` }]
}
