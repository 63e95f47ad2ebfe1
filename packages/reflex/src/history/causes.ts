import { Chronology, isChoice, type Moment } from './chronology.ts'
import type { Origin } from './step-reads.ts'
import { historyFaults } from './faults.ts'
import { isList, isObject, type Json, noRecord, type Rec, type RunPrograms, type State } from '../kernel/index.ts'
import { edgeOf } from './words.ts'
import { brief, didYouMean, suggest } from '../text/index.ts'
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
export interface Explained {
  readonly run: string
  readonly records: readonly Rec[]
  readonly definitionsFor: (state: State) => RunPrograms
}

/**
 * Explains `@21`, a node by its name or path, or a key of the board; `node:` and `key:` before a name say which is meant. Throws
 * `R2021` and `R2065`.
 */
export function causeOfRun({ run, records, definitionsFor }: Explained, what: string): Cause {
  const number = /^@(\d{1,9})$/.exec(what)?.[1]
  const record = number === undefined ? undefined : Number(number)
  if (record !== undefined && (record < 1 || record > records.length)) throw noRecord(run, records.length, record)
  // What came later is no cause.
  const story = new Chronology(records.slice(0, record), definitionsFor)
  if (record !== undefined) return new Why(story).record(record)
  return causeOfName(story, run, what)
}

/** What a node did or where a value came from; of a name that both have, the node, and how to ask for the key. */
function causeOfName(story: Chronology, run: string, what: string): Cause {
  const [, only, name = what] = /^(node|key):(.+)$/s.exec(what) ?? []
  const node = new Why(story).node(name)
  const key = new Why(story).key(name)
  if (node !== undefined && only !== 'key') return only === undefined && key !== undefined ? { ...node, also: `key:${name}` } : node
  if (key !== undefined && only !== 'node') return key
  const other = node === undefined ? (key === undefined ? undefined : 'key') : 'node'
  const hint = other === undefined ? didYouMean(suggest(name, story.names())) : `it is the name of a ${other}`
  const nothing = only === undefined ? 'no node and no key' : `no ${only}`
  throw historyFaults.make('R2065', `${run} has ${nothing} ${JSON.stringify(name)}${hint === undefined ? '' : `; ${hint}`}`, { run })
}

/**
 * How far back causes are told at once. A loop of ten thousand laps has ten thousand causes, one behind the other: where it is cut, the
 * last one says what to ask next.
 */
const DEEPEST = 60

const DECIDES: readonly string[] = ['decide', 'done', 'fail', 'answer']

class Why {
  readonly #story: Chronology
  readonly #told = new Set<string>()
  #depth = 0

  constructor(story: Chronology) {
    this.#story = story
  }

  /** How a node decided the last time; of one that has not decided yet, what it has come to. */
  node(name: string): Cause | undefined {
    const told = this.#story.lines.filter(({ place }) => place === name || place.endsWith(`/${name}`))
    const lines = DECIDES.flatMap((mark) => told.findLast(({ event }) => event.mark === mark) ?? [])
    const last = lines.find(({ event }) => event.mark === 'decide') ?? lines[0] ?? told.at(-1)
    return last === undefined ? undefined : this.record(last.n)
  }

  key(name: string): Cause | undefined {
    const origin = this.#story.find(name)
    return origin === undefined ? undefined : this.#value(origin)
  }

  /** What a record did, and from what. */
  record(n: number): Cause {
    const moment = this.#story.at(n)
    const line = moment.lines.find(isChoice) ?? moment.lines.find(({ event }) => DECIDES.includes(event.mark)) ?? moment.lines[0]
    this.#told.add(`@${n}`)
    return { ...decisionOf(moment, line), ...this.#answerer(moment, line), from: this.#causes(moment) }
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
    const line = moment.lines.find(({ event }) => DECIDES.includes(event.mark))
    const place = line?.place ?? moment.path
    const carried = this.#story.carried(origin)
    const cause = {
      what: 'value' as const,
      name: key,
      record,
      value,
      ...(carried === undefined ? { text: writtenAs(moment, place) } : { text: `returned from ${carried.key}` }),
      ...saidOf(line),
      ...this.#answerer(moment, line),
    }
    const id = `${String(frame)} ${key} @${record}`
    if (this.#told.has(id)) return { ...cause, again: true, from: [] }
    this.#told.add(id)
    if (carried !== undefined) return { ...cause, from: this.#deeper(carried.record, () => [this.#value(carried)]) }
    if (moment.record.input?.[0] === 'kernel') return { ...cause, from: [] }
    if (this.#told.has(`@${record}`)) return { ...cause, again: true, from: [] }
    this.#told.add(`@${record}`)
    return { ...cause, from: this.#causes(moment) }
  }

  /** What a step had before it: its input, then what it read, and what who decided saw. */
  #causes(moment: Moment): Cause[] {
    return this.#deeper(moment.n, () => {
      const input = this.#input(moment)
      const seen = new Map<string, Origin>()
      for (const origin of this.#story.readBy(moment.n)) seen.set(`${String(origin.frame)} ${origin.key}`, origin)
      return [...input, ...[...seen.values()].map((origin) => this.#value(origin))]
    })
  }

  /** What is one further back than a record; where that is too far, how to ask for it. */
  #deeper(n: number, tell: () => Cause[]): Cause[] {
    if (this.#depth === DEEPEST) return [{ what: 'record', name: 'further back', record: n, text: `why @${n}`, from: [] }]
    this.#depth++
    const causes = tell()
    this.#depth--
    return causes
  }

  #input(moment: Moment): Cause[] {
    const { record, n } = moment
    const { input } = record
    switch (input?.[0]) {
      case 'ok':
      case 'err': {
        const asked = Number.parseInt(String(input[1]), 10)
        // Who decided is told with what he decided.
        if (moment.lines.some(({ event }) => event.facts?.['by'] !== undefined)) return this.#cameBy(asked)
        const [port = ''] = this.#story.requestOf(input[1]) ?? []
        const text = `${input[0] === 'ok' ? 'answered' : 'failed'}, asked for @${asked}`
        return [{ what: 'effect', name: port, record: n, text, from: this.#cameBy(asked) }]
      }
      case 'answer': {
        const asked = Number.parseInt(String(input[1]), 10)
        const by = typeof input[3] === 'string' ? { by: input[3] } : {}
        const text = `answered the question of @${asked}`
        return [{ what: 'answer', name: moment.path, record: n, text, value: input[2], ...by, from: this.#cameBy(asked) }]
      }
      case 'ret':
        return this.#ended([moment])
      case 'end':
        return this.#ended(this.#joined(moment))
      case undefined: {
        const before = moment.first ? undefined : moment.before
        if (before !== undefined) return this.#cameBy(before)
        const begun = this.#begun(moment)
        return begun === undefined ? [] : [begun]
      }
      default:
        return []
    }
  }

  /** The records with which the branches that a record joins came back to who began them, this one last. */
  #joined(moment: Moment): Moment[] {
    const joined: Moment[] = []
    for (let at: Moment | undefined = moment; at !== undefined; at = at.before === undefined ? undefined : this.#story.at(at.before)) {
      if (at.record.input?.[0] === 'end') joined.unshift(at)
      else if (at.record.more?.spawn !== undefined) break
    }
    return joined
  }

  /** What was called or begun beside, and has ended. */
  #ended(moments: readonly Moment[]): Cause[] {
    return moments.flatMap(({ record: { input } }) => {
      const ended = input?.[0] === 'ret' || input?.[0] === 'end' ? this.#story.endOf(input[1]) : undefined
      if (ended === undefined || this.#told.has(`@${ended}`)) return []
      this.#told.add(`@${ended}`)
      const end = this.#story.at(ended)
      const { status } = end.lines.find(({ event }) => event.mark === 'end')?.event.facts ?? {}
      const text = `ended ${textOf(status ?? input?.[2])}`
      return [{ what: 'call' as const, name: end.called, record: ended, text, from: this.#causes(end) }]
    })
  }

  /** The last choice among several ways, or the last answer, that led to a record, in its frame or below. */
  #cameBy(n: number): Cause[] {
    const at = this.#story.turnBefore(n)
    if (at === undefined) return []
    const moment = this.#story.at(at)
    if (!moment.isChoice) return this.#input(moment)
    return this.#told.has(`@${at}`) ? [] : [this.record(at)]
  }

  /** The call that began a frame, and what its caller gave it. */
  #begun({ record, first }: Moment): Cause | undefined {
    if (!first) return undefined
    if (record.frame === 0) return this.#started()
    const called = Number.parseInt(String(record.frame), 10)
    const caller = this.#story.at(called)
    const text = 'began it'
    if (this.#told.has(`@${called}`)) return { what: 'call', name: caller.path, record: called, text, again: true, from: [] }
    this.#told.add(`@${called}`)
    return { what: 'call', name: caller.path, record: called, text, from: this.#causes(caller) }
  }

  #started(): Cause {
    const { by, args } = this.#story.at(1).record.more?.start ?? {}
    const actor = isObject(by) && typeof by.actor === 'string' ? { by: by.actor } : {}
    return { what: 'start', name: 'the run began', record: 1, ...(args === undefined ? {} : { value: args }), ...actor, from: [] }
  }
}

function decisionOf(moment: Moment, line: StoryLine | undefined): Omit<Cause, 'from'> {
  const { n, path, record } = moment
  const detail = record.input?.[0] === 'kernel' ? { text: line?.event.text ?? record.input[1] } : openOf(line)
  if (line === undefined) return { what: 'record', name: path === '' ? moment.called : path, record: n, ...detail }
  const isWay = isChoice(line)
  const way = edgeOf(line.event)
  const value = isWay && way !== undefined ? { value: way } : {}
  return {
    what: isWay ? 'decision' : 'record',
    name: line.place,
    record: n,
    ...failed(line),
    ...detail,
    ...value,
    ...saidOf(line),
    ...waysOf(line, way),
  }
}

/** Of a node that failed, that it did. */
function failed({ event: { mark } }: StoryLine): Pick<Cause, 'failed'> {
  return mark === 'fail' ? { failed: true } : {}
}

/** What stands open with a record that decides nothing. */
function openOf(line: StoryLine | undefined): Pick<Cause, 'text'> {
  const { mark, text = '' } = line?.event ?? {}
  return mark === 'ask' ? { text: `asks ${brief(text, 60)}` } : mark === 'wait' ? { text: `waits: ${text}` } : {}
}

function saidOf(line: StoryLine | undefined): Pick<Cause, 'by' | 'because'> {
  const { facts = {}, text = '', mark } = line?.event ?? {}
  const because = mark === 'decide' || mark === 'done' || mark === 'fail' ? text : ''
  // Of a question that stands open it is whoever will answer it.
  const by = mark === 'ask' ? undefined : facts.by
  return { ...(typeof by === 'string' ? { by } : {}), ...(because === '' ? {} : { because }) }
}

function waysOf({ event: { facts = {} } }: StoryLine, taken: string | undefined): Pick<Cause, 'open' | 'closed'> {
  const open = isList(facts.open) ? facts.open.map(textOf).filter((way) => way !== taken) : []
  const closed = isList(facts.closed)
    ? facts.closed.flatMap((pair) => (isList(pair) ? [{ way: textOf(pair[0]), why: textOf(pair[1]) }] : []))
    : []
  return { ...(open.length === 0 ? {} : { open }), ...(closed.length === 0 ? {} : { closed }) }
}

/** How a value came onto the board, where no other entry was copied. */
function writtenAs({ record, first }: Moment, place: string): string {
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
