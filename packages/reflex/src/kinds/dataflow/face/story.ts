import { type Change, isObject, type Json } from '../../../kernel/index.ts'
import type { StoryEvent } from '../../../programs/kind-view.ts'
import { shortJson } from '../../../text/index.ts'
import type { Effect } from '../model/effect.ts'
import { nodeName } from '../model/graph.ts'
import type { CompiledGraph } from '../run/compiled.ts'
import { passesOf } from '../run/passes-of.ts'
import { readPosition } from '../run/position.ts'
import type { PassReport, Taken } from '../run/session.ts'

/** The most characters of the values in a line. */
const MOST = 60

/**
 * Returns the lines of a record: each event that was refused, each pass that failed, was deferred or asks for something outside, and one line
 * for the passes that only changed the context. Then what became of an intent.
 */
export function graphStory(change: Change<CompiledGraph>): StoryEvent[] {
  const { input } = change.record
  if (input?.[0] === 'ok' || input?.[0] === 'err' || input?.[0] === 'answer') return settledStory(change)
  const taken = passesOf(change)
  return taken === undefined ? [] : [...refusedStory(taken), ...passStory(taken, change.def)]
}

function refusedStory({ refusals }: Taken): StoryEvent[] {
  return refusals.map(({ id, fault }): StoryEvent => {
    const { code, message, rule } = fault
    return {
      mark: 'warn',
      node: id,
      text: `refused ${code}: ${message}`,
      facts: { fault: { code, message, ...(rule === undefined ? {} : { rule }) } },
    }
  })
}

function passStory({ passes }: Taken, def: CompiledGraph): StoryEvent[] {
  const told = passes.flatMap((report) => tellPass(report, def))
  const quiet = passes.length - told.length
  const [first, last] = [passes[0], passes.at(-1)]
  if (quiet === 0 || first === undefined || last === undefined) return told
  const range = first === last ? episode(first) : `${episode(first)}–${episode(last)}`
  const text = quiet === 1 && passes.length === 1 ? contextText(first) : `${quiet} quiet ${quiet === 1 ? 'pass' : 'passes'}`
  return [{ mark: 'step', node: range, text }, ...told]
}

/** Returns the line of a pass that is worth one. */
function tellPass(report: PassReport, def: CompiledGraph): StoryEvent[] {
  const { decision, failure, effects, event } = report
  const node = episode(report)
  if (failure !== undefined)
    return [{ mark: 'fail', node, text: failure.message, facts: { fault: { code: failure.code, message: failure.message } } }]
  if (decision.decision === 'Defer') {
    if (decision.schedule_at === null) return []
    return [{ mark: 'wait', node, text: `${event.event_id} deferred until ${decision.schedule_at.secs} s` }]
  }
  const external = effects.filter(({ intents }) => intents.length > 0)
  if (external.length === 0) return []
  return external.map((effect) => ({ mark: 'decide', node, text: `${causeOf(effect, def)}${contextText(report)}` }))
}

/** Returns the action that asks for an effect, behind the triggers that let it. */
function causeOf({ kind }: Effect, { graph }: CompiledGraph): string {
  const index = graph.nodes.findIndex(({ primitive }) => (primitive.manifest.effects?.intents ?? []).some(({ name }) => name === kind))
  const node = graph.nodes[index]
  if (node === undefined) return kind
  const gates = Object.values(graph.producers[index] ?? {}).flatMap(({ node: at }) => {
    const gate = graph.nodes[at]
    return gate?.primitive.kind === 'trigger' ? [nodeName(gate)] : []
  })
  return `${gates.join(' and ')} → ${nodeName(node)}   `
}

/** Returns the values of the event. */
function contextText({ event }: PassReport): string {
  return Object.entries(event.payload ?? {})
    .map(([key, value]) => `${key} ${shortJson(value, 20)}`)
    .join(', ')
    .slice(0, MOST)
}

function episode({ decision }: PassReport): string {
  return `E${decision.episode_id}`
}

/** Returns what became of an intent: the acknowledgement of its channel, or its failure. */
function settledStory({ record: { input }, before, frame }: Change<CompiledGraph>): StoryEvent[] {
  const [intent] = readPosition(before).pending
  if (intent === undefined || input === undefined) return []
  const after = readPosition(frame.position).pending[0]
  const fields = intent.fields.map(({ name, value }) => `${name} ${shortJson(Object.values(value)[0] as Json, 20)}`).join(', ')
  if (input[0] === 'err') {
    const fault = input[2]
    return [
      {
        mark: 'fail',
        node: intent.kind,
        text: isObject(fault) ? String(fault.message) : '',
        ...(isObject(fault) ? { facts: { fault } } : {}),
      },
    ]
  }
  if (after?.intent_id === intent.intent_id) return []
  return [{ mark: 'done', node: intent.kind, text: `acknowledged   ${fields}`.slice(0, MOST) }]
}
