import type { Effect } from '../model/effect.ts'
import type { ValidatedGraph } from '../model/graph.ts'
import type { ContextReader, Inputs } from '../model/primitive.ts'
import { type Outcome, type Scalar, ZERO } from '../model/value.ts'
import { load, store, storeContext } from './banks.ts'
import { type Called, callFunction, isPassError } from './call-function.ts'
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
 * runs code that is made for the graph, or `grouped` where evaluation of strings is not allowed.
 */
export type PassMode = 'checked' | 'grouped' | 'generated'

export interface CompileOptions {
  /** Default: `grouped` at first, and `generated` for a graph of up to 10,000 nodes after 100 passes. */
  readonly mode?: PassMode
}

const HOT = 100
const MOST_GENERATED = 10_000

/** Prepares a graph for passes. */
export function compilePass(graph: ValidatedGraph, { mode }: CompileOptions = {}): Pass {
  const plan = planOf(graph)
  const program = mode === 'checked' ? undefined : programOf(plan)
  if (program === undefined) return { graph, run: (context, ids) => evaluatePlan(plan, context, ids) }
  return new CompiledPass(program, mode)
}

class CompiledPass implements Pass {
  readonly graph: ValidatedGraph
  readonly #program: Program
  #code: readonly SegmentCode[]
  /** The passes until code is generated. */
  #cold: number

  constructor(program: Program, mode: PassMode | undefined) {
    this.graph = program.plan.graph
    this.#program = program
    const isSmall = program.plan.nodes.length <= MOST_GENERATED
    this.#cold = mode === 'generated' ? 0 : mode === 'grouped' || !isSmall ? Number.POSITIVE_INFINITY : HOT
    const generated = this.#cold === 0 ? generatedCode(program) : undefined
    this.#code = generated ?? program.segments.map(({ rows }) => groupedCode(rows))
  }

  run(context: ContextReader, ids?: PassIds): PassResult {
    const { plan } = this.#program
    if (--this.#cold === 0) this.#code = generatedCode(this.#program) ?? this.#code
    const called = new Map<number, Called>()
    const isSound = (!plan.needsIds || ids !== undefined) && this.#compute(context, called)
    return isSound ? this.#finish(called, ids) : evaluatePlan(plan, context, ids, { called })
  }

  /** Computes every value. False if the pass has an error; only the interpreter says which. */
  #compute(context: ContextReader, called: Map<number, Called>): boolean {
    const { segments, banks } = this.#program
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
    if (value === undefined) store(this.#program.banks, type, out.at, ZERO[type])
    return value === undefined ? !required : storeContext(this.#program.banks, type, out.at, value)
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
    for (const [port, { type, at }] of outputs) store(this.#program.banks, type, at, result[port] as Scalar)
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
    const outcomes = new Map<number, Outcome>()
    for (const { planned, gates, inputs, outcome } of actions) {
      const runs = this.#isOpen(gates)
      const result = called.get(planned.index) as { readonly outcome?: Outcome } | undefined
      outcomes.set(planned.index, runs ? (outcome ?? result?.outcome ?? 'Skipped') : 'Skipped')
      if (runs) effects.push(...effectsOf(planned, (port) => this.#value(inputs.get(port) as Slot), ids))
    }
    const values = outputs.map(({ name, node, slot }) => [
      name,
      slot === undefined ? (outcomes.get(node) ?? '') : copyOut(this.#value(slot)),
    ])
    return { outputs: Object.fromEntries(values) as Readonly<Record<string, Scalar>>, effects }
  }
}
