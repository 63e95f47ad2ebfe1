import { type BoardContract, BoardSize, checkSchema, checkWrite, NO_RULES } from '../state/board.ts'
import { StepContext } from './context.ts'
import { waitRequest } from './wait-request.ts'
import type { Lookup } from './step-calls.ts'
import { causeOf, type FaultData, faultData, isFault } from '../journal/fault.ts'
import { faultJson } from '../journal/fault-json.ts'
import { hidesContents } from '../journal/contents.ts'
import { faults, noContents } from '../journal/faults.ts'
import type { Frame, Wait } from '../state/frame.ts'
import { isObject, type Json } from '../journal/json.ts'
import { FrameLimitFinder } from './frame-limits.ts'
import type { Kind } from './kind.ts'
import type { Program } from './program.ts'
import type { Input, Outputs, RuntimeAsker, Rec, Ref } from '../journal/record.ts'
import { soundUsage } from '../journal/usage.ts'
import type { State } from '../state/state.ts'
import { outputsOfAnswer } from '../state/answers.ts'

/** The author of values that are set for a fork, for messages. */
const FORK = 'the fork'

/** Returns the compiled program of a pin. */
export interface Definitions extends Lookup {
  program(pin: number): Program
  kind(name: string): Kind
}

/**
 * The pure part of a run: decides which record follows from a state and an input. The live run applies its decisions, a resume
 * applies recorded ones, a replay decides, compares and applies.
 */
export class Decider {
  readonly #state: State
  readonly #definitions: Definitions
  readonly #limits: FrameLimitFinder
  readonly #contracts = new Map<Program, BoardContract>()
  #context: StepContext | undefined
  #program: Program | undefined
  #kind: Kind | undefined
  #contract: BoardContract = NO_RULES
  #isSkipped = false
  #recorded: Rec | undefined

  constructor(state: State, definitions: Definitions) {
    this.#state = state
    this.#definitions = definitions
    this.#limits = new FrameLimitFinder(state, definitions)
  }

  /** True if the kind has skipped the record of the last decision, which then has no outputs. */
  get isSkipped(): boolean {
    return this.#isSkipped
  }

  /** `recorded`: the record that is decided again, with the facts that its step has read out of contents. */
  decide(frame: Frame, input: Input | undefined, elapsed: number, recorded?: Rec): Rec {
    this.#isSkipped = false
    this.#recorded = recorded
    if (input !== undefined) {
      const decided = this.#decideInternal(frame, input, elapsed)
      if (decided !== undefined) return decided
    }
    return this.#step(frame, input, input, elapsed)
  }

  /** Steps the kind. `kindInput` is passed to the kind, `input` is recorded. */
  #step(frame: Frame, input: Input | undefined, kindInput: Input | undefined, elapsed: number): Rec {
    const program = this.#definitions.program(frame.pin)
    if (program !== this.#program) this.#enter(program)
    const context = (this.#context ??= new StepContext(this.#state, frame, program.def, this.#definitions))
    context.begin(frame, program.def, this.#contract, elapsed, input, this.#recorded)
    let made: Rec
    try {
      this.#kind?.step(context, kindInput)
      made = context.finish(input, elapsed)
    } catch (thrown) {
      return record(frame, input, elapsed, { return: ['failed', thrownFault(thrown, this.#state)] })
    }
    this.#isSkipped = context.isSkipped
    const fault = (made.step === true ? this.#stepsFault(frame, made, program) : undefined) ?? this.#returnFault(frame, made)
    return fault === undefined ? made : record(frame, input, elapsed, { return: ['failed', fault] })
  }

  #enter(program: Program): void {
    this.#program = program
    this.#kind = this.#definitions.kind(program.kind)
    this.#contract = this.#contractOf(program)
  }

  #contractOf(program: Program): BoardContract {
    let contract = this.#contracts.get(program)
    if (contract === undefined) {
      const kind = this.#definitions.kind(program.kind)
      const schemas = kind.schemas?.(program.def)
      const rules = kind.board ?? {}
      const isInternal = kind.isInternal === undefined ? undefined : (key: string) => kind.isInternal?.(key) === true
      contract = {
        rules: schemas !== undefined && rules.schemas === undefined ? { ...rules, schemas: 'optional' } : rules,
        schemas,
        isInternal,
      }
      this.#contracts.set(program, contract)
    }
    return contract
  }

  /** Returns the fault of a frame that enters a node beyond a limit of steps. One that closes or is cancelled may undo what it began. */
  #stepsFault(frame: Frame, { position = frame.position }: Rec, { def }: Program): Json | undefined {
    const fault = this.#limits.stepsFault(frame)
    if (fault === undefined || frame.cancelReason !== undefined || this.#kind?.isClosing?.(def, position) === true) return undefined
    return faultJson(fault)
  }

  /** Returns the fault if the caller's schemas refuse a value that a callee returns: the callee then fails and returns nothing. */
  #returnFault(frame: Frame, { writes = [], more }: Rec): Json | undefined {
    const { link } = frame
    if (more?.return?.[0] !== 'done' || link?.role !== 'call' || link.map.length === 0) return undefined
    const program = this.#definitions.program(link.caller.pin)
    const contract = this.#contractOf(program)
    if (contract.schemas === undefined) return undefined
    try {
      for (const [parentKey, childKey] of link.map) {
        const value = returnedValue(frame, childKey, writes, more?.tombstones)
        if (value !== undefined) checkSchema(contract, parentKey, value, program.name)
      }
      return undefined
    } catch (thrown) {
      return thrownFault(thrown, this.#state)
    }
  }

  /** Decides inputs that the kernel handles itself, for all kinds. */
  #decideInternal(frame: Frame, input: Input, elapsed: number): Rec | undefined {
    switch (input[0]) {
      case 'kernel':
        if (input[1] === 'fork') return this.#recordFork(frame, input, elapsed)
        if (input[1] === 'late') return record(frame, input, elapsed, lateUsage(input[2]))
        if (input[1] === 'resume' && hidesContents(this.#state))
          return record(frame, input, elapsed, { return: ['failed', lostFault(this.#state)] })
        if (input[1] !== 'stalled') return record(frame, input, elapsed, undefined)
        return record(frame, input, elapsed, { return: ['failed', stalledFault(this.#state)] })
      case 'cancel':
        if (frame.callee !== undefined) return record(frame, input, elapsed, undefined)
        return this.#handlesCancel(frame) ? undefined : this.#leave(frame, input, elapsed)
      case 'end':
        return frame.notified && !this.#handlesCancel(frame) ? this.#leave(frame, input, elapsed) : undefined
      case 'later':
      case 'use':
        return record(frame, input, elapsed, undefined)
      case 'permits':
        // A program begins with its permissions. Later ones take the place of the first, and step nothing.
        return frame.permissions === undefined ? undefined : record(frame, input, elapsed, undefined)
      case 'unknown':
        return this.#askAbout(frame, input, elapsed, 'outcome', outcomeQuestion(frame, input[1]), 'outcome')
      case 'pause':
        return this.#askAbout(frame, input, elapsed, input[2], input[3], input[2])
      case 'hold':
        return this.#askAbout(frame, input, elapsed, input[2], input[3], input[4])
      case 'answer': {
        const wait = this.#state.waits.get(input[1])
        return wait?.effect === undefined ? undefined : this.#afterQuestion(frame, input, wait, elapsed)
      }
      default:
        return undefined
    }
  }

  /** Asks a person about an effect, which waits for the answer. */
  #askAbout(
    frame: Frame,
    input: Input & readonly [string, Ref, ...unknown[]],
    elapsed: number,
    title: string,
    about: Json,
    asker?: RuntimeAsker,
  ): Rec {
    const wait = waitRequest(this.#state, 'answer', title, { about, ...(asker === undefined ? {} : { asker }) })
    return record(frame, input, elapsed, { wait: [wait], asks: input[1] })
  }

  /**
   * Records the values that a fork writes to the root board, as if the program had written them. Throws the faults of the
   * board: `R2004` to `R2008`.
   */
  #recordFork(frame: Frame, input: Input, elapsed: number): Rec {
    const detail = input[2]
    const { set } = isObject(detail) ? detail : {}
    if (!isObject(set)) return record(frame, input, elapsed, undefined)
    const program = this.#definitions.program(frame.pin)
    const contract = this.#contractOf(program)
    const writes: Json[] = []
    const size = contract.rules.limit === undefined ? undefined : new BoardSize(frame)
    for (const [key, given] of Object.entries(set)) {
      const isInternal = this.#definitions.kind(program.kind).isInternal?.(key) === true
      if (isInternal) throw faults.make('R2005', `${key} is a key of the runtime's own`, { path: key, fix: 'choose another key' })
      const value = checkWrite(contract, key, given, FORK, false)
      writes.push(key, value)
      size?.write(frame.scope, key, value, contract.rules.limit ?? Infinity, FORK)
    }
    return { ...record(frame, input, elapsed, undefined), writes }
  }

  /** Returns the outputs of an answer to a question before an effect. Formats below 3 do not state them. */
  #outputsOf({ asker, effect }: Wait, frame: Frame, answer: Json): Pick<Outputs, 'decided' | 'raise' | 'stop'> {
    const { isCurrentFormat, meter } = this.#state
    if (!isCurrentFormat) return {}
    const grants = frame.pendingEffects.find(({ id }) => id === effect)?.askedGrants
    return outputsOfAnswer({ asker, grants, place: permissionPlace(frame, this.#definitions) }, answer, meter)
  }

  #handlesCancel(frame: Frame): boolean {
    return this.#definitions.kind(this.#definitions.program(frame.pin).kind).cancels === true
  }

  /** Leaves a frame whose kind does not handle cancellation: first its strands end, then the frame. */
  #leave(frame: Frame, input: Input, elapsed: number): Rec {
    const strands = [...(frame.strands?.keys() ?? [])]
    if (strands.length === 0) return record(frame, input, elapsed, { return: ['cancelled'] })
    if (input[0] === 'end') return record(frame, input, elapsed, undefined)
    const dropped = [...frame.pendingEffects.map((flight) => flight.id), ...(frame.waits ?? []).map((wait) => wait.id)]
    return record(frame, input, elapsed, dropped.length > 0 ? { kill: strands, drop: dropped } : { kill: strands })
  }

  /** Handles the answer of a person about an effect: it happened, it failed, or perform it. */
  #afterQuestion(frame: Frame, input: Input & readonly ['answer', ...unknown[]], wait: Wait, elapsed: number): Rec {
    const effect = wait.effect ?? 0
    if (wait.asker !== 'outcome') return record(frame, input, elapsed, { repeat: effect, ...this.#outputsOf(wait, frame, input[2]) })
    const outcome = readOutcome(input[2])
    if (outcome.is === 'repeat') return record(frame, input, elapsed, { repeat: effect })
    return this.#step(frame, input, outcome.is === 'happened' ? ['ok', effect, outcome.value] : ['err', effect, outcome.value], elapsed)
  }
}

/** Returns the place that a permission is decided for: a node of one version of a program. */
export function permissionPlace(frame: Frame, definitions: Definitions): string {
  const { kind, def } = definitions.program(frame.pin)
  return `${frame.pin}/${definitions.kind(kind).node?.(def, frame.position) ?? ''}`
}

/** Returns the own value that a return map finds under a key after the step's writes. */
function returnedValue(frame: Frame, key: string, writes: readonly Json[], deleted: readonly string[] | undefined): Json | undefined {
  for (let i = writes.length - 2; i >= 0; i -= 2) if (writes[i] === key) return writes[i + 1]
  const place = deleted?.includes(key) === true ? -1 : frame.scope.find(key, Number.POSITIVE_INFINITY)
  return place < 0 ? undefined : frame.scope.valueAt(place)
}

/** Reads the answer to a question about an unknown outcome. */
export function readOutcome(answer: Json): { is: 'happened' | 'failed'; value: Json } | { is: 'repeat' } {
  const word = isObject(answer) ? answer.outcome : answer
  const value = isObject(answer) && answer.value !== undefined ? answer.value : null
  if (word === 'repeat') return { is: 'repeat' }
  if (word === 'happened') return { is: 'happened', value }
  const fault = faults.make('R2012', 'a person said that the effect failed', value === null ? {} : { data: { answer: value } })
  return { is: 'failed', value: faultJson(fault) }
}

/** The usage of a dropped effect counts, as that of any other. */
function lateUsage(detail: Json | undefined): Outputs | undefined {
  const used = isObject(detail) && isObject(detail.used) ? soundUsage(detail.used) : undefined
  return used === undefined ? undefined : { used }
}

function outcomeQuestion(frame: Frame, effect: string | number): Json {
  const pending = frame.pendingEffects.find((candidate) => candidate.id === effect)
  const about = { effect, port: pending?.port ?? '', ...(pending?.args === undefined ? {} : { args: pending.args }) }
  return { text: `Did ${about.port} happen?`, options: [{ value: 'happened' }, { value: 'repeat' }, { value: 'failed' }], about }
}

function record(frame: Frame, input: Input | undefined, elapsed: number, more: Outputs | undefined): Rec {
  return { frame: frame.id, elapsed, input, writes: undefined, position: undefined, requests: undefined, more, step: undefined }
}

function stalledFault(state: State): Json {
  return faultJson(faults.make('R2003', 'nothing is queued, in flight or awaited', { run: state.start?.run }))
}

/** The contents of the run were in the memory of a process that is gone. */
function lostFault(state: State): Json {
  return faultJson(noContents(state.start?.run ?? '', 'resumed'))
}

function thrownFault(thrown: unknown, state: State): Json {
  const run = state.start?.run
  const data: FaultData = isFault(thrown)
    ? { ...faultData(thrown), run }
    : faults.make('R9001', `a step threw: ${messageOf(thrown)}`, { run, cause: thrown })
  return faultJson(data)
}

function messageOf(thrown: unknown): string {
  const cause = causeOf(thrown)
  return typeof cause === 'string' ? cause : cause.message
}
