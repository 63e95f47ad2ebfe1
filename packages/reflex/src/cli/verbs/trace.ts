import { startOf, traceDocument } from '../../protocol/view-document.ts'
import { factsOf } from '../../protocol/documents.ts'
import { programName, textOf, utc, counted } from '../../protocol/plain.ts'
import { RecordWriter } from '../../protocol/record-document.ts'
import { readAddress } from '../../runs/address.ts'
import { findRecord } from '../../runs/find-run.ts'
import { hidesContents, isList, isObject, keptRecords, readPart, type RunRow, type State } from '../../kernel/index.ts'
import type { StoryEvent } from '../../programs/kind-view.ts'
import { eventsOfPart, type StoryLine } from '../../history/trace.ts'
import { firstTraced, type TraceOptions as TracedPart, type TracedRun } from '../../history/trace-of.ts'
import type { Console } from '../console.ts'
import { jsonText } from '../escape.ts'
import { EXIT } from '../exit.ts'
import { attemptText, Follower, isRetry, nameOf, type EventContext } from '../follower.ts'
import { abandonedRuns } from '../abandoned-runs.ts'
import { factLine, layoutText, tabSeparated } from '../layout.ts'
import { valueRoom } from '../progress.ts'
import { readSettings } from '../../policy/index.ts'
import { budgetText } from '../budget.ts'
import type { CommonFlags } from '../options.ts'
import type { Session } from '../session.ts'
import { isByModel, promptKeysText, usageFacts } from '../model-usage.ts'
import { missingText, tracedPart, type PartFlags } from '../traced-part.ts'
import { takenEdgeLines } from '../tree-row.ts'
import {
  otherOpenEdges,
  askText,
  answerText,
  choiceOf,
  actionText,
  failureText,
  objectOf,
  returnedText,
  durationFact,
  valueText,
  waitText,
  decider,
  writesText,
} from '../event-text.ts'
import { duration, localTime } from '../units.ts'
import type { ViewedPrograms } from '../../programs/kinds.ts'

export interface TraceFlags extends CommonFlags, PartFlags {
  /** Prints the events of the kind in place of the story. */
  readonly events?: boolean
}

/** `reflex trace RUN[@N]`: prints the events of a run, record by record, up to a record. */
export async function trace(session: Session, address: string, flags: TraceFlags): Promise<number> {
  const { console, reflex } = session
  const part = tracedPart(flags)
  if (flags.events === true) return printEvents(session, address, part)
  if (console.shape === 'jsonl') return printRecords(session, address, part)
  const traced = await reflex.trace(address, part)
  const { row, lines, state, first } = traced
  const gone = (await abandonedRuns({ console, store: reflex.store }, [row])).has(row.id)
  if (console.shape === 'json') console.document(traceDocument(traced, gone))
  else {
    const programs = reflex.programsOf(state)
    if (console.out.terminal)
      console.print([...header(console, row, state, gone), ...story(console, traced), ...endLines(console, row, state, programs)])
    else {
      console.world.out.write(tabSeparated(rows(row, state, lines, programs)))
      if (first > 1 && !console.quiet) console.report([missingText(traced)])
    }
  }
  return EXIT.done
}

/** Returns the rows of a trace. It adds the start and the end, because no kind describes them. */
function rows(row: RunRow, state: State, lines: readonly StoryLine[], programs: ViewedPrograms): string[][] {
  const { by = '', input } = startOf(state)
  const { start, ended: end } = state
  const first = [['1', utc(start?.at ?? row.started), '', 'start', by, jsonText(input ?? {})]]
  const last =
    end === undefined ? [] : [[String(row.last), utc(row.updated), '', row.status, endText(state, programs), jsonText(end.value ?? null)]]
  const context = lines.map(({ n, at, place, event }) => [
    String(n),
    utc(at),
    place,
    event.mark,
    event.text ?? '',
    jsonText(factsOf(event)),
  ])
  return [...first, ...context, ...last]
}

/** Prints the records, as `--jsonl` prints them while a run works. */
async function printRecords({ console, reflex }: Session, address: string, options: TracedPart): Promise<number> {
  const { ref, at } = readAddress(address)
  const { id, last } = await findRecord(reflex.store, ref, at)
  const first = firstTraced(await keptRecords(reflex.store, id), at ?? last, options)
  const part = await readPart(reflex.store, id, first, at ?? last)
  const { pins, time } = part.opening()
  const writer = new RecordWriter(
    id,
    pins.map(([name]) => name),
    time,
  )
  for await (const [n, record] of part.records()) {
    const document = writer.document(record, n)
    if (n >= first) console.document(document)
  }
  return EXIT.done
}

/** Prints the events of the kind, one JSON object on each line. */
async function printEvents({ console, reflex }: Session, address: string, options: TracedPart): Promise<number> {
  const { ref, at } = readAddress(address)
  const { id, last } = await findRecord(reflex.store, ref, at)
  const first = firstTraced(await keptRecords(reflex.store, id), at ?? last, options)
  const part = await readPart(reflex.store, id, first, at ?? last)
  // Loads the programs of the run.
  await reflex.runtime.peek(id, at ?? last)
  for await (const event of eventsOfPart(part, first, (state) => reflex.programsOf(state)))
    console.world.out.write(`${jsonText({ ...event, timestamp: utc(event.timestamp) })}\n`)
  return EXIT.done
}

function header({ out, now, flags }: Console, row: RunRow, state: State, gone: boolean): string[] {
  const program = out.text(hashedName(row.program[0], state))
  const id = out.text(row.id)
  const current = gone ? 'suspended' : row.status
  const status = state.n === row.last ? current : `now ${current}`
  const facts = [
    localTime(row.started, now),
    duration(state.time - row.started),
    state.n === row.last ? counted(row.last, 'record') : `up to record ${state.n} of ${row.last}`,
    ...(flags.ids === true ? [row.trace] : []),
  ]
  const tone = current === 'completed' ? 'green' : current === 'failed' ? 'red' : 'yellow'
  return factLine(`${program}  ${id}  ${status}`, `${out.paint('bold', program)}  ${id}  ${out.paint(tone, status)}`, facts, out)
}

function hashedName(name: string, { pins }: State): string {
  const hash = pins.find((pin) => pin[0] === name)?.[3]
  return hash === undefined ? programName(name) : `${programName(name)}@${hash.slice(0, 6)}`
}

function story(console: Console, traced: TracedRun): string[] {
  const { out } = console
  const { state, lines, first } = traced
  const limit = valueRoom(out.columns)
  const follower = new Follower()
  const startLine = startText(state, limit)
  const missing =
    first === 1 ? [] : layoutText({ lead: '    …', painted: out.paint('dim', '    …'), text: missingText(traced), column: 7 }, out)
  const rows = lines.flatMap((line) => {
    const context = follower.follow(line)
    const text = traceText(line, context, { state, limit, verbose: console.flags.verbose === true })
    return text === undefined ? [] : recordLine(console, line.n, line.depth, { node: nameOf(line), ...text })
  })
  return [...recordLine(console, 1, 0, { node: 'started', text: startLine }), ...missing, ...rows]
}

function endLines(console: Console, { last, status }: RunRow, state: State, programs: ViewedPrograms): string[] {
  return state.ended === undefined ? [] : recordLine(console, last, 0, { node: status, text: endText(state, programs) })
}

interface TraceText {
  readonly text: string
  readonly facts?: readonly string[]
  readonly more?: readonly string[]
}

function recordLine({ out }: Console, n: number, depth: number, { node, ...traced }: TraceText & { readonly node: string }): string[] {
  const number = `@${n}`.padStart(5)
  const indent = '  '.repeat(depth + 1)
  return layoutText(
    { lead: `${number}${indent}${out.text(node)}`, painted: `${out.paint('dim', number)}${indent}${out.text(node)}`, ...traced },
    out,
  )
}

/** Returns the actor who started the run, and its input. */
function startText(state: State, limit: number): string {
  const { by = '', input = {} } = startOf(state)
  return [
    by,
    ...rightsOf(state),
    ...(hidesContents(state) ? ['replayable: decisions'] : []),
    ...Object.entries(input).map(([key, inner]) => `${key} ${valueText(inner, limit)}`),
  ]
    .filter((part) => part !== '')
    .join(' · ')
}

/** Returns the rights with which a run was started, from its journal. */
function rightsOf({ start }: State): string[] {
  const { trust, simulate, limits } = readSettings(start?.by) ?? {}
  if (trust === undefined) return []
  const budget = limits === undefined ? '' : budgetText(limits)
  return [textOf(trust), ...(simulate === true ? ['simulated'] : []), ...(budget === '' ? [] : [`budget ${budget}`])]
}

/** Returns the failure of a run, else its result as its kind describes it. */
function endText({ ended, root, start }: State, programs: ViewedPrograms): string {
  if (ended === undefined) return ''
  if (ended.status === 'failed' && isObject(ended.value)) return `${textOf(ended.value.code)} ${textOf(ended.value.message)}`
  const { kind, def } = programs.program(root.pin)
  const result =
    ended.status === 'done' && ended.value !== undefined ? programs.view(kind).result?.(def, ended.value, start?.args) : undefined
  const value = result === undefined ? ended.value : result.value
  const keys = isObject(value) ? Object.keys(value).join(', ') : ''
  return [result?.how ?? '', keys].filter((part) => part !== '').join(' · ')
}

interface TraceOptions {
  readonly state: State
  readonly limit: number
  /** Shows the messages that a model was sent. */
  readonly verbose: boolean
}

/** The text of each event in a trace; events that are not listed have none. */
const EVENT_TEXTS: Readonly<
  Partial<Record<StoryEvent['mark'], (event: StoryEvent, told: EventContext, options: TraceOptions) => TraceText | undefined>>
> = {
  done: (event, context, options) => withMessages(done(event, context, options.limit), event, options),
  decide: (event, context, options) => withMessages(decided(event, context, options.limit), event, options),
  push: ({ text = '' }, _, { state }) => ({ text: `▸ ${hashedName(text, state)}` }),
  pop: (event, _, { limit }) => ({ text: returnedText(event, limit) === '' ? '◂' : `◂ + ${returnedText(event, limit)}` }),
  ask: (event) => ({ text: `? ${askText(event)}` }),
  // The beginning of a leaf that takes longer than a tick.
  step: ({ depth, text = '' }) => (depth === undefined || text === '' ? undefined : { text: `● ${text}` }),
  fail: (event, { took, spent }) => ({
    text: `✗ ${failureText(event)}`,
    facts: [...durationFact(took), ...usageFacts(spent)],
    more: choiceLines(event),
  }),
  skip: ({ text = '' }) => ({ text: `– ${text}` }),
  fork: ({ text = '' }) => ({ text: `▸ ${text}` }),
  wait: (event) => ({ text: `‖ ${waitText(event)}` }),
  warn: (event) => ({ text: `! ${event.text ?? ''}`, facts: event.facts?.attempt === undefined ? [] : [attemptText(event)] }),
  note: (event, _, options) => {
    const wrote = writesText(event, options.limit)
    return withMessages({ text: event.text ?? '', more: wrote === '' ? [] : [`+ ${wrote}`] }, event, options)
  },
}

function traceText(line: StoryLine, context: EventContext, options: TraceOptions): TraceText | undefined {
  const { event } = line
  // Every stage signals its outcome, and the line of its end has that. The line of its end also says that it called a
  // model.
  const { signal, saw, detail } = event.facts ?? {}
  if ((signal !== undefined || (saw !== undefined && detail === true)) && !options.verbose) return undefined
  return event.mark === 'answer' ? answered(line) : EVENT_TEXTS[event.mark]?.(event, context, options)
}

/** Adds the messages that a model was sent, line by line, below the result. */
function withMessages(traced: TraceText | undefined, event: StoryEvent, { verbose }: TraceOptions): TraceText | undefined {
  const { messages } = objectOf(event.facts?.saw)
  if (traced === undefined || !verbose || !isList(messages)) return traced
  const lines = messages.flatMap((message) => {
    const { role, content } = objectOf(message)
    return textOf(content)
      .split('\n')
      .map((line, i) => `${i === 0 ? `${textOf(role)} ` : ''}│ ${line}`)
  })
  return { ...traced, more: [...(traced.more ?? []), ...lines] }
}

function answered(line: StoryLine): TraceText {
  const { facts = {}, text = '' } = line.event
  const by = typeof facts.by === 'string' ? facts.by : undefined
  const reason = typeof facts.reason === 'string' ? { reason: facts.reason } : {}
  const shown = isRetry(line)
    ? answerText({ by: undefined, text: `tried again${by === undefined ? '' : `, by ${by}`}`, ...reason })
    : `answered  ${answerText({ by, text, ...reason })}`
  return { text: shown }
}

function done(event: StoryEvent, { took, hasReturned, spent, answered }: EventContext, limit: number): TraceText | undefined {
  const wrote = writesText(event, limit)
  const because = event.text ?? ''
  if (hasReturned && because === '' && wrote === '') return undefined
  const { by = '', person } = decider(event)
  const action = person && answered !== undefined ? answerText(answered) : because === '' ? by : actionText(event, limit)
  return {
    text: [action, wrote === '' ? '' : `+\u00a0${wrote}`].filter((part) => part !== '').join('  '),
    facts: [...durationFact(answered?.took ?? took), ...usageFacts(spent)],
    more: choiceLines(event),
  }
}

/**
 * Returns the edge that a node with several edges took, the other open edges, and the closed ones with their reasons.
 * The decider is part of the node's action.
 */
function choiceLines(event: StoryEvent): readonly string[] {
  const { edge, closed } = choiceOf(event)
  if (edge === '') return []
  const [edgeLines, others] = [takenEdgeLines(event), otherOpenEdges(event)]
  if (edgeLines.length === 0 && others.length === 0) return []
  return [...(edgeLines.length === 0 ? [`also open: ${others.join(', ')}`] : edgeLines), ...closed.map((text) => `closed: ${text}`)]
}

function decided(event: StoryEvent, { took, answered, spent }: EventContext, limit: number): TraceText {
  const { edge, closed } = choiceOf(event)
  const { by, person } = decider(event)
  const others = otherOpenEdges(event)
  const because = (event.text ?? '') === '' ? '' : isByModel(event) ? `   “${event.text}”` : `, because ${event.text}`
  // The reasons of rules and tools contain what they read.
  const saw = isByModel(event) ? promptKeysText(event) : undefined
  const name = person && answered !== undefined ? answerText(answered) : `${by ?? ''}${because}`
  const wrote = writesText(event, limit)
  const more = [
    ...(wrote === '' ? [] : [`+ ${wrote}`]),
    others.length === 0 ? 'no other edge was open' : `also open: ${others.join(', ')}`,
    ...closed.map((text) => `closed: ${text}`),
    ...(saw === undefined ? [] : [saw]),
  ]
  return { text: `◆ ${edge}   ${name}`, facts: [...durationFact(answered?.took ?? took), ...usageFacts(spent)], more }
}
