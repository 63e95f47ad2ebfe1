import { Chronology, isChoice, type Moment } from './chronology.ts'
import type { Origin } from './step-reads.ts'
import { historyFaults } from './faults.ts'
import { isList, isObject, type Json, noRecord, type Rec, type RunPrograms, type State } from '../kernel/index.ts'
import { edgeOf } from './record-text.ts'
import { shortJson, didYouMean, suggest } from '../text/index.ts'
import type { StoryLine } from './trace.ts'

/**
 * Why something is as it is: what it came from, back to what somebody gave, answered or decided. What is too far back for one telling ends in a
 * `further back`, whose text is what to ask next.
 */
export interface Cause {
  readonly what: 'value' | 'decision' | 'record' | 'effect' | 'answer' | 'start' | 'set' | 'call'
  /** A key, the path of a node, or what it is of. */
  readonly name: string
  /** The record in which it came about. */
  readonly record: number
  readonly text?: string
  readonly value?: Json
  readonly by?: string
  readonly because?: string
  /** Of a decision: the other ways that were open, and the closed ones. */
  readonly open?: readonly string[]
  readonly closed?: readonly { readonly way: string; readonly why: string }[]
  /** The node failed with it. */
  readonly failed?: true
  /** It is told above. */
  readonly again?: true
  /** Of what was asked for: what else has the name, as it is asked for. */
  readonly also?: string
  readonly from: readonly Cause[]
}

/** A run to be explained. */
export interface ExplainedRun {
  readonly run: string
  readonly records: readonly Rec[]
  readonly definitionsFor: (state: State) => RunPrograms
}

/**
 * Explains `@21`, a node by its name or path, or a key of the board; `node:` and `key:` before a name say which is meant. Throws
 * `R2021` and `R2065`.
 */
export function causeOfRun({ run, records, definitionsFor }: ExplainedRun, what: string): Cause {
  const number = /^@(\d{1,9})$/.exec(what)?.[1]
  const record = number === undefined ? undefined : Number(number)
  if (record !== undefined && (record < 1 || record > records.length)) throw noRecord(run, records.length, record)
  // What came later is no cause.
  const story = new Chronology(records.slice(0, record), definitionsFor)
  if (record !== undefined) return new CauseFinder(story).record(record)
  return causeOfName(story, run, what)
}

/** What a node did or where a value came from; of a name that both have, the node, and how to ask for the key. */
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
 * How far back causes are told at once. A loop of ten thousand laps has ten thousand causes, one behind the other: where it is cut, the
 * last one says what to ask next.
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

  /** How a node decided the last time; of one that has not decided yet, what it has come to. */
  node(name: string): Cause | undefined {
    const matching = this.#story.lines.filter(({ place }) => place === name || place.endsWith(`/${name}`))
    const lines = DECISION_MARKS.flatMap((mark) => matching.findLast(({ event }) => event.mark === mark) ?? [])
    const last = lines.find(({ event }) => event.mark === 'decide') ?? lines[0] ?? matching.at(-1)
    return last === undefined ? undefined : this.record(last.n)
  }

  key(name: string): Cause | undefined {
    const origin = this.#story.find(name)
    return origin === undefined ? undefined : this.#value(origin)
  }

  /** What a record did, and from what. */
  record(n: number): Cause {
    const moment = this.#story.at(n)
    const line = moment.lines.find(isChoice) ?? moment.lines.find(({ event }) => DECISION_MARKS.includes(event.mark)) ?? moment.lines[0]
    this.#visited.add(`@${n}`)
    return { ...decisionOf(moment, line), ...this.#answerer(moment, line), from: this.#causesOf(moment) }
  }

  /** Who the person was that a line tells of: an answer's record says it, here or where what was decided was asked for; or nobody, in time. */
  #answerer({ record: { input } }: Moment, line: StoryLine | undefined): Pick<Cause, 'by'> {
    if (line?.event.facts?.['by'] !== 'a person') return {}
    const asked = input?.[0] === 'ok' ? this.#story.at(Number.parseInt(String(input[1]), 10)).record.input : input
    if (asked?.[0] === 'timer') return { by: 'a default' }
    return asked?.[0] === 'answer' && typeof asked[3] === 'string' ? { by: asked[3] } : {}
  }

  #value(origin: Origin): Cause {
    const { key, value, record, frame } = origin
    const moment = this.#story.at(record)
    const line = moment.lines.find(({ event }) => DECISION_MARKS.includes(event.mark))
    const place = line?.place ?? moment.path
    const source = this.#story.copySource(origin)
    const cause = {
      what: 'value' as const,
      name: key,
      record,
      value,
      ...(source === undefined ? { text: originText(moment, place) } : { text: `returned from ${source.key}` }),
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

  /** What a step had before it: its input, then what it read, and what who decided saw. */
  #causesOf(moment: Moment): Cause[] {
    return this.#oneLevelDown(moment.n, () => {
      const input = this.#inputCauses(moment)
      const seen = new Map<string, Origin>()
      for (const origin of this.#story.readBy(moment.n)) seen.set(`${String(origin.frame)} ${origin.key}`, origin)
      return [...input, ...[...seen.values()].map((origin) => this.#value(origin))]
    })
  }

  /** What is one further back than a record; where that is too far, how to ask for it. */
  #oneLevelDown(n: number, find: () => Cause[]): Cause[] {
    if (this.#depth === MAX_DEPTH) return [{ what: 'record', name: 'further back', record: n, text: `why @${n}`, from: [] }]
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
        // Who decided is told with what he decided.
        if (moment.lines.some(({ event }) => event.facts?.['by'] !== undefined)) return this.#precedingDecision(asked)
        const [port = ''] = this.#story.requestOf(input[1]) ?? []
        const text = `${input[0] === 'ok' ? 'answered' : 'failed'}, asked for @${asked}`
        return [{ what: 'effect', name: port, record: n, text, from: this.#precedingDecision(asked) }]
      }
      case 'answer': {
        const asked = Number.parseInt(String(input[1]), 10)
        const by = typeof input[3] === 'string' ? { by: input[3] } : {}
        const text = `answered the question of @${asked}`
        return [{ what: 'answer', name: moment.path, record: n, text, value: input[2], ...by, from: this.#precedingDecision(asked) }]
      }
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

  /** The records with which the branches that a record joins came back to who began them, this one last. */
  #joinedEnds(moment: Moment): Moment[] {
    const joined: Moment[] = []
    for (let at: Moment | undefined = moment; at !== undefined; at = at.previous === undefined ? undefined : this.#story.at(at.previous)) {
      if (at.record.input?.[0] === 'end') joined.unshift(at)
      else if (at.record.more?.spawn !== undefined) break
    }
    return joined
  }

  /** What was called or begun beside, and has ended. */
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

  /** The last choice among several ways, or the last answer, that led to a record, in its frame or below. */
  #precedingDecision(n: number): Cause[] {
    const at = this.#story.decisionBefore(n)
    if (at === undefined) return []
    const moment = this.#story.at(at)
    if (!moment.isChoice) return this.#inputCauses(moment)
    return this.#visited.has(`@${at}`) ? [] : [this.record(at)]
  }

  /** The call that began a frame, and what its caller gave it. */
  #callerCause({ record, isFirst }: Moment): Cause | undefined {
    if (!isFirst) return undefined
    if (record.frame === 0) return this.#startCause()
    const called = Number.parseInt(String(record.frame), 10)
    const caller = this.#story.at(called)
    const text = 'began it'
    if (this.#visited.has(`@${called}`)) return { what: 'call', name: caller.path, record: called, text, again: true, from: [] }
    this.#visited.add(`@${called}`)
    return { what: 'call', name: caller.path, record: called, text, from: this.#causesOf(caller) }
  }

  #startCause(): Cause {
    const { by, args } = this.#story.at(1).record.more?.start ?? {}
    const actor = isObject(by) && typeof by.actor === 'string' ? { by: by.actor } : {}
    return { what: 'start', name: 'the run began', record: 1, ...(args === undefined ? {} : { value: args }), ...actor, from: [] }
  }
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

/** Of a node that failed, that it did. */
function failedPart({ event: { mark } }: StoryLine): Pick<Cause, 'failed'> {
  return mark === 'fail' ? { failed: true } : {}
}

/** What stands open with a record that decides nothing. */
function openText(line: StoryLine | undefined): Pick<Cause, 'text'> {
  const { mark, text = '' } = line?.event ?? {}
  return mark === 'ask' ? { text: `asks ${shortJson(text, 60)}` } : mark === 'wait' ? { text: `waits: ${text}` } : {}
}

function decisionFacts(line: StoryLine | undefined): Pick<Cause, 'by' | 'because'> {
  const { facts = {}, text = '', mark } = line?.event ?? {}
  const because = mark === 'decide' || mark === 'done' || mark === 'fail' ? text : ''
  // Of a question that stands open it is whoever will answer it.
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

/** How a value came onto the board, where no other entry was copied. */
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
