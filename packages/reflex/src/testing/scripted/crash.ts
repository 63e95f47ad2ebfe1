import { KINDS } from '../../app/kinds.ts'
import { assemble } from '../../app/assembly.ts'
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
  State,
  type Store,
  thrownMessage,
  type Policy,
} from '../../kernel/index.ts'
import type { KindModule } from '../../programs/kind-module.ts'
import type { Kinds } from '../../programs/kinds.ts'
import { wholeKind } from '../../programs/load-body.ts'
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

/** The settings of `crashEverywhere`. */
export interface CrashOptions {
  /** The faults that are injected into the process. Default: `die`, which ends the process in the middle of its work. */
  readonly faults?: readonly FaultType[]
  /** Circumstances that apply at the same time, such as a slow store. */
  readonly circumstances?: readonly Circumstance[]
}

/** The report of `crashEverywhere` if no run differed. */
export interface CrashReport {
  /** The number of injected faults, each in its own run. */
  readonly points: number
  /** The number of runs that asked if an effect had happened, because it must not be repeated. */
  readonly asked: number
  /** The tools and nodes that left more than once in a run, because they allow it; by name, in alphabetical order. */
  readonly repeated: readonly string[]
}

/** A finished run, played by a test or recorded earlier. The disturbed lives are compared with it. */
export interface PlayedRun {
  readonly world: ScriptedWorld
  /** The answers of the outside. */
  readonly memory: AnswerMemory
  /** All known programs; `programs` has the program that ran, followed by the programs that it calls. */
  readonly known: Programs
  readonly kinds: Kinds
  readonly programs: readonly Program[]
  readonly state: State
  readonly records: readonly Rec[]
  readonly settings: RunSettings
  /** The tools of modules. */
  readonly tools: readonly Tool[]
}

/** Runs a program again with a fault at every moment. Rejects with the first difference. */
export async function crashEverywhere(
  played: PlayedRun,
  { faults = ['die'], circumstances = [] }: CrashOptions = {},
): Promise<CrashReport> {
  if (played.state.ended === undefined) throw new Error(`${unendedText(played.state)}: complete it first`)
  for (const call of played.world.outside.keyed) await checkKeyed(call)
  const replayed = new ReplayedSubject(played, await Promise.all(KINDS.map(wholeKind)))
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
    if (verdict.records.some(({ more }) => more?.asks !== undefined)) counts.asked++
    for (const name of replayed.repeated()) repeated.add(name)
  }
  return { ...counts, repeated: [...repeated].sort() }
}

/** Returns the error for a run that has ended once, but with the same answers does not end again or does not repeat its records. */
function unrepeatableRun(thrown: unknown): Error {
  const message = thrownMessage(thrown)
  const why = 'a clock, randomness and variables of the program are not in the journal, so guards and handlers must not read them'
  return new Error(`${message}\nThe run ended in the test, so with the same answers it must end the same way again: ${why}`, {
    cause: thrown,
  })
}

function unendedText({ waits }: State): string {
  const open = [...waits.values()].map(waitText)
  return `the run has not ended${open.length === 0 ? '' : `; it waits for ${open.join(', ')}`}`
}

/** Checks the promise of a keyed tool: a second call under the same key does nothing and returns the same answer. Crashes rely on it. */
async function checkKeyed({ name, key, answer, again }: KeyedCall): Promise<void> {
  const says = 'it declares `repeat: keyed`, so a second call under the same key must do nothing and return the same answer'
  let other: Json
  try {
    other = await again()
  } catch (cause) {
    throw new Error(`${name} failed when it was called again under the key ${key}; ${says}`, { cause })
  }
  if (equalJson(other, answer)) return
  throw new Error(
    `${name} answered ${shortJson(answer)} under the key ${key}, but ${shortJson(other)} when it was called again under that key; ${says}`,
  )
}

/** Returns the first moment that made a difference, for people. */
function differenceText(name: string, point: FaultPoint, { violations, moments }: TrialResult): string {
  const { at = 0, fault = 'die' } = point.injections[0] ?? {}
  const { when, what } = moments[at - 1] ?? { when: 'before', what: 'record' }
  const moment = what === 'record' ? 'a record' : what === 'perform' ? 'an effect' : `the store's ${what}`
  return `${name}, with a fault at moment ${at} (${fault} ${when} ${moment}; point ${pointText(point)}):\n${violations.map(({ text }) => text).join('\n')}`
}

/** Requires that the run of the test and the undisturbed run of the suite are the same. */
function requireSamePath({ known, kinds, records, state }: PlayedRun, undisturbed: TrialResult): void {
  const pathText = (journal: readonly Rec[]): string =>
    pathOf(linesOfHistory({ records: journal }, (folded) => kinds.programsOf(known, folded))).join(' → ')
  const [one, other] = [pathText(records), pathText(undisturbed.records)]
  const endState = undisturbed.undisturbed?.endState
  const [status, otherStatus] = [state.ended?.status ?? 'open', isObject(endState) ? JSON.stringify(endState.status) : '"open"']
  if (one === other && otherStatus === `"${status}"`) return
  throw new Error(
    `the path of the run is ${one} (${status}), but with immediate answers it is ${other} (${otherStatus}): the run depends on the times of its answers, so crashEverywhere cannot test it`,
  )
}

/** The lives of a program under test, and a world that outlives them and answers as in the played run. */
class ReplayedSubject {
  readonly subject: KindSubject
  readonly #played: PlayedRun
  /** The kinds, loaded: the ports of a life are there when it begins. */
  readonly #modules: readonly KindModule[]
  readonly #answers: ReadonlyMap<string, readonly (Json | undefined)[]>
  #requested = new RequestedEffects()
  /** The effects that left in the lives of one run, by effect: the name and the number of times. */
  readonly #departures = new Map<string, { readonly name: string; times: number }>()
  /** The turns of the latest life. */
  #turns: Turns | undefined
  #policy: Policy<RunSettings> | undefined

  constructor(played: PlayedRun, modules: readonly KindModule[]) {
    const { records, programs, known, state } = played
    this.#played = played
    this.#modules = modules
    this.#answers = answersIn(records)
    this.subject = {
      name: programs[0]?.name ?? 'the program',
      kinds: [...known.kinds.values()].map((kind) => withCompiled(kind, known)),
      programs: programs.map(({ kind, name, source }) => ({ kind, id: name.slice(kind.length + 1), source })),
      ...(state.start?.args === undefined ? {} : { args: state.start.args }),
      ports: (store, host) => this.#ports(store, host),
      policy: () => this.#policy,
      settings: fixedSettings(() => played.settings),
      script: { answer: ({ name, record }) => this.#answers.get(name)?.[this.#turns?.question(name, record) ?? 0] },
    }
  }

  /** Forgets the requests and departures before the next run begins. */
  begin(): void {
    this.#requested = new RequestedEffects()
    this.#departures.clear()
  }

  /** Returns the names of effects that left more than once since the run began, except effects that a person allowed. */
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
    const parts = assemble({ ...world.options, tools, store }, this.#modules, surroundingsOf(host))
    const turns = new Turns(this.#requested, store)
    this.#turns = turns
    this.#policy = withoutRefusals(parts.policy)
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

/** Refuses a call that the policy of the run refuses. */
function requirePermission(policy: OperatorPolicy, port: Port<RunSettings>, call: Call<RunSettings>): undefined {
  const judgement = policy.judge(call, port.traits?.(call) ?? port)
  if ('refused' in judgement) throw judgement.refused
  return undefined
}

/** A policy that refuses nothing: an effect that the played run has answered needs no right. */
function withoutRefusals(policy: OperatorPolicy): Policy<RunSettings> {
  return {
    ...policy,
    judge(call, traits) {
      const judgement = policy.judge(call, traits)
      return 'refused' in judgement ? { allowed: true } : judgement
    },
  }
}

/** Returns a port that answers as in the played run. It performs a call for which the played run has no answer. */
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

/** Returns a kind that reuses compiled programs, because they hold functions that no source holds. */
function withCompiled(kind: Kind, programs: Programs): Kind {
  return {
    ...kind,
    compile: (source, functions) => programs.byHash(programHash(kind.name, source))?.def ?? kind.compile(source, functions),
  }
}

/**
 * Returns the answers of people by the name of a question, in the order in which it was asked; undefined for a question without an answer.
 */
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
