import { assemble } from '../../app/assembly.ts'
import { FORMATS } from '../../app/formats.ts'
import {
  type Call,
  copyJson,
  equalJson,
  fixedSettings,
  type Host,
  isObject,
  type Json,
  type Kind,
  type Port,
  type Program,
  programHash,
  type Programs,
  type Rec,
  RunPrograms,
  State,
  type Store,
} from '../../kernel/index.ts'
import type { OperatorPolicy, RunSettings } from '../../policy/index.ts'
import type { Tool } from '../../tools/index.ts'
import { linesOfHistory } from '../../history/trace.ts'
import { shortJson } from '../../text/index.ts'
import { type FaultType, type Circumstance, type FaultPoint, FaultSuite, pointText, type TrialResult } from '../fault-suite.ts'
import { waitText } from '../kind-suite/process-life.ts'
import type { KindSubject } from '../kind-suite/subject.ts'
import { pathOf } from './end.ts'
import { RequestedEffects, effectName, type AnswerMemory, OUTSIDE, Settled, shortName, Turns } from './answer-memory.ts'
import type { KeyedCall } from './outside.ts'
import { type ScriptedWorld, surroundingsOf } from './scripted-world.ts'

/** How a program is disturbed. */
export interface CrashOptions {
  /** What happens to the process. Default `die`: it is over, in the middle of whatever it does. */
  readonly faults?: readonly FaultType[]
  /** What else holds meanwhile, such as a slow store. */
  readonly circumstances?: readonly Circumstance[]
}

/** What came of it, where nothing differed. */
export interface CrashReport {
  /** How often the process was struck, each time in a run of its own. */
  readonly points: number
  /** How many of these runs asked whether an effect had happened, since it may not be repeated. */
  readonly asked: number
  /** What left more than once in one of them, since it says that it may: tools and nodes by name, in alphabetical order. */
  readonly repeated: readonly string[]
}

/** A run that has been played, by a test or long ago: what its lives are compared with. */
export interface PlayedRun {
  readonly world: ScriptedWorld
  /** What the outside answered. */
  readonly memory: AnswerMemory
  /** The programs that are known, and of these the program that ran, with what it calls. */
  readonly known: Programs
  readonly programs: readonly Program[]
  readonly state: State
  readonly records: readonly Rec[]
  readonly settings: RunSettings
  /** The tools of modules. */
  readonly tools: readonly Tool[]
}

/** Runs a program again, struck at every moment. Rejects with the first difference. */
export async function crashEverywhere(
  played: PlayedRun,
  { faults = ['die'], circumstances = [] }: CrashOptions = {},
): Promise<CrashReport> {
  if (played.state.ended === undefined) throw new Error(`${unendedText(played.state)}: bring it to its end first`)
  for (const call of played.world.outside.keyed) await checkKeyed(call)
  const replayed = new ReplayedSubject(played)
  const suite = await FaultSuite.of(replayed.subject).catch((thrown: unknown) => {
    throw unrepeatableRun(thrown)
  })
  replayed.begin()
  requireSamePath(played, await suite.inject({ injections: [], circumstances: new Set() }))
  const counts = { points: 0, asked: 0 }
  const repeated = new Set<string>()
  for await (const point of suite.points(circumstances)) {
    if (!point.injections.every(({ fault }) => faults.includes(fault))) continue
    replayed.begin()
    const verdict = await suite.inject(point)
    if (verdict.violations.length > 0) throw new Error(differenceText(replayed.subject.name, point, verdict))
    counts.points++
    if (verdict.records.some(({ more }) => more?.doubts !== undefined)) counts.asked++
    for (const name of replayed.repeated()) repeated.add(name)
  }
  return { ...counts, repeated: [...repeated].sort() }
}

/** The run has ended once, and with the same answers it does not do so again, or not by what it has on record. */
function unrepeatableRun(thrown: unknown): Error {
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  const why = 'a clock, chance and variables of its own are not on record, so guards and handlers must not read them'
  return new Error(`${message}\nPlayed for the test it ended, and answered as it was then it should end so again: ${why}`, {
    cause: thrown,
  })
}

function unendedText({ waits }: State): string {
  const open = [...waits.values()].map(waitText)
  return `the run has not ended${open.length === 0 ? '' : `, it waits for ${open.join(', ')}`}`
}

/** A promise that a crash relies on: the second call under a key does nothing, and so answers as the first. */
async function checkKeyed({ name, key, answer, again }: KeyedCall): Promise<void> {
  const says = 'it says `repeat: keyed`: what it does under a key it must do once, and answer alike'
  let other: Json
  try {
    other = await again()
  } catch (cause) {
    throw new Error(`${name} failed when it was called again under the key ${key}; ${says}`, { cause })
  }
  if (equalJson(other, answer)) return
  throw new Error(
    `${name} answered ${shortJson(answer)} under the key ${key}, and ${shortJson(other)} when it was called again under it; ${says}`,
  )
}

/** The first moment that made a difference, as somebody reads it. */
function differenceText(name: string, point: FaultPoint, { violations, moments }: TrialResult): string {
  const { at = 0, fault = 'die' } = point.injections[0] ?? {}
  const { when, what } = moments[at - 1] ?? { when: 'before', what: 'record' }
  const moment = what === 'record' ? 'a record' : what === 'perform' ? 'an effect' : `the store's ${what}`
  return `${name}, struck at moment ${at} (${fault} ${when} ${moment}; point ${pointText(point)}):\n${violations.map(({ text }) => text).join('\n')}`
}

/** What the test has played and what is disturbed must be the same run. */
function requireSamePath({ known, records, state }: PlayedRun, undisturbed: TrialResult): void {
  const pathText = (journal: readonly Rec[]): string =>
    pathOf(linesOfHistory({ records: journal }, (folded) => new RunPrograms(known, folded))).join(' → ')
  const [one, other] = [pathText(records), pathText(undisturbed.records)]
  const endState = undisturbed.undisturbed?.endState
  const [status, otherStatus] = [state.ended?.status ?? 'open', isObject(endState) ? JSON.stringify(endState.status) : '"open"']
  if (one === other && otherStatus === `"${status}"`) return
  throw new Error(
    `the run went ${one} (${status}), and answered without delay it goes ${other} (${otherStatus}): what it does depends on when it is answered, so that it cannot be disturbed`,
  )
}

/** The lives of a program under test: a world that outlives them, and that answers as it did when the run was played. */
class ReplayedSubject {
  readonly subject: KindSubject
  readonly #played: PlayedRun
  readonly #answers: ReadonlyMap<string, readonly (Json | undefined)[]>
  #requested = new RequestedEffects()
  /** What has left in the lives of one run, by effect: its name, and how often. */
  readonly #departures = new Map<string, { readonly name: string; times: number }>()
  /** Those of the life that began last. */
  #turns: Turns | undefined

  constructor(played: PlayedRun) {
    const { records, programs, known, state } = played
    this.#played = played
    this.#answers = answersIn(records)
    this.subject = {
      name: programs[0]?.name ?? 'the program',
      kinds: FORMATS.map(({ kind }) => withCompiled(known.kind(kind), known)),
      programs: programs.map(({ kind, name, source }) => ({ kind, id: name.slice(kind.length + 1), source })),
      ...(state.start?.args === undefined ? {} : { args: state.start.args }),
      ports: (store, host) => this.#ports(store, host),
      settings: fixedSettings(() => played.settings),
      script: { answer: ({ name, record }) => this.#answers.get(name)?.[this.#turns?.question(name, record) ?? 0] },
    }
  }

  /** The next run is about to begin. */
  begin(): void {
    this.#requested = new RequestedEffects()
    this.#departures.clear()
  }

  /** What has left more than once since the run began, unless a person allowed it. */
  repeated(): readonly string[] {
    return [...this.#departures.values()].flatMap(({ name, times }) => (times > 1 ? [name] : []))
  }

  #countDeparture(port: Port, call: Call): void {
    const { leaves, repeat } = port.traits?.(call) ?? port
    if (!leaves || repeat === 'ask') return
    const known = this.#departures.get(String(call.id))
    if (known === undefined) this.#departures.set(String(call.id), { name: shortName(call), times: 1 })
    else known.times++
  }

  #ports(store: Store, host: Host): Readonly<Record<string, Port>> {
    const { world, memory, tools } = this.#played
    const parts = assemble({ ...world.options, tools, store }, surroundingsOf(host))
    const turns = new Turns(this.#requested, store)
    this.#turns = turns
    const made = Object.entries(world.ports(parts, host)).map(([name, port]) => {
      const checked: Port<RunSettings> = {
        ...port,
        perform: (call) => requirePermission(parts.policy, port, call) ?? port.perform(call),
      }
      return [
        name,
        OUTSIDE.has(name) ? replayingPort(checked, turns, memory, (call) => this.#countDeparture(port, call)) : checked,
      ] as const
    })
    return Object.fromEntries(made)
  }
}

/** The lives of a suite have no policy: what the run would be refused is refused here. */
function requirePermission(policy: OperatorPolicy, port: Port<RunSettings>, call: Call<RunSettings>): undefined {
  const refused = policy.ask(call, port.traits?.(call) ?? port)
  if (refused !== undefined) throw refused
  return undefined
}

/** A port that answers as it did in the run that was played; asked for more, it performs. */
function replayingPort(port: Port, turns: Turns, memory: AnswerMemory, onCall: (call: Call) => void): Port {
  return {
    ...port,
    perform(call) {
      onCall(call)
      const name = effectName(call)
      return memory.answer(name, turns.effect(name, call.id)) ?? port.perform(call)
    },
    accept(raw, call) {
      if (raw instanceof Settled) return raw.value
      return port.accept === undefined ? copyJson(raw ?? null, `result of ${call.port}`) : port.accept(raw, call)
    },
  }
}

/** A kind that knows what was compiled already, with functions that no source holds. */
function withCompiled(kind: Kind, programs: Programs): Kind {
  return { ...kind, compile: (source) => programs.byHash(programHash(kind.name, source))?.def ?? kind.compile(source) }
}

/** What people answered, by the name of a question, in the order in which it was asked; undefined where nobody did. */
function answersIn(records: readonly Rec[]): ReadonlyMap<string, readonly (Json | undefined)[]> {
  const state = new State()
  const places = new Map<string, readonly [name: string, turn: number]>()
  const answers = new Map<string, (Json | undefined)[]>()
  for (const record of records) {
    const { input } = record
    const place = input?.[0] === 'answer' ? places.get(String(input[1])) : undefined
    if (place !== undefined && input?.[0] === 'answer') answers.get(place[0])?.splice(place[1], 1, input[2])
    const before = new Set(state.waits.keys())
    state.apply(record)
    for (const [id, { type, name, effect }] of state.waits) {
      if (before.has(id) || type !== 'answer' || effect !== undefined) continue
      const list = answers.get(name) ?? []
      answers.set(name, list)
      places.set(String(id), [name, list.push(undefined) - 1])
    }
  }
  return answers
}
