import { isList, isObject, type Json, type StoryEvent } from '../kernel/index.ts'
import type { StoryLine } from '../history/trace.ts'
import { addUsed, nothingSpent, type Spent } from './spent.ts'
import { type Answered, objectOf, textOf, waitText } from './telling.ts'
import { duration } from './units.ts'

/** What stood before an event and is needed to tell it. */
export interface Told {
  /** Milliseconds since the node began. */
  readonly took: number
  readonly answered?: Answered
  /** The question was whether an effect happened. */
  readonly doubted: boolean
  /** What models have taken for the node. */
  readonly spent: Spent
  /** The node has just come back from the program that it called. */
  readonly returned: boolean
}

/** A node that something is being done at. */
export interface Running {
  /** As people see it: with its branch, where it is one of several nodes of it. */
  readonly name: string
  readonly node: string
  readonly place: string
  readonly branch: string | undefined
  readonly depth: number
  readonly since: number
  /** What it does now. */
  doing: string
  /** It waits for a person. */
  asks: boolean
  /** It waits for a time or a message. */
  pauses: boolean
  readonly spent: Spent
  /** Of one whose branches run: how many there are, and how many have ended. */
  branches?: { readonly all: number; in: number; readonly rule: string }
}

interface Node {
  since: number
  asked?: { readonly at: number; readonly options: readonly Json[]; readonly doubt: boolean }
  answered?: Answered
  returned: boolean
  spent: Spent
}

/** Follows a story line by line, so that a node's end knows of its beginning, its question, its answer and what it took. */
export class Follower {
  readonly #nodes = new Map<string, Node>()
  /** Nodes that something is being done at, in the order in which they began. */
  readonly running = new Map<string, Running>()
  /** Nodes of the run's own program that have ended, by name. */
  readonly ended = new Set<string>()
  /** All that the run has spent while it was followed. */
  readonly total: Spent = nothingSpent()

  follow(line: StoryLine): Told {
    const { event, at, place } = line
    const node = this.#nodes.get(place) ?? { since: at, returned: false, spent: nothingSpent() }
    this.#nodes.set(place, node)
    const took = at - node.since
    const { returned } = node
    for (const spent of [node.spent, this.total, this.running.get(place)?.spent]) if (spent !== undefined) addUsed(spent, event)
    const told: Told = {
      took,
      returned,
      spent: node.spent,
      doubted: node.asked?.doubt === true,
      ...(node.answered === undefined ? {} : { answered: node.answered }),
    }
    this.#take(line, node)
    return told
  }

  #take(line: StoryLine, node: Node): void {
    const { event, at, place } = line
    switch (event.mark) {
      case 'enter':
        this.#nodes.set(place, { since: at, returned: false, spent: nothingSpent() })
        this.#run(line)
        break
      case 'ask':
        node.asked = { at, options: optionsOf(event), doubt: objectOf(event.facts?.about).effect !== undefined }
        this.#run(line, { asks: true, doing: 'waits for an answer' })
        break
      case 'answer':
        if (isRetry(line)) node.since = at
        else node.answered = answerOf(event, node, at)
        this.#run(line)
        break
      case 'pop':
        node.returned = true
        node.since = at
        this.#run(line)
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
        // A pause inside a node that is still at it; others have said all there is.
        if (event.facts?.ms === undefined) this.running.delete(place)
        else this.#run(line, { pauses: true, doing: waitText(event) })
        break
      case 'push':
        this.running.delete(place)
        break
      case 'step':
      case 'fork':
      case 'warn':
      case 'end':
        this.#tell(line)
        break
      case 'note':
        break
    }
  }

  #run({ event, depth, at, place, branch }: StoryLine, more: Partial<Running> = {}): void {
    const { node = '' } = event
    const before = this.running.get(place)
    const since = more.asks === true ? at : (before?.since ?? this.#nodes.get(place)?.since ?? at)
    const spent = before?.spent ?? nothingSpent()
    this.running.set(place, {
      name: nameIn(branch, node),
      node,
      place,
      branch,
      depth,
      since,
      doing: '',
      asks: false,
      pauses: false,
      spent,
      ...more,
    })
  }

  /** How far a node is, or a branch that is in. */
  #tell({ event, place }: StoryLine): void {
    const running = this.running.get(place)
    if (event.mark === 'end') {
      const above = this.running.get(place.slice(0, Math.max(0, place.lastIndexOf('/'))))
      if (above?.branches !== undefined) above.branches.in++
    } else if (running === undefined) return
    else if (event.mark === 'fork') running.branches = { all: Number(event.facts?.branches ?? 0), in: 0, rule: textOf(event.facts?.rule) }
    else if (event.mark === 'step') running.doing = event.text === undefined ? running.doing : waitText(event)
    else if (event.facts?.attempt !== undefined) running.doing = attemptText(event)
  }

  /** The answer that a node has just been given. */
  answerTo({ place }: StoryLine): Answered | undefined {
    return this.#nodes.get(place)?.answered
  }
}

/** A node's name beside others that run: that of its branch stands before it, unless it is the same. */
function nameIn(branch: string | undefined, node: string): string {
  return branch === undefined || branch === node ? node : node === '' ? branch : `${branch}/${node}`
}

/** The name of a line's node in a tree. */
export function nameOf({ branch, event }: StoryLine): string {
  return nameIn(branch, event.node ?? '')
}

/** `attempt 2 of 3`, after how long. */
export function attemptText({ facts = {} }: StoryEvent): string {
  const { attempt, delay } = facts
  return `${textOf(attempt)}${typeof delay === 'number' ? `, after ${duration(delay)}` : ''}`
}

function optionsOf({ facts }: StoryEvent): readonly Json[] {
  return isList(facts?.options) ? facts.options : []
}

function answerOf({ facts = {}, text = '' }: StoryEvent, { asked, since }: Node, at: number): Answered {
  const { answer, by } = facts
  const option = asked?.options.find((candidate) => isObject(candidate) && candidate.value === answer)
  const label = isObject(option) && typeof option.label === 'string' ? option.label : undefined
  const said = label ?? (answer === undefined ? text : typeof answer === 'string' ? answer : JSON.stringify(answer))
  return { by: typeof by === 'string' ? by : undefined, text: said, took: at - (asked?.at ?? since) }
}

/** Whether a record only says that a failed node is tried again. */
export function isRetry({ event }: StoryLine): boolean {
  return event.mark === 'answer' && event.facts?.answer === null
}
