import { Chronology, isChoice, type Moment } from './chronology.ts'
import type { FoldedRecords, Origin } from './step-reads.ts'
import { historyFaults } from './faults.ts'
import { isList, isObject, type Json } from '../kernel/index.ts'
import { edgeOf } from './record-text.ts'
import { shortJson, didYouMean, suggest } from '../text/index.ts'
import type { StoryLine } from './trace.ts'

/**
 * The explanation of a value, a node or a record: its causes, back to the values that were given, answered or decided. A chain that is too
 * long ends in a cause with the name `further back`, whose text is the next question to ask.
 */
export interface Cause {
  readonly what: 'value' | 'decision' | 'record' | 'effect' | 'answer' | 'message' | 'start' | 'set' | 'call' | 'node'
  /** A key, the path of a node, or another name. */
  readonly name: string
  /** The record that caused it. */
  readonly record: number
  /** The part of the record, from 1, for a cause inside one. */
  readonly part?: number
  readonly text?: string
  readonly value?: Json
  readonly by?: string
  readonly because?: string
  /** For a decision: the other open edges, and the closed edges with their reasons. */
  readonly open?: readonly string[]
  readonly closed?: readonly { readonly way: string; readonly why: string }[]
  /** True if the node failed with it. */
  readonly failed?: true
  /** True if the cause is already explained above. */
  readonly again?: true
  /** The question for the key with the same name as the explained node. */
  readonly also?: string
  readonly from: readonly Cause[]
}

/** A run to be explained: the last segment of its records, up to the last one that can be a cause. */
export interface ExplainedRun extends FoldedRecords {
  readonly run: string
}

/** Returns the record that `@21` names. */
export function explainedRecord(what: string): number | undefined {
  const number = /^@(\d{1,9})$/.exec(what)?.[1]
  return number === undefined ? undefined : Number(number)
}

/**
 * Explains `@21`, which must be the last record, a node by its name or path, or a key of the board. `node:` or `key:` before a name selects
 * one of the two. Throws `R2065` for a name that does not exist.
 */
export function causeOfRun(explained: ExplainedRun, what: string): Cause {
  const record = explainedRecord(what)
  const story = new Chronology(explained)
  return record === undefined ? causeOfName(story, explained.run, what) : new CauseFinder(story).record(record)
}

/** Explains a node or a key. If both have the name, it explains the node and names the question for the key. */
function causeOfName(story: Chronology, run: string, what: string): Cause {
  const [, type, name = what] = /^(node|key):(.+)$/s.exec(what) ?? []
  const node = new CauseFinder(story).node(name)
  const key = new CauseFinder(story).key(name)
  if (node !== undefined && type !== 'key') return type === undefined && key !== undefined ? { ...node, also: `key:${name}` } : node
  if (key !== undefined && type !== 'node') return key
  const other = node === undefined ? (key === undefined ? undefined : 'key') : 'node'
  const hint = other === undefined ? didYouMean(suggest(name, story.names())) : `it is the name of a ${other}`
  const missing = type === undefined ? 'no node and no key' : `no ${type}`
  throw historyFaults.make('R2065', `${run} has ${missing} ${JSON.stringify(name)}${hint === undefined ? '' : `; ${hint}`}`, { run })
}

/**
 * The maximum depth of an explanation. A loop of ten thousand rounds has a chain of ten thousand causes; where it is cut, the last cause
 * names the next question to ask.
 */
const MAX_DEPTH = 60

const DECISION_MARKS: readonly string[] = ['decide', 'done', 'fail', 'answer']

class CauseFinder {
  readonly #story: Chronology
  readonly #visited = new Set<string>()
  #depth = 0

  constructor(story: Chronology) {
    this.#story = story
  }

  /** Explains the last decision of a node; for a node without a decision, its latest record. */
  node(name: string): Cause | undefined {
    const matching = this.#story.lines.filter(({ place }) => place === name || place.endsWith(`/${name}`))
    const lines = DECISION_MARKS.flatMap((mark) => matching.findLast(({ event }) => event.mark === mark) ?? [])
    const last = lines.find(({ event }) => event.mark === 'decide') ?? lines[0] ?? matching.at(-1)
    return last === undefined ? undefined : this.record(last.n, last)
  }

  key(name: string): Cause | undefined {
    const origin = this.#story.find(name)
    return origin === undefined ? undefined : this.#value(origin)
  }

  /** Explains a record. `about`: the line of it that is asked for. */
  record(n: number, about?: StoryLine): Cause {
    const moment = this.#story.at(n)
    const line =
      about ?? moment.lines.find(isChoice) ?? moment.lines.find(({ event }) => DECISION_MARKS.includes(event.mark)) ?? moment.lines[0]
    this.#visited.add(`@${n}`)
    return { ...decisionOf(moment, line), ...this.#answerer(moment, line), from: this.#causesOf(moment) }
  }

  /**
   * Returns the person in a line: the one in the record of the answer, which is this record or the record that requested the decision; or
   * `a default` if the time ran out.
   */
  #answerer({ record: { input } }: Moment, line: StoryLine | undefined): Pick<Cause, 'by'> {
    if (line?.event.facts?.['by'] !== 'a person') return {}
    const requested = input?.[0] === 'ok' ? Number.parseInt(String(input[1]), 10) : undefined
    if (requested !== undefined && requested < this.#story.first) return {}
    const asked = requested === undefined ? input : this.#story.at(requested).record.input
    if (asked?.[0] === 'timer') return { by: 'a default' }
    return asked?.[0] === 'answer' && typeof asked[3] === 'string' ? { by: asked[3] } : {}
  }

  #value(origin: Origin): Cause {
    const { key, value, record, frame } = origin
    if (record < this.#story.first) return { what: 'value', name: key, record, value, from: [furtherBack(record)] }
    const moment = this.#story.at(record)
    const line = writerOf(key, moment)
    const place = line?.place ?? moment.path
    const source = this.#story.copySource(origin)
    const cause = {
      what: 'value' as const,
      name: key,
      record,
      value,
      ...(source === undefined
        ? { text: line?.event.depth === undefined ? originText(moment, place) : `written at ${place}` }
        : { text: `returned from ${source.key}` }),
      ...decisionFacts(line),
      ...this.#answerer(moment, line),
    }
    const id = `${String(frame)} ${key} @${record}`
    if (this.#visited.has(id)) return { ...cause, again: true, from: [] }
    this.#visited.add(id)
    if (source !== undefined) return { ...cause, from: this.#oneLevelDown(source.record, () => [this.#value(source)]) }
    if (moment.record.input?.[0] === 'kernel') return { ...cause, from: [] }
    if (this.#visited.has(`@${record}`)) return { ...cause, again: true, from: [] }
    this.#visited.add(`@${record}`)
    return { ...cause, from: this.#causesOf(moment) }
  }

  /** Returns the causes of a step: its input, then the entries that it read or that the agent saw. */
  #causesOf(moment: Moment): Cause[] {
    return this.#oneLevelDown(moment.n, () => {
      const input = this.#inputCauses(moment)
      const seen = new Map<string, Origin>()
      for (const origin of this.#story.readBy(moment.n)) seen.set(`${String(origin.frame)} ${origin.key}`, origin)
      return [...input, ...[...seen.values()].map((origin) => this.#value(origin))]
    })
  }

  /** Finds the causes one level further back. At the maximum depth, it returns the next question to ask. */
  #oneLevelDown(n: number, find: () => Cause[]): Cause[] {
    if (this.#depth === MAX_DEPTH) return [furtherBack(n)]
    this.#depth++
    const causes = find()
    this.#depth--
    return causes
  }

  #inputCauses(moment: Moment): Cause[] {
    const { record, n } = moment
    const { input } = record
    switch (input?.[0]) {
      case 'ok':
      case 'err': {
        const asked = Number.parseInt(String(input[1]), 10)
        // The decision already names the one who decided.
        if (moment.lines.some(({ event }) => event.facts?.['by'] !== undefined)) return this.#precedingDecision(asked)
        const [port = ''] = this.#story.requestOf(input[1]) ?? []
        const text = `${input[0] === 'ok' ? 'answered' : 'failed'}, asked for @${asked}`
        return [{ what: 'effect', name: port, record: n, text, from: this.#precedingDecision(asked) }]
      }
      case 'answer': {
        const asked = Number.parseInt(String(input[1]), 10)
        const [, , value, by, because] = input
        const author = { ...(by === undefined ? {} : { by }), ...(because === undefined ? {} : { because }) }
        const text = `answered the question of @${asked}`
        return [{ what: 'answer', name: moment.path, record: n, text, value, ...author, from: this.#precedingDecision(asked) }]
      }
      case 'message':
        return [
          {
            what: 'message',
            name: 'message',
            record: n,
            text: 'received',
            value: input[2],
            ...(input[4] === undefined ? {} : { by: input[4] }),
            from: [],
          },
        ]
      case 'ret':
        return this.#endCauses([moment])
      case 'end':
        return this.#endCauses(this.#joinedEnds(moment))
      case undefined: {
        const before = moment.isFirst ? undefined : moment.previous
        if (before !== undefined) return this.#precedingDecision(before)
        const callerCause = this.#callerCause(moment)
        return callerCause === undefined ? [] : [callerCause]
      }
      default:
        return []
    }
  }

  /** Returns the records in which the branches of a join ended, with this record last. */
  #joinedEnds(moment: Moment): Moment[] {
    const joined: Moment[] = []
    const before = ({ previous = 0 }: Moment): Moment | undefined => (previous < this.#story.first ? undefined : this.#story.at(previous))
    for (let at: Moment | undefined = moment; at !== undefined; at = before(at)) {
      if (at.record.input?.[0] === 'end') joined.unshift(at)
      else if (at.record.more?.spawn !== undefined) break
    }
    return joined
  }

  /** Returns the ends of called programs and branches. */
  #endCauses(moments: readonly Moment[]): Cause[] {
    return moments.flatMap(({ record: { input } }) => {
      const ended = input?.[0] === 'ret' || input?.[0] === 'end' ? this.#story.endOf(input[1]) : undefined
      if (ended === undefined || this.#visited.has(`@${ended}`)) return []
      this.#visited.add(`@${ended}`)
      const end = this.#story.at(ended)
      const { status } = end.lines.find(({ event }) => event.mark === 'end')?.event.facts ?? {}
      const text = `ended ${textOf(status ?? input?.[2])}`
      return [{ what: 'call' as const, name: end.frameName, record: ended, text, from: this.#causesOf(end) }]
    })
  }

  /** Returns the last decision with several open edges, or the last answer, before a record in its frame or in a caller. */
  #precedingDecision(n: number): Cause[] {
    if (n >= this.#story.first && isNested(this.#story.at(n))) return this.#requesting(this.#story.at(n))
    const at = this.#story.decisionBefore(n)
    if (at === undefined) return []
    if (at < this.#story.first) return [furtherBack(at)]
    const moment = this.#story.at(at)
    if (!moment.isChoice) return this.#inputCauses(moment)
    return this.#visited.has(`@${at}`) ? [] : [this.record(at)]
  }

  /** Returns the step that requested an effect, for a kind in which no edge is chosen. */
  #requesting(moment: Moment): Cause[] {
    const { n, frameName, lines } = moment
    if (this.#visited.has(`@${n}`)) return []
    this.#visited.add(`@${n}`)
    // The node whose effect had settled: what it did led to the request.
    const settled = lines.find(({ event: { mark, effect } }) => effect !== undefined && DECISION_MARKS.includes(mark))
    const cause =
      settled === undefined
        ? { name: frameName, text: 'asked for it' }
        : { name: settled.place, ...failedPart(settled), ...decisionFacts(settled) }
    return [{ what: 'record', record: n, ...cause, from: this.#causesOf(moment) }]
  }

  /** Returns the call that started a frame, with the causes of its arguments. */
  #callerCause({ record, isFirst }: Moment): Cause | undefined {
    if (!isFirst) return undefined
    if (record.frame === 0) return this.#startCause()
    const called = Number.parseInt(String(record.frame), 10)
    if (called < this.#story.first) return furtherBack(called)
    const caller = this.#story.at(called)
    const text = 'started it'
    if (this.#visited.has(`@${called}`)) return { what: 'call', name: caller.path, record: called, text, again: true, from: [] }
    this.#visited.add(`@${called}`)
    return { what: 'call', name: caller.path, record: called, text, from: this.#causesOf(caller) }
  }

  #startCause(): Cause {
    const { by, args } = this.#story.start ?? {}
    const actor = isObject(by) && typeof by.actor === 'string' ? { by: by.actor } : {}
    return { what: 'start', name: 'the run started', record: 1, ...(args === undefined ? {} : { value: args }), ...actor, from: [] }
  }
}

/** Returns the line of the node that wrote a key. Where nodes contain nodes, a record has lines of several. */
function writerOf(key: string, { lines }: Moment): StoryLine | undefined {
  const writer = lines.find(
    ({ event: { depth, facts } }) => depth !== undefined && isObject(facts?.wrote) && Object.hasOwn(facts.wrote, key),
  )
  return writer ?? lines.find(({ event: { mark, depth } }) => depth === undefined && DECISION_MARKS.includes(mark))
}

/** True for a record of a kind whose nodes contain nodes. */
function isNested({ lines }: Moment): boolean {
  return lines.some(({ event }) => event.depth !== undefined)
}

/** Returns a cause that is not followed here: its text is the next question to ask. */
function furtherBack(record: number): Cause {
  return { what: 'record', name: 'further back', record, text: `why @${record}`, from: [] }
}

function decisionOf(moment: Moment, line: StoryLine | undefined): Omit<Cause, 'from'> {
  const { n, path, record } = moment
  const detail = record.input?.[0] === 'kernel' ? { text: line?.event.text ?? record.input[1] } : openText(line)
  if (line === undefined) return { what: 'record', name: path === '' ? moment.frameName : path, record: n, ...detail }
  const isDecision = isChoice(line)
  const edge = edgeOf(line.event)
  const value = isDecision && edge !== undefined ? { value: edge } : {}
  return {
    what: isDecision ? 'decision' : 'record',
    name: line.place,
    record: n,
    ...failedPart(line),
    ...detail,
    ...value,
    ...decisionFacts(line),
    ...edgesOf(line, edge),
  }
}

/** Marks a failed node. */
function failedPart({ event: { mark } }: StoryLine): Pick<Cause, 'failed'> {
  return mark === 'fail' ? { failed: true } : {}
}

/** Returns the open question or wait of a record without a decision. */
function openText(line: StoryLine | undefined): Pick<Cause, 'text'> {
  const { mark, text = '' } = line?.event ?? {}
  return mark === 'ask' ? { text: `asks ${shortJson(text, 60)}` } : mark === 'wait' ? { text: `waits: ${text}` } : {}
}

function decisionFacts(line: StoryLine | undefined): Pick<Cause, 'by' | 'because'> {
  const { facts = {}, text = '', mark } = line?.event ?? {}
  const because = mark === 'decide' || mark === 'done' || mark === 'fail' ? text : ''
  // For an open question, it is the one who must answer.
  const by = mark === 'ask' ? undefined : facts.by
  return { ...(typeof by === 'string' ? { by } : {}), ...(because === '' ? {} : { because }) }
}

function edgesOf({ event: { facts = {} } }: StoryLine, takenEdge: string | undefined): Pick<Cause, 'open' | 'closed'> {
  const open = isList(facts.open) ? facts.open.map(textOf).filter((edge) => edge !== takenEdge) : []
  const closed = isList(facts.closed)
    ? facts.closed.flatMap((pair) => (isList(pair) ? [{ way: textOf(pair[0]), why: textOf(pair[1]) }] : []))
    : []
  return { ...(open.length === 0 ? {} : { open }), ...(closed.length === 0 ? {} : { closed }) }
}

/** Describes how a value that is not a copy came onto the board. */
function originText({ record, isFirst: first }: Moment, place: string): string {
  if (record.input?.[0] === 'kernel' && record.input[1] === 'fork') {
    const detail = record.input[2]
    const by = isObject(detail) && typeof detail.by === 'string' ? `, by ${detail.by}` : ''
    return `set by the fork${by}`
  }
  if (first) return record.frame === 0 ? 'given at the start' : 'given by the caller'
  return place === '' ? 'written' : `written at ${place}`
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '')
}
