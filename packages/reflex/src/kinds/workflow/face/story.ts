import { answerFacts, isList, isObject, type Json, type JsonObject, type Input, type Ref, type Change } from '../../../kernel/index.ts'
import type { StoryEvent } from '../../../programs/kind-view.ts'
import { shortJson } from '../../../text/index.ts'
import { type CompiledWorkflow, nodeAt, objectOf, textOf } from '../model/compile.ts'
import { type PreparationResult, recordedResult } from '../step/preparation.ts'
import { hasFailed, isFailure } from '../step/run-faults.ts'

type StoryChange = Change<CompiledWorkflow>

/** Returns the events of a record of a workflow for readers: the node that decided, its writes, and the next node. */
export function workflowStory(change: StoryChange): StoryEvent[] {
  const { record, before, frame, n } = change
  const decidedNode = nodeAt(before)
  const currentNode = nodeAt(frame.position) ?? ''
  const entered = nodeAt(record.position)
  return [
    ...(decidedNode === undefined ? [] : inputStory(change, decidedNode)),
    ...(record.more?.call === undefined ? [] : [pushStory(change, currentNode)]),
    ...(record.more?.wait ?? []).map(([, name, , about]) =>
      waitStory(currentNode, name, { ...objectOf(about), ...decisionFacts(record.input) }, n),
    ),
    ...(entered === undefined || entered === decidedNode ? [] : [{ mark: 'enter', node: entered } as const]),
  ]
}

function inputStory(change: StoryChange, node: string): StoryEvent[] {
  const { input } = change.record
  switch (input?.[0]) {
    case 'ok':
    case 'err': {
      const result = recordedResult(change.record)
      if (result !== undefined) return [resultStory(change, node, input[1], result)]
      return input[0] === 'ok' ? decidedStory(change, node, input[2], input[1]) : []
    }
    case 'answer':
      return [{ mark: 'answer', node, text: valueText(input[2]), facts: answerFacts(input) }]
    case 'timer':
      return [{ mark: 'answer', node, text: 'no answer arrived in time' }]
    case 'ret':
      return [returnStory(change, node, input[1], input[2])]
    default:
      return []
  }
}

/** Returns the event of a decision. A refused decision is shown by its failure, a suspended one by its question. */
function decidedStory(change: StoryChange, node: string, decision: Json, effect: Ref): StoryEvent[] {
  const { record, at, frame, def } = change
  if (hasFailed(record)) return []
  if (!isList(decision) && objectOf(decision).prepare !== undefined) return [prepareStory(node, objectOf(decision), effect)]
  const writes = record.writes ?? []
  const wrote = Object.fromEntries(writes.flatMap((key, i) => (i % 2 === 0 ? [[textOf(key), writes[i + 1] ?? null]] : [])))
  const reason = reasonOf(decision)
  const facts = { ...reasonFacts(reason), ...(writes.length > 0 ? { wrote } : {}), at }
  const text = textOf(reason.because)
  if (!isList(decision)) return frame.gone ? [{ mark: 'done', node, text, facts, effect }] : []
  const compiled = def.nodes.get(node)
  const id = textOf(decision[0])
  const edge = compiled?.edgeById.get(id)
  const edgeFacts = edge === undefined ? {} : { event: edge.event, to: edge.to }
  const mark = (compiled?.edges.length ?? 0) > 1 ? 'decide' : 'done'
  return [{ mark, node, text, facts: { ...facts, ...choiceFacts(record.more?.note, id), ...edgeFacts }, effect }]
}

/** Returns the event of calls that an agent needs before it decides. */
function prepareStory(node: string, answer: JsonObject, effect: Ref): StoryEvent {
  const calls = (isList(answer.prepare) ? answer.prepare : []).map(objectOf)
  const names = calls.map(({ tool, args, by }) => (by === 'model' ? textOf(tool) : `${textOf(tool)} ${textOf(objectOf(args).path)}`.trim()))
  const text = names.length === 0 ? 'a call that cannot be made' : `calls ${names.join(', ')}`
  return { mark: 'note', node, text, facts: reasonFacts(answer), effect }
}

/** Returns the event of the result of such a call. */
function resultStory({ before }: StoryChange, node: string, effect: Ref, result: PreparationResult): StoryEvent {
  const text = 'error' in result ? `✗ ${result.error.message}` : shortJson(result.ok, 200)
  return { mark: 'note', node: nodeAt(before) ?? node, text, effect }
}

/** Returns the open edges of a choice, and the closed ones with reasons, from the note of the step. */
function choiceFacts(note: Json | undefined, edge: string): JsonObject {
  if (!isObject(note)) return {}
  return { edge, open: note.open ?? [], ...(note.closed === undefined ? {} : { closed: note.closed }) }
}

function reasonFacts(reason: JsonObject): JsonObject {
  return Object.fromEntries(REASONS.flatMap((name) => (reason[name] === undefined ? [] : [[name, reason[name]]])))
}

const REASONS = ['by', 'because', 'saw', 'used'] as const

function pushStory({ record, state }: StoryChange, node: string): StoryEvent {
  const program = state.pins[record.more?.call?.pin ?? -1]?.[0] ?? ''
  return { mark: 'push', node, text: program, facts: { program } }
}

/** Returns the event of a return. Its values are the entries of the caller's scope since the call. */
function returnStory({ frame, state }: StoryChange, node: string, callee: Ref, status: string): StoryEvent {
  const called = Number.parseInt(String(callee), 10)
  const returned = [...frame.scope.entries(state.n)].filter(({ record, value }) => record > called && value !== undefined)
  const facts = { returned: Object.fromEntries(returned.map(({ key, value }) => [key, value ?? null])) }
  return { mark: status === 'done' ? 'pop' : 'fail', node, text: status === 'done' ? '' : status, facts }
}

function waitStory(node: string, name: string, about: JsonObject, n: number): StoryEvent {
  const question = `${n}w`
  if (isFailure(name, about)) {
    const fault = objectOf(about.fault)
    const used = about.used ?? objectOf(fault.data).used
    const facts = { fault, question, ...(used === undefined ? {} : { used }) }
    return { mark: 'fail', node, text: textOf(fault.message) || textOf(about.reason), facts }
  }
  const text = textOf(about.text)
  return { mark: text === '' ? 'wait' : 'ask', node, text: text || textOf(about.reason), facts: { question, ...about } }
}

/** Returns the prompt of a question, and the usage of a decision that was refused or that asks. */
function decisionFacts(input: Input | undefined): JsonObject {
  if (input?.[0] !== 'ok') return {}
  const { saw, used } = reasonOf(input[2])
  return { ...(saw === undefined ? {} : { saw }), ...(used === undefined ? {} : { used }) }
}

function reasonOf(decision: Json): JsonObject {
  return isList(decision) ? objectOf(decision[2]) : objectOf(decision)
}

function valueText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
