import { isList, isObject, type RunRow, type State, type StoryEvent } from '../../kernel/index.ts'
import type { StoryLine } from '../../history/trace.ts'
import type { Console } from '../console.ts'
import { factsOf, lineDocument, plain, runDocument } from '../documents.ts'
import { jsonText } from '../escape.ts'
import { EXIT } from '../exit.ts'
import { attemptText, Follower, isRetry, nameOf, type Told } from '../follower.ts'
import { goneRuns } from '../gone.ts'
import { factLine, layoutText, tabbed } from '../layout.ts'
import { valueRoom } from '../progress.ts'
import { RecordWriter } from '../records.ts'
import type { Session } from '../session.ts'
import { byModel, sawText, spentFacts } from '../spent.ts'
import { wayOn } from '../tree-row.ts'
import {
  alsoOpen,
  askText,
  answerText,
  choiceOf,
  deed,
  failureText,
  objectOf,
  programName,
  returnedText,
  textOf,
  tookFact,
  value,
  waitText,
  who,
  wroteText,
} from '../telling.ts'
import { counted, duration, localTime, utc } from '../units.ts'

/** `reflex trace RUN`: what happened, record by record. */
export async function trace(session: Session, ref: string): Promise<number> {
  const { console, reflex } = session
  if (console.shape === 'jsonl') return journal(session, ref)
  const { row, lines, state } = await reflex.trace(ref)
  const gone = (await goneRuns(session, [row])).has(row.id)
  if (console.shape === 'json') console.document(plain({ v: 1, run: runDocument(row, gone), lines: lines.map(lineDocument) }))
  else if (console.out.terminal) console.print([...header(console, row, state, gone), ...story(console, row, state, lines)])
  else
    console.world.out.write(
      tabbed(
        lines.map((line) => [
          String(line.n),
          utc(line.at),
          line.place,
          line.event.mark,
          line.event.text ?? '',
          jsonText(factsOf(line.event)),
        ]),
      ),
    )
  return EXIT.done
}

/** Every record, as `--jsonl` gives them while a run goes on. */
async function journal({ console, reflex }: Session, ref: string): Promise<number> {
  const { id } = await reflex.find(ref)
  const { records } = await reflex.runtime.history(id)
  const writer = new RecordWriter(id, [], 0)
  records.forEach((record, i) => console.document(writer.document(record, i + 1)))
  return EXIT.done
}

function header({ out, now, flags }: Console, row: RunRow, state: State, gone: boolean): string[] {
  const program = out.text(hashed(row.program[0], state))
  const id = out.text(row.id)
  const status = gone ? 'suspended' : row.status
  const facts = [
    localTime(row.started, now),
    duration(row.updated - row.started),
    counted(row.last, 'record'),
    ...(flags.ids === true ? [row.trace] : []),
  ]
  const tone = status === 'completed' ? 'green' : status === 'failed' ? 'red' : 'yellow'
  return factLine(`${program}  ${id}  ${status}`, `${out.paint('bold', program)}  ${id}  ${out.paint(tone, status)}`, facts, out)
}

function hashed(name: string, { pins }: State): string {
  const hash = pins.find((pin) => pin[0] === name)?.[3]
  return hash === undefined ? programName(name) : `${programName(name)}@${hash.slice(0, 6)}`
}

function story(console: Console, row: RunRow, state: State, lines: readonly StoryLine[]): string[] {
  const { out } = console
  const limit = valueRoom(out.columns)
  const follower = new Follower()
  const begun = startText(state, limit)
  const rows = lines.flatMap((line) => {
    const told = follower.follow(line)
    const said = tell(line, told, { state, limit, verbose: console.flags.verbose === true })
    return said === undefined ? [] : recordLine(console, line.n, line.depth, { node: nameOf(line), ...said })
  })
  const ended = state.ended === undefined ? [] : recordLine(console, row.last, 0, { node: row.status, text: endText(state) })
  return [...recordLine(console, 1, 0, { node: 'started', text: begun }), ...rows, ...ended]
}

interface Said {
  readonly text: string
  readonly facts?: readonly string[]
  readonly more?: readonly string[]
}

function recordLine({ out }: Console, n: number, depth: number, { node, ...said }: Said & { readonly node: string }): string[] {
  const number = `@${n}`.padStart(5)
  const indent = '  '.repeat(depth + 1)
  return layoutText(
    { lead: `${number}${indent}${out.text(node)}`, painted: `${out.paint('dim', number)}${indent}${out.text(node)}`, ...said },
    out,
  )
}

function startText({ start }: State, limit: number): string {
  const by = isObject(start?.by) && typeof start.by.actor === 'string' ? start.by.actor : ''
  const inputs = Object.entries(objectOf(start?.args)).map(([key, inner]) => `${key} ${value(inner, limit)}`)
  return [by, ...inputs].filter((part) => part !== '').join(' · ')
}

function endText({ ended }: State): string {
  if (ended?.status === 'failed' && isObject(ended.value)) return `${textOf(ended.value.code)} ${textOf(ended.value.message)}`
  return isObject(ended?.value) ? Object.keys(ended.value).join(', ') : ''
}

interface TraceOptions {
  readonly state: State
  readonly limit: number
  /** Show what a model was sent. */
  readonly verbose: boolean
}

/** What each event says in a trace; those that are not here say nothing. */
const SAYS: Readonly<Partial<Record<StoryEvent['mark'], (event: StoryEvent, told: Told, options: TraceOptions) => Said | undefined>>> = {
  done: (event, told, options) => withSent(done(event, told, options.limit), event, options),
  decide: (event, told, options) => withSent(decided(event, told, options.limit), event, options),
  push: ({ text = '' }, _, { state }) => ({ text: `▸ ${hashed(text, state)}` }),
  pop: (event, _, { limit }) => ({ text: returnedText(event, limit) === '' ? '◂' : `◂ + ${returnedText(event, limit)}` }),
  ask: (event) => ({ text: `? ${askText(event)}` }),
  fail: (event, { took, spent }) => ({
    text: `✗ ${failureText(event)}`,
    facts: [...tookFact(took), ...spentFacts(spent)],
    more: routeLines(event),
  }),
  skip: ({ text = '' }) => ({ text: `– ${text}` }),
  fork: ({ text = '' }) => ({ text: `▸ ${text}` }),
  wait: (event) => ({ text: `‖ ${waitText(event)}` }),
  warn: (event) => ({ text: `! ${event.text ?? ''}`, facts: event.facts?.attempt === undefined ? [] : [attemptText(event)] }),
  note: ({ text = '' }) => ({ text }),
}

function tell(line: StoryLine, told: Told, options: TraceOptions): Said | undefined {
  const { event } = line
  return event.mark === 'answer' ? answered(line) : SAYS[event.mark]?.(event, told, options)
}

/** What a model was sent, line by line, below what came of it. */
function withSent(said: Said | undefined, event: StoryEvent, { verbose }: TraceOptions): Said | undefined {
  const { messages } = objectOf(event.facts?.saw)
  if (said === undefined || !verbose || !isList(messages)) return said
  const lines = messages.flatMap((message) => {
    const { role, content } = objectOf(message)
    return textOf(content)
      .split('\n')
      .map((line, i) => `${i === 0 ? `${textOf(role)} ` : ''}│ ${line}`)
  })
  return { ...said, more: [...(said.more ?? []), ...lines] }
}

function answered(line: StoryLine): Said {
  const { facts = {}, text = '' } = line.event
  const by = typeof facts.by === 'string' ? facts.by : undefined
  return { text: isRetry(line) ? `tried again${by === undefined ? '' : `, by ${by}`}` : `answered  ${answerText({ by, text })}` }
}

function done(event: StoryEvent, { took, returned, spent, answered }: Told, limit: number): Said | undefined {
  const wrote = wroteText(event, limit)
  const because = event.text ?? ''
  if (returned && because === '' && wrote === '') return undefined
  const { by = '', person } = who(event)
  const did = person && answered !== undefined ? answerText(answered) : because === '' ? by : deed(event, limit)
  return {
    text: [did, wrote === '' ? '' : `+\u00a0${wrote}`].filter((part) => part !== '').join('  '),
    facts: [...tookFact(answered?.took ?? took), ...spentFacts(spent)],
    more: routeLines(event),
  }
}

/** Where a node that did something goes on, what else was open, and what was closed and why. */
function routeLines(event: StoryEvent): readonly string[] {
  return [...wayOn(event), ...(wayOn(event).length === 0 ? [] : choiceOf(event).closed.map((text) => `closed: ${text}`))]
}

function decided(event: StoryEvent, { took, answered, spent }: Told, limit: number): Said {
  const { edge, closed } = choiceOf(event)
  const { by, person } = who(event)
  const others = alsoOpen(event)
  const because = (event.text ?? '') === '' ? '' : byModel(event) ? `   “${event.text}”` : `, because ${event.text}`
  const saw = sawText(event)
  const name = person && answered !== undefined ? answerText(answered) : `${by ?? ''}${because}`
  const wrote = wroteText(event, limit)
  const more = [
    ...(wrote === '' ? [] : [`+ ${wrote}`]),
    others.length === 0 ? 'nothing else was open' : `also open: ${others.join(', ')}`,
    ...closed.map((text) => `closed: ${text}`),
    ...(saw === undefined ? [] : [saw]),
  ]
  return { text: `◆ ${edge}   ${name}`, facts: [...tookFact(answered?.took ?? took), ...spentFacts(spent)], more }
}
