import { textOf } from '../protocol/plain.ts'
import { isList, isObject, type Json } from '../kernel/index.ts'
import type { StoryEvent } from '../programs/kind-view.ts'
import { beginsWithRoom, type StoryLine } from '../history/trace.ts'
import { addEventUsage, noUsage, type ModelUsage } from './model-usage.ts'
import { type AnswerFacts, objectOf, waitText } from './event-text.ts'
import { duration } from './units.ts'

/** The state before an event that is needed to describe the event. */
export interface EventContext {
  /** The time since the node began, in milliseconds. */
  readonly took: number
  readonly answered?: AnswerFacts
  /** True if the question was whether an effect happened. */
  readonly isUnknownOutcome: boolean
  /** The usage of models for the node. */
  readonly spent: ModelUsage
  /** True if the program that the node called has just returned. */
  readonly hasReturned: boolean
}

/** A node with work in progress. */
export interface RunningNode {
  /** The name for people; it includes the branch if several nodes of the branch run. */
  readonly name: string
  readonly node: string
  readonly place: string
  readonly branch: string | undefined
  readonly depth: number
  readonly since: number
  /** The current activity of the node. */
  activity: string
  /** True while the node waits for a person. */
  isAsking: boolean
  /** True while the node waits for a time or a message. */
  isWaiting: boolean
  readonly spent: ModelUsage
  /** The branches of a node whose branches run: their number, and how many have ended. */
  branches?: { readonly all: number; endedCount: number; readonly rule: string }
}

interface NodeHistory {
  since: number
  asked?: { readonly at: number; readonly options: readonly Json[]; readonly isUnknownOutcome: boolean }
  answered?: AnswerFacts
  hasReturned: boolean
  spent: ModelUsage
}

/** Follows a story line by line. The end of a node then knows its beginning, its question, its answer and its usage. */
export class Follower {
  readonly #nodes = new Map<string, NodeHistory>()
  /** The nodes with work in progress, in the order in which they began. */
  readonly running = new Map<string, RunningNode>()
  /** The names of the nodes of the run's own program that have ended. */
  readonly ended = new Set<string>()

  follow(line: StoryLine): EventContext {
    const { event, at, place } = line
    const node = this.#nodes.get(place) ?? { since: at, hasReturned: false, spent: noUsage() }
    this.#nodes.set(place, node)
    const took = typeof event.facts?.took === 'number' ? event.facts.took : at - node.since
    const { hasReturned } = node
    for (const spent of [node.spent, this.running.get(place)?.spent]) if (spent !== undefined) addEventUsage(spent, event)
    const context: EventContext = {
      took,
      hasReturned,
      spent: node.spent,
      isUnknownOutcome: node.asked?.isUnknownOutcome === true,
      ...(node.answered === undefined ? {} : { answered: node.answered }),
    }
    this.#apply(line, node)
    return context
  }

  #apply(line: StoryLine, node: NodeHistory): void {
    const { event, at, place } = line
    switch (event.mark) {
      case 'enter':
        this.#nodes.set(place, { since: at, hasReturned: false, spent: noUsage() })
        this.#setRunning(line)
        break
      case 'ask':
        node.asked = { at, options: optionsOf(event), isUnknownOutcome: objectOf(event.facts?.about).effect !== undefined }
        this.#setRunning(line, { isAsking: true, activity: 'waits for an answer' })
        break
      case 'answer':
        if (isRetry(line)) node.since = at
        else node.answered = answerOf(event, node, at)
        this.#setRunning(line)
        break
      case 'pop':
        node.hasReturned = true
        node.since = at
        this.#setRunning(line)
        break
      case 'done':
      case 'decide':
      case 'skip':
      case 'fail':
        if (event.mark !== 'fail') this.#nodes.delete(place)
        this.running.delete(place)
        if (line.depth === 0 || line.branch !== undefined) this.ended.add(event.node ?? '')
        break
      case 'wait':
        // A wait with a limit is a pause inside a node that still works. Every other wait has already been shown.
        if (event.facts?.ms === undefined) this.running.delete(place)
        else this.#setRunning(line, { isWaiting: true, activity: waitText(event) })
        break
      case 'push':
        this.running.delete(place)
        break
      case 'step':
      case 'fork':
      case 'warn':
      case 'end':
        this.#updateProgress(line)
        break
      case 'note':
        break
    }
  }

  #setRunning({ event, depth, at, place, branch }: StoryLine, more: Partial<RunningNode> = {}): void {
    const { node = '' } = event
    const before = this.running.get(place)
    const since = more.isAsking === true ? at : (before?.since ?? this.#nodes.get(place)?.since ?? at)
    const spent = before?.spent ?? noUsage()
    this.running.set(place, {
      name: branchedName(branch, node),
      node,
      place,
      branch,
      depth,
      since,
      activity: '',
      isAsking: false,
      isWaiting: false,
      spent,
      ...more,
    })
  }

  /** Updates the progress of a node or of the node above its branch. */
  #updateProgress({ event, place }: StoryLine): void {
    const running = this.running.get(place)
    if (event.mark === 'end') {
      const above = this.running.get(place.slice(0, Math.max(0, place.lastIndexOf('/'))))
      if (above?.branches !== undefined) above.branches.endedCount++
    } else if (running === undefined) return
    else if (event.mark === 'fork')
      running.branches = { all: Number(event.facts?.branches ?? 0), endedCount: 0, rule: textOf(event.facts?.rule) }
    else if (beginsWithRoom(event)) running.activity = ''
    else if (event.mark === 'step') running.activity = event.text === undefined ? running.activity : waitText(event)
    else if (event.facts?.attempt !== undefined) running.activity = attemptText(event)
  }

  /** Returns the answer that a node has just received. */
  answerTo({ place }: StoryLine): AnswerFacts | undefined {
    return this.#nodes.get(place)?.answered
  }
}

/** Returns the name of a node beside others that run: its branch stands before it, unless both are the same. */
function branchedName(branch: string | undefined, node: string): string {
  return branch === undefined || branch === node ? node : node === '' ? branch : `${branch}/${node}`
}

/** Returns the name of a line's node in a tree. */
export function nameOf({ branch, event }: StoryLine): string {
  return branchedName(branch, event.node ?? '')
}

/** Returns `attempt 2 of 3`, and the delay before it. */
export function attemptText({ facts = {} }: StoryEvent): string {
  const { attempt, delay } = facts
  return `${textOf(attempt)}${typeof delay === 'number' ? `, after ${duration(delay)}` : ''}`
}

function optionsOf({ facts }: StoryEvent): readonly Json[] {
  return isList(facts?.options) ? facts.options : []
}

function answerOf({ facts = {}, text = '' }: StoryEvent, { asked, since }: NodeHistory, at: number): AnswerFacts {
  const { answer, by, reason } = facts
  const option = asked?.options.find((candidate) => isObject(candidate) && candidate.value === answer)
  const label = isObject(option) && typeof option.label === 'string' ? option.label : undefined
  const shown = label ?? (answer === undefined ? text : typeof answer === 'string' ? answer : JSON.stringify(answer))
  const why = typeof reason === 'string' ? { reason } : {}
  return { by: typeof by === 'string' ? by : undefined, text: shown, ...why, took: at - (asked?.at ?? since) }
}

/** True if a record only says that a failed node is tried again. */
export function isRetry({ event }: StoryLine): boolean {
  return event.mark === 'answer' && event.facts?.answer === null
}
