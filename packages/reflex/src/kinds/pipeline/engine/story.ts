import { answerFacts, isList, isObject, type Json, type JsonObject, type Change } from '../../../kernel/index.ts'
import type { StoryEvent } from '../../../programs/kind-view.ts'
import type { TypedGraph } from '../model/typed.ts'
import { branchOf } from '../contract/branch.ts'
import { nodeOf } from '../contract/position.ts'
import { faultOf, type RemarkedChange, REMARK_STORIES } from './story-remarks.ts'
import { textOf, edgeChoicesOf } from './story-facts.ts'
import { replyAuthor, usedBy } from '../../../history/model-usage.ts'

/** Returns the remarks of a record: `[type, payload]` each. */
export function remarksOf(note: Json | undefined): (readonly [type: string, payload: JsonObject])[] {
  if (!isList(note)) return []
  return note.flatMap((remark) => {
    const [type, payload] = isList(remark) ? remark : []
    return typeof type === 'string' ? [[type, isObject(payload) ? payload : {}] as const] : []
  })
}

/** The milliseconds from which a pause has its own line; shorter ones only show while they last. */
const LONG = 10_000

/** Returns the events of a record for a reader: stages begin and end, edges are chosen, people are asked. */
export function pipelineStory(change: Change<TypedGraph>): StoryEvent[] {
  const { record, before, frame } = change
  const heard: RemarkedChange = { ...change, remarks: remarksOf(record.more?.note), node: nodeOf(before) ?? nodeOf(frame.position) ?? '' }
  const remarked = heard.remarks.flatMap(([type, payload], i) => REMARK_STORIES[type]?.(payload, heard, i) ?? [])
  return [
    ...inputStory(heard, remarked),
    ...remarked,
    ...(record.more?.wait ?? []).flatMap(([type, name, due, about]) => waitStory(heard, type, name, due ?? undefined, about)),
    ...(record.more?.call === undefined ? [] : [pushStory(change, nodeOf(frame.position) ?? heard.node)]),
    ...branchStory(heard, remarked),
    ...sentStory(change),
  ]
}

/** Returns the first messages of a conversation with a model: instructions, preamble, prompt. Later turns add to them. */
function sentStory({ record, frame }: Change<TypedGraph>): StoryEvent[] {
  return (record.requests ?? []).flatMap(([port, args]): StoryEvent[] => {
    if (port !== 'model' || !isObject(args)) return []
    const { conversation } = args
    const part = typeof conversation === 'string' ? frame.reader().get(conversation) : undefined
    const { messages } = conversation === undefined ? args : isObject(part) && isObject(part['request']) ? part['request'] : {}
    if (!isList(messages)) return []
    const facts = { detail: true, saw: { messages } }
    return [{ mark: 'note', node: nodeOf(frame.position) ?? '', text: 'asks a model', facts }]
  })
}

/** Returns the events of an input: answers of people, returns of programs, and effects that do not end their node. */
function inputStory({ record, node }: RemarkedChange, remarked: readonly StoryEvent[]): StoryEvent[] {
  const { input } = record
  switch (input?.[0]) {
    case 'answer':
      return [{ mark: 'answer', node, text: textOf(input[2]), facts: answerFacts(input) }]
    case 'message':
      return [
        {
          mark: 'answer',
          node,
          text: 'a message arrived',
          facts: { answer: input[2], ...(input[4] === undefined ? {} : { by: input[4] }) },
        },
      ]
    case 'ret':
      return [{ mark: 'pop', node, text: input[2] === 'done' ? '' : input[2], facts: {} }]
    case 'part':
      return [{ mark: 'step', node, text: progressOf(input[2]) }]
    case 'ok':
    case 'err': {
      const used = usedBy(input[2])
      if (used === undefined || remarked.some(({ facts }) => facts?.['used'] !== undefined)) return []
      return [{ mark: 'step', node, facts: { used, by: replyAuthor(input[2]) }, effect: input[1] }]
    }
    default:
      return []
  }
}

/** Returns the progress that the performer of an effect reports. */
function progressOf(delta: Json): string {
  if (!isObject(delta)) return textOf(delta)
  return textOf([delta['text'], delta['message'], delta['note']].find((part) => typeof part === 'string') ?? delta)
}

/** Returns a question or a pause. Remarks describe the timers of the engine itself. */
function waitStory(
  { n, at, node }: RemarkedChange,
  type: string,
  name: string,
  due: number | undefined,
  about: Json | undefined,
): StoryEvent[] {
  if (type === 'answer')
    return isObject(about) ? [{ mark: 'ask', node, text: textOf(about['text']), facts: { question: `${n}w`, ...about } }] : []
  if (type === 'message') {
    return [{ mark: 'wait', node, text: `waits for the message ${name}`, ...(due === undefined ? {} : { facts: { due, ms: due - at } }) }]
  }
  if (name !== node || due === undefined) return []
  return [{ mark: due - at >= LONG ? 'wait' : 'step', node, text: 'waits', facts: { due, ms: due - at } }]
}

function pushStory({ record, state }: Change<TypedGraph>, node: string): StoryEvent {
  const program = state.pins[record.more?.call?.pin ?? -1]?.[0] ?? ''
  return { mark: 'push', node, text: program, facts: { program } }
}

/** Returns the end of a branch, with a text if no node of it describes the end: it was stopped, or its time was over. */
function branchStory(heard: RemarkedChange, remarked: readonly StoryEvent[]): StoryEvent[] {
  const { record, frame } = heard
  const branch = branchOf(frame)
  const [how, value] = record.more?.return ?? []
  if (branch === undefined || how === undefined) return []
  const node = branch.spec.id
  const status = how === 'done' && isObject(value) ? textOf(value['status']) : how
  const end: StoryEvent = { mark: 'end', node, facts: { status, ...lastEdge(heard) } }
  if (how === 'cancelled') return [{ mark: 'skip', node, text: isCancelled(frame) ? 'cancelled' : 'stopped; it is no longer needed' }, end]
  if ((how !== 'failed' && status !== 'fail') || remarked.some(({ mark }) => mark === 'fail')) return [end]
  const reason = isObject(value) ? textOf(value['failure_reason'] ?? value['message']) : ''
  return [{ mark: 'fail', node, text: reason, facts: { fault: faultOf(node, '', reason) } }, end]
}

/** True if a branch ends because its caller is cancelled. */
function isCancelled({ link }: Change['frame']): boolean {
  return link?.caller.cancelReason !== undefined
}

/** Returns the edge over which a branch reached the join: it ends before that node. */
function lastEdge({ def, remarks }: RemarkedChange): JsonObject {
  const [, selected] = remarks.findLast(([type]) => type === 'edge_selected') ?? []
  if (selected === undefined) return {}
  const { edge } = edgeChoicesOf(def, selected, undefined).ids
  return edge === undefined ? {} : { ids: { edge } }
}
