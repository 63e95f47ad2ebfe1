import type { Effect } from '../model/effect.ts'
import type { ValidatedGraph } from '../model/graph.ts'
import type { ContextReader, Inputs } from '../model/primitive.ts'
import { type Outcome, type Scalar, ZERO } from '../model/value.ts'
import { load, store, storeContext } from './banks.ts'
import { type Called, callFunction, isPassError } from './call-function.ts'
import { ChunkedCode } from './chunked.ts'
import { copyOut, effectsOf } from './effects.ts'
import { attempted, contextError, evaluatePlan, type PassResult } from './evaluate.ts'
import { generatedCode } from './generated.ts'
import { groupedCode, type SegmentCode } from './grouped.ts'
import type { PassIds } from './intent-id.ts'
import { planOf } from './plan.ts'
import { type Call, type Load, type Program, type Slot, programOf } from './program.ts'

/** A graph that is ready for many passes. One pass runs at a time. */
export interface Pass {
  readonly graph: ValidatedGraph
  /**
   * Evaluates the graph on a context. Pure, and equal to `evaluate` in every bit, also in the error. `ids` are needed if an action has an
   * intent.
   */
  run(context: ContextReader, ids?: PassIds): PassResult
}

/**
 * The ways to run passes, with equal results: `checked` is the interpreter; `grouped` computes rows of one operation in loops; `generated`
 * runs code that is made for the graph, or `grouped` where evaluation of strings is not allowed; `chunked` is `grouped` in parts, of which
 * those are skipped whose inputs have not changed.
 */
export type PassMode = 'checked' | 'grouped' | 'generated' | 'chunked'

export interface CompileOptions {
  /**
   * Default: `grouped` at first, and `generated` after 100 passes; for a graph of more than 2,000 nodes `chunked`, and `grouped` while events
   * change much of it.
   */
  readonly mode?: PassMode
}

const HOT = 100
/** The most nodes of generated code: that of a larger graph is slower than loops for thousands of passes, until all of it is optimized. */
const MOST_GENERATED = 2_000

/** Prepares a graph for passes. */
export function compilePass(graph: ValidatedGraph, { mode }: CompileOptions = {}): Pass {
  const plan = planOf(graph)
  const program = mode === 'checked' ? undefined : programOf(plan)
  if (program === undefined) return { graph, run: (context, ids) => evaluatePlan(plan, context, ids) }
  return new CompiledPass(program, mode)
}

const NOTHING_CALLED: Map<number, Called> = new Map()
const NO_OUTCOMES: Map<number, Outcome> = new Map()

class CompiledPass implements Pass {
  readonly graph: ValidatedGraph
  readonly #program: Program
  readonly #hasCalls: boolean
  readonly #chunks: ChunkedCode | undefined
  #code: readonly SegmentCode[]
  /** The passes until code is generated. */
  #cold: number

  constructor(program: Program, mode: PassMode | undefined) {
    this.graph = program.plan.graph
    this.#program = program
    this.#hasCalls = program.segments.some(({ call }) => call !== undefined)
    const chosen = mode ?? (program.plan.nodes.length <= MOST_GENERATED ? undefined : 'chunked')
    this.#chunks = chosen === 'chunked' ? new ChunkedCode(program, mode === 'chunked') : undefined
    this.#cold = chosen === undefined ? HOT : Number.POSITIVE_INFINITY
    const generated = chosen === 'generated' ? generatedCode(program) : undefined
    this.#code = this.#chunks?.segments ?? generated ?? program.segments.map(({ rows }) => groupedCode(rows))
  }

  run(context: ContextReader, ids?: PassIds): PassResult {
    const { plan } = this.#program
    if (--this.#cold === 0) this.#code = generatedCode(this.#program) ?? this.#code
    const called = this.#hasCalls ? new Map<number, Called>() : NOTHING_CALLED
    const isSound = (!plan.needsIds || ids !== undefined) && this.#compute(context, called)
    return isSound ? this.#finish(called, ids) : evaluatePlan(plan, context, ids, { called })
  }

  /** Computes every value. False if the pass has an error; only the interpreter says which. */
  #compute(context: ContextReader, called: Map<number, Called>): boolean {
    const { segments, banks } = this.#program
    this.#chunks?.begin()
    for (const [i, { loads, call }] of segments.entries()) {
      for (const each of loads) if (!this.#load(each, context)) return false
      const poison = this.#code[i]?.(banks)
      // NaN differs from every number.
      if (poison !== 0 || (call !== undefined && !this.#call(call, context, called))) return false
    }
    return true
  }

  #load({ key, type, required, out }: Load, context: ContextReader): boolean {
    const value = context.value(key)
    const { banks } = this.#program
    if (value === undefined) store(banks, type, out.at, ZERO[type])
    const isSound = value === undefined ? !required : storeContext(banks, type, out.at, value)
    this.#chunks?.stored(out)
    return isSound
  }

  /** Calls a function of the host. Nothing before it in the order of evaluation has an error. */
  #call({ planned, inputs, outputs }: Call, context: ContextReader, called: Map<number, Called>): boolean {
    const isAction = planned.node.primitive.kind === 'action'
    if (isAction && !this.#isOpen(inputs.map(([, slot]) => slot))) return true
    const values: Inputs = Object.fromEntries(inputs.map(([port, slot]) => [port, this.#value(slot)]))
    if (planned.keys.length > 0 && contextError(planned, context) !== undefined) return false
    const result = callFunction(planned, isAction ? attempted(planned, values) : values, context)
    called.set(planned.index, result)
    if (isPassError(result)) return false
    for (const [port, slot] of outputs) {
      store(this.#program.banks, slot.type, slot.at, result[port] as Scalar)
      this.#chunks?.stored(slot)
    }
    return true
  }

  /** True if all events among the slots are emitted. */
  #isOpen(slots: readonly Slot[]): boolean {
    return slots.every(({ type, at }) => type !== 'Event' || this.#program.banks.g[at] === 1)
  }

  #value({ type, at }: Slot): Scalar {
    return load(this.#program.banks, type, at)
  }

  #finish(called: ReadonlyMap<number, Called>, ids: PassIds | undefined): PassResult {
    const { actions, outputs } = this.#program
    const effects: Effect[] = []
    const outcomes = actions.length > 0 ? new Map<number, Outcome>() : NO_OUTCOMES
    for (const { planned, gates, inputs, outcome } of actions) {
      if (!this.#isOpen(gates)) continue
      const result = called.get(planned.index) as { readonly outcome?: Outcome } | undefined
      outcomes.set(planned.index, outcome ?? result?.outcome ?? 'Skipped')
      effects.push(...effectsOf(planned, (port) => this.#value(inputs.get(port) as Slot), ids))
    }
    const values: Record<string, Scalar> = {}
    for (const { name, node, slot } of outputs)
      values[name] = slot === undefined ? (outcomes.get(node) ?? 'Skipped') : copyOut(this.#value(slot))
    return { outputs: values, effects }
  }
}
