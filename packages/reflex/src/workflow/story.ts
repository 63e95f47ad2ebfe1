import { isList, isObject, type Json } from '../kernel/json.ts'
import type { Change, StoryEvent } from '../kernel/story.ts'
import { type CompiledWorkflow, nodeAt, objectOf } from './compile.ts'
import { ENGINE_ERROR } from './kind.ts'

/** What a record of a workflow means to a reader: the node that decided, what it wrote, where it went on. */
export function workflowStory(change: Change<CompiledWorkflow>): StoryEvent[] {
  const { record, before, frame } = change
  const left = nodeAt(before)
  const events: StoryEvent[] = []
  switch (record.input?.[0]) {
    case 'ok':
      if (left !== undefined) events.push(...decidedStory(change, left, record.input[2], record.input[1]))
      break
    case 'answer':
      if (left !== undefined) events.push({ mark: 'answer', node: left, text: text(record.input[2]), facts: { answer: record.input[2], ...(record.input[3] === undefined ? {} : { by: record.input[3] }) } })
      break
    case 'timer':
      if (left !== undefined) events.push({ mark: 'answer', node: left, text: 'nobody answered in time' })
      break
  }
  if (record.more?.call !== undefined) events.push(pushStory(change, nodeAt(frame.position) ?? ''))
  for (const wait of change.record.more?.wait ?? []) events.push(waitStory(nodeAt(frame.position) ?? '', wait[1], wait[3], change.n))
  if (record.input?.[0] === 'ret' && left !== undefined) events.push(popStory(change, left))
  const entered = nodeAt(record.position)
  if (entered !== undefined && entered !== left) events.push({ mark: 'enter', node: entered })
  return events
}

function decidedStory(change: Change<CompiledWorkflow>, node: string, decision: Json, effect: string | number): StoryEvent[] {
  const { record, at, frame } = change
  const writes = record.writes ?? []
  const wrote = Object.fromEntries(writes.flatMap((key, i) => (i % 2 === 0 ? [[String(key), writes[i + 1] ?? null]] : [])))
  const reason = isList(decision) ? objectOf(decision[2]) : objectOf(decision)
  const facts = { ...reasonFacts(reason), ...(writes.length > 0 ? { wrote } : {}), at }
  const note = isObject(record.more?.note) ? record.more.note : undefined
  if (!isList(decision)) {
    if (!('complete' in objectOf(decision)) || !frame.gone) return []
    return [{ mark: 'done', node, text: sentence(reason), facts, effect }]
  }
  if (record.more?.wait?.some(([, name]) => name === ENGINE_ERROR)) return []
  const edge = change.def.nodes.get(node)?.edge.get(String(decision[0]))
  const choice = note === undefined ? {} : { edge: String(decision[0]), open: note.open ?? [], ...(note.closed === undefined ? {} : { closed: note.closed }) }
  const went = edge === undefined ? {} : { event: edge.event, to: edge.to }
  const several = (change.def.nodes.get(node)?.edges.length ?? 0) > 1
  return [{ mark: several ? 'decide' : 'done', node, text: sentence(reason), facts: { ...facts, ...choice, ...went }, effect }]
}

function reasonFacts({ by, because }: { readonly [key: string]: Json }): { [key: string]: Json } {
  return { ...(by === undefined ? {} : { by }), ...(because === undefined ? {} : { because }) }
}

function sentence({ because }: { readonly [key: string]: Json }): string {
  return typeof because === 'string' ? because : ''
}

function pushStory({ record, state }: Change<CompiledWorkflow>, node: string): StoryEvent {
  const program = state.pins[record.more?.call?.pin ?? -1]?.[0] ?? ''
  return { mark: 'push', node, text: program, facts: { program } }
}

/** What the callee carried back stands in the caller's scope since the call. */
function popStory({ record, frame, state }: Change<CompiledWorkflow>, node: string): StoryEvent {
  const callee = record.input?.[1]
  const called = Number.parseInt(String(callee), 10)
  const returned = [...frame.scope.entries(state.n)].filter((entry) => entry.record > called && entry.value !== undefined)
  const status = String(record.input?.[2] ?? 'done')
  return { mark: status === 'done' ? 'pop' : 'fail', node, text: status === 'done' ? '' : status, facts: { returned: Object.fromEntries(returned.map(({ key, value }) => [key, value ?? null])) } }
}

function waitStory(node: string, name: string, about: Json | undefined, n: number): StoryEvent {
  const details = objectOf(about)
  if (name === ENGINE_ERROR) {
    const fault = objectOf(details.fault)
    return { mark: 'fail', node, text: String(fault.message ?? details.reason ?? ''), facts: { fault, question: `${n}w` } }
  }
  const asks = details.text !== undefined
  return { mark: asks ? 'ask' : 'wait', node, text: String(details.text ?? details.reason ?? ''), facts: { question: `${n}w`, ...details } }
}

function text(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
