import { hidesContents } from '../journal/contents.ts'
import { faults } from '../journal/faults.ts'
import { type Frame, isActivation } from '../state/frame.ts'
import { copyJson, type Json } from '../journal/json.ts'
import { isPinOf } from './functions.ts'
import { type Program, pinOf } from './program.ts'
import type { CallRequest, Pin, Ref, ReturnPair, SpawnRequest } from '../journal/record.ts'
import { badCallLimit, type CallLimits, soundCallLimits } from '../journal/usage.ts'
import { makeRef, type State } from '../state/state.ts'
import { StepBoard } from './step-board.ts'

/** Finds programs that the run of a step has not pinned yet. */
export interface Lookup {
  find(name: string): Program | undefined
  /** Returns the program of a hash; undefined if this process does not know it. */
  withHash(hash: string): Program | undefined
  /** Returns the program of a pin of the run. */
  program(pin: number): Program
  compile(kind: string, id: string, source: Json): Program
  /** Returns what is asked of a kind before one of its programs is called. */
  kind(name: string): { readonly plain?: unknown }
}

/** The limit of frames below a frame: each costs memory, and an endless recursion would use all of it. */
const MAX_DEPTH = 5_000

/** The options of a called or spawned program. */
export interface CallOptions {
  readonly map?: readonly ReturnPair[]
  readonly args?: Json
  /** True: only named inputs; its reads do not continue in its caller. */
  readonly isolated?: boolean
  /**
   * The limits of the callee and of what it calls; an amount of 0 allows nothing. An effect that exceeds them fails with `R2109`, and so does
   * a frame that enters one node more than `steps`.
   */
  readonly limits?: CallLimits
  /** The limit of programs of this frame's kind on one stack, including its own, regardless of programs of other kinds between them. */
  readonly maxNesting?: number
}

/** The options of a spawned strand. */
export interface SpawnOptions {
  readonly args?: Json
  readonly sees?: 'live' | 'past' | 'nothing'
  readonly under?: Ref
  /** The limits of the strand and of what it calls, as those of a call. */
  readonly limits?: CallLimits
  /** The limit of programs of this frame's kind on one stack, including its own, regardless of programs of other kinds between them. */
  readonly maxNesting?: number
}

/** The calls of a step: programs that its frame calls, spawns, defines or becomes. */
export class StepCalls<Def = unknown> extends StepBoard {
  readonly #lookup: Lookup

  constructor(state: State, frame: Frame, lookup: Lookup) {
    super(state, frame)
    this.#lookup = lookup
  }

  /** True if a program of this name can be called. The record pins it, so that a replay finds the same. */
  hasProgram(program: string): boolean {
    return this.#findPin(program) !== undefined
  }
  /**
   * Calls a program on the frame's stack. Returns the ref of the callee. Throws `R2010` if the program is missing, `R2018` if
   * the stack is too deep, and a `TypeError` for a limit that is not a number.
   */
  call(program: string, options: CallOptions = {}): Ref {
    this.#checkDepth()
    const draft = this.draft()
    if (this.frame.callee !== undefined || draft.call !== undefined)
      throw new TypeError(`${this.place()} calls ${program} before its last call has returned`)
    this.#checkContents(program)
    const call: { -readonly [K in keyof CallRequest]: CallRequest[K] } = { pin: this.#pin(program) }
    this.#checkNesting(program, call.pin, options.maxNesting)
    if (options.map !== undefined && options.map.length > 0) call.map = options.map
    if (options.args !== undefined) call.args = options.args
    if (options.isolated) call.isolated = true
    const limits = this.#limits(program, options.limits)
    if (limits !== undefined) call.limits = limits
    draft.call = call
    return makeRef(this.record, 'f', 0)
  }
  /** Spawns a strand of a program, or of this program itself. Returns the ref of the strand. Throws as `call` does. */
  spawn(program: string | null, options: SpawnOptions = {}): Ref {
    this.#checkDepth()
    const draft = this.draft()
    if (options.under !== undefined) this.requireScope(options.under)
    if (program !== null) this.#checkContents(program)
    const spawn: { -readonly [K in keyof SpawnRequest]: SpawnRequest[K] } = { pin: program === null ? this.frame.pin : this.#pin(program) }
    if (program !== null) this.#checkNesting(program, spawn.pin, options.maxNesting)
    if (options.args !== undefined) spawn.args = options.args
    if (options.sees === 'live' || options.sees === 'nothing') spawn.sees = options.sees
    if (options.under !== undefined) spawn.under = options.under
    const limits = this.#limits(program ?? 'a strand of itself', options.limits)
    if (limits !== undefined) spawn.limits = limits
    draft.spawn ??= []
    draft.spawn.push(spawn)
    return makeRef(this.record, 's', draft.spawn.length - 1)
  }
  /** Returns the valid limits of a call. Throws a `TypeError` for what is not a number: to drop it would allow everything. */
  #limits(program: string, limits: CallLimits | undefined): CallLimits | undefined {
    const bad = badCallLimit(limits)
    if (bad === undefined) return soundCallLimits(limits)
    const why = bad === '' ? 'they must be an object' : `${bad} must be a number`
    throw new TypeError(`${this.place()} cannot call ${program} with these limits: ${why}`)
  }
  /** True if the run keeps contents, or programs of this kind can do without. */
  mayCall(kind: string): boolean {
    return !hidesContents(this.state) || this.#lookup.kind(kind).plain !== undefined
  }
  #checkContents(program: string): void {
    const kind = program.slice(0, program.indexOf(':'))
    if (this.mayCall(kind)) return
    throw faults.make('R2066', `${this.place()} calls ${program}, and this run keeps no contents`, { path: this.place() })
  }
  #checkDepth(): void {
    if (this.frame.depth < MAX_DEPTH) return
    throw faults.make('R2018', `${this.place()} calls at depth ${this.frame.depth}`, {
      path: this.place(),
      fix: 'give the recursion a way out',
    })
  }
  #checkNesting(program: string, pin: number, maxNesting = Infinity): void {
    if (maxNesting === Infinity) return
    const kindOf = (one: number): string | undefined => (this.state.pins[one] ?? this.more?.pin?.[one - this.state.pins.length])?.[1]
    const frameKind = kindOf(this.frame.pin)
    let nesting = kindOf(pin) === frameKind ? 1 : 0
    for (let at: Frame | undefined = this.frame; at !== undefined; at = at.link?.caller)
      if (isActivation(at) && kindOf(at.pin) === frameKind) nesting++
    if (nesting <= maxNesting) return
    throw faults.make('R2018', `${this.place()} cannot call ${program}: programs of its kind are ${maxNesting} deep, which is the limit`, {
      path: this.place(),
      fix: 'give the recursion a way out',
    })
  }
  #pin(program: string): number {
    const pin = this.#findPin(program)
    if (pin === undefined)
      throw faults.make('R2010', `${this.place()} calls ${program}, which is not registered`, {
        path: this.place(),
        fix: `register ${program}, then resume`,
      })
    return pin
  }
  #findPin(program: string): number | undefined {
    const added = this.more?.pin?.findLastIndex(([pinned]) => pinned === program) ?? -1
    if (added >= 0) return this.state.pins.length + added
    const known = this.state.pins.findLastIndex(([pinned]) => pinned === program)
    if (known >= 0) return known
    const found = this.#lookup.find(program)
    return found === undefined ? undefined : this.addPin(pinOf(found))
  }
  protected addPin(pin: Pin): number {
    const draft = this.draft()
    ;(draft.pin ??= []).push(pin)
    return this.state.pins.length + draft.pin.length - 1
  }
  /**
   * Replaces the program by another version from the next record on, and returns its definition for a step that needs it at
   * once. `version` makes its name `kind:id~v2`: callers of the original name still find the pinned program. Throws the error
   * of the kind for a source that it cannot compile.
   */
  become(source: Json, version?: number): Def {
    const [pinned = '', kind = ''] = this.state.pins[this.frame.pin] ?? []
    const id = pinned.slice(kind.length + 1)
    const named = version === undefined ? id : `${id.replace(/~v\d+$/, '')}~v${version}`
    return this.#become(this.#lookup.compile(kind, named, copyJson(source, this.place())))
  }
  /**
   * Replaces the program by a registered one of the same kind from the next record on, and returns its definition. `name`: the name under
   * which the run pins it, as `kind:id`. Throws `R2010` if no program of this kind and hash is registered.
   */
  becomeProgram(name: string, hash: string): Def {
    const program = this.#registered(name, hash, 'becomes')
    return this.#become(program, this.#knownPin(program))
  }
  /**
   * Pins a registered program of the frame's kind under a name, as `kind:id`, and returns its definition. From the next record on the name
   * means this program in the run; what was called before keeps its own. Throws `R2010` if no program of this kind and hash is registered.
   */
  pinProgram(name: string, hash: string): Def {
    const program = this.#registered(name, hash, 'needs')
    const isLatest = this.state.pins.findLastIndex(([pinned]) => pinned === name) === this.#knownPin(program)
    if (!isLatest || this.#knownPin(program) < 0) this.addPin(pinOf(program))
    return program.def as Def
  }
  #registered(name: string, hash: string, verb: string): Program {
    const program = this.#lookup.withHash(hash)
    if (program !== undefined && program.kind === this.state.pins[this.frame.pin]?.[1]) return { ...program, name }
    throw faults.make('R2010', `${this.place()} ${verb} ${name}@${hash.slice(0, 6)}, which is not registered`, {
      path: this.place(),
      fix: `register ${name}, then try again`,
    })
  }
  /** Returns the last pin of a program under its name; below 0 if there is none. */
  #knownPin(program: Program): number {
    return this.state.pins.findLastIndex((pin) => pin[0] === program.name && isPinOf(pin, program))
  }
  #become(program: Program, known = this.state.pins.findLastIndex((pin) => isPinOf(pin, program))): Def {
    this.draft().become = known >= 0 ? known : this.addPin(pinOf(program))
    return program.def as Def
  }
  /**
   * Returns the definition of a program that can be called; undefined if there is none. The record pins it, so that a replay finds the
   * same.
   */
  definition(program: string): unknown {
    const pin = this.#findPin(program)
    if (pin === undefined) return undefined
    const added = this.more?.pin?.[pin - this.state.pins.length]
    return (added === undefined ? this.#lookup.program(pin) : this.#lookup.withHash(added[3]))?.def
  }
  /**
   * Registers a program that is given as data with the run. Returns the name by which it can be called; this record pins it.
   * Throws the error of its kind for a source that it cannot compile.
   */
  define(kind: string, id: string, source: Json): string {
    const program = this.#lookup.compile(kind, id, copyJson(source, this.place()))
    const added = this.more?.pin?.findLast(([pinned]) => pinned === program.name)
    const latest = added ?? this.state.pins.findLast(([pinned]) => pinned === program.name)
    if (latest === undefined || !isPinOf(latest, program)) this.addPin(pinOf(program))
    return program.name
  }
}
