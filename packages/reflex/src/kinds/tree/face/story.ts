import { answerFacts, type Change, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { replyAuthor, usedBy } from '../../../history/model-usage.ts'
import type { FindDefinition, StoryEvent } from '../../../programs/kind-view.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { conditionText, isInherited, nodeText, typeText, workerOf } from '../debug/node-text.ts'
import { type RecordNode, recordNodes } from '../debug/record-nodes.ts'
import { textOf } from '../model/text-of.ts'
import type { FailureEntry } from '../tick/failures.ts'
import { inputStory } from './input-story.ts'
import { reloadStory } from './reload-story.ts'
import { warningStory } from './warning-story.ts'

/** Returns the events of a record of a tree for readers: its input, then the nodes in the order in which they answered, then warnings. */
export function treeStory(change: Change<CompiledTree>, definition: FindDefinition): readonly StoryEvent[] {
  const nodes = recordNodes(change, definition)
  return [
    ...inputStory(change),
    ...nodes.flatMap((one) => nodeStory(one, change)),
    ...nodes.toSorted((one, other) => one.node.index - other.node.index).flatMap(beginStory),
    ...askStory(change, nodes),
    ...reloadStory(change, definition),
    ...warningStory(change),
  ]
}

/** Returns what a node has answered. */
function nodeStory(one: RecordNode, { record: { input } }: Change<CompiledTree>): StoryEvent[] {
  const { node, depth, status, failures, isHalted, ended } = one
  const place = { node: node.path, depth }
  const used = ended === undefined ? undefined : usedBy(ended.value)
  const facts = { took: one.ms ?? 0, ...(used === undefined ? {} : { used }) }
  const effect = ended === undefined ? {} : { effect: ended.ref }
  const failed = failures.map((failure): StoryEvent => ({ mark: 'fail', ...place, ...failureText(failure, one), ...effect }))
  if (status === 'FAILURE' || (failed.length > 0 && status !== 'SUCCESS')) {
    const last = failed.at(-1) ?? { mark: 'fail' as const, ...place, text: '' }
    return [...failed.slice(0, -1), { ...last, facts: { ...last.facts, ...facts } }]
  }
  if (isHalted) return [{ mark: 'skip', ...place, text: 'halted' }]
  if (status === 'RUNNING')
    return ended === undefined || ended.isOk ? [] : [{ mark: 'warn', ...place, text: messageOf(ended.value), facts }]
  // A composite that writes for its children has not answered.
  if (node.children.length > 0 && status !== 'SUCCESS' && one.before !== 'RUNNING')
    return one.wrote === undefined ? failed : [...failed, { mark: 'note', ...place, text: '', facts: { wrote: one.wrote } }]
  if (!hasAnswered(one)) return []
  const answer = ended !== undefined && input?.[0] === 'answer' ? answerFacts(input) : undefined
  const answered: StoryEvent[] = answer === undefined ? [] : [{ mark: 'answer', ...place, text: textOf(ended?.value), facts: answer }]
  return [...answered, ...failed, { mark: 'done', ...place, ...doneText(one, answer !== undefined), ...effect }]
}

/** True for a node that has succeeded in a record: a node that was only made FRESH for its next time has not. */
function hasAnswered({ status, before, wrote, ended }: RecordNode): boolean {
  return status === 'SUCCESS' || wrote !== undefined || ended !== undefined || before === 'RUNNING'
}

function failureText({ reason, error_code }: FailureEntry, { node }: RecordNode): Pick<StoryEvent, 'text' | 'facts'> {
  const text = isInherited(reason, node) ? '' : reason
  return { text, ...(typeof error_code === 'string' ? { facts: { fault: { code: error_code, message: reason } } } : {}) }
}

/** Returns what a node has done: what it has asked, what it has written, and the usage of a model. */
function doneText({ node, wrote, ended, ms = 0 }: RecordNode, isAnswer: boolean): Pick<StoryEvent, 'text' | 'facts'> {
  const used = ended === undefined ? undefined : usedBy(ended.value)
  const by = isAnswer ? 'a person' : used === undefined ? workerOf(node) : replyAuthor(ended?.value)
  const text = conditionText(node) ?? (node.children.length > 0 && by === undefined ? typeText(node) : '')
  return {
    text,
    facts: {
      took: ms,
      ...(by === undefined || by === '' ? {} : { by }),
      ...(used === undefined ? {} : { used }),
      ...(wrote === undefined ? {} : { wrote }),
    },
  }
}

/** Returns the beginning of a node that is RUNNING now; a leaf says what it does. */
function beginStory({ node, depth, before, status }: RecordNode): StoryEvent[] {
  if (status !== 'RUNNING' || before === 'RUNNING') return []
  const place = { node: node.path, depth }
  const isLeaf = node.children.length === 0
  return [{ mark: 'enter', ...place }, ...(isLeaf ? [{ mark: 'step', ...place, text: nodeText(node) } as const] : [])]
}

/** Returns the questions to people, and the programs that are called. */
function askStory({ record: { more = {} }, n, state }: Change<CompiledTree>, nodes: readonly RecordNode[]): StoryEvent[] {
  const depthOf = (path: string): { depth?: number } => {
    const depth = nodes.find(({ node }) => node.path === path)?.depth
    return depth === undefined ? {} : { depth }
  }
  const asked = (more.wait ?? []).flatMap(([type, name, , about]): StoryEvent[] => {
    if (type !== 'answer' || !isObject(about)) return []
    return [{ mark: 'ask', node: name, ...depthOf(name), text: textOf(about.text), facts: { question: `${n}w`, ...about } }]
  })
  const callers = nodes.filter(({ node, status, before }) => node.params.program !== undefined && status === 'RUNNING' && before !== status)
  const called = (more.spawn ?? []).flatMap(({ pin }, i): StoryEvent[] => {
    const [caller, program] = [callers[i], state.pins[pin]?.[0] ?? '']
    return caller === undefined
      ? []
      : [{ mark: 'push', node: caller.node.path, depth: caller.depth, text: program, facts: { program } satisfies JsonObject }]
  })
  return [...asked, ...called]
}

function messageOf(value: Json): string {
  return isObject(value) ? textOf(value.message) : textOf(value)
}
