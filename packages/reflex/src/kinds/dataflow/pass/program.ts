import type { ContextReader } from '../model/primitive.ts'
import type { Outcome, PortType, ScalarType } from '../model/value.ts'
import { isSize } from '../primitives/series.ts'
import { bankOf, type BankName, type Banks, store } from './banks.ts'
import { callFunction, isPassError } from './call-function.ts'
import { type Operation } from './operation.ts'
import { CONSTANTS, CONTEXT_SOURCES, FIXED_ACTIONS, OPERATIONS } from './operations.ts'
import type { Plan, PlannedNode } from './plan.ts'

/** A place in a bank, with its type. */
export interface Slot {
  readonly type: PortType
  readonly bank: BankName
  readonly at: number
}

/** An operation on slots. */
export interface Row {
  readonly op: string
  readonly operation: Operation
  readonly out: Slot
  readonly operands: readonly Slot[]
}

/** A source of the context: a key that is copied to a slot. */
export interface Load {
  readonly key: string
  readonly type: ScalarType
  readonly required: boolean
  readonly out: Slot
}

/** The operations between two calls of functions of the host, in canonical order, and the call that ends them. */
export interface Segment {
  readonly loads: readonly Load[]
  readonly rows: readonly Row[]
  readonly call?: Call
}

/** A node whose function is called. */
export interface Call {
  readonly planned: PlannedNode
  readonly inputs: readonly (readonly [port: string, slot: Slot])[]
  /** The outputs of a source, compute or trigger. */
  readonly outputs: readonly (readonly [port: string, slot: Slot])[]
}

/** An action, whose effects are derived at the end of a pass. */
export interface PlannedAction {
  readonly planned: PlannedNode
  readonly gates: readonly Slot[]
  readonly inputs: ReadonlyMap<string, Slot>
  /** The outcome when it runs; absent if its function says. */
  readonly outcome?: Outcome
}

/** A graph as compiled passes compute it. */
export interface Program {
  readonly plan: Plan
  readonly segments: readonly Segment[]
  readonly actions: readonly PlannedAction[]
  /** The boundary outputs; those of actions have no slot. */
  readonly outputs: readonly { readonly name: string; readonly node: number; readonly slot: Slot | undefined }[]
  readonly banks: Banks
  /** The values of slots that never change. */
  readonly constants: ReadonlyMap<Slot, number>
}

/**
 * Returns the program of a plan; undefined if every pass of it fails: a parameter is wrong. Slots are numbered by their bank; constants and
 * parameters are stored at once.
 */
export function programOf(plan: Plan): Program | undefined {
  return plan.nodes.some(({ error, node, parameters }) => error !== undefined || isSizeless(node.primitive.op, parameters['size']))
    ? undefined
    : new ProgramBuilder(plan).build()
}

function isSizeless(op: string | undefined, size: unknown): boolean {
  return op === 'window' && !(typeof size === 'number' && isSize(size))
}

interface OpenSegment {
  readonly loads: Load[]
  readonly rows: Row[]
}

const NO_CONTEXT: ContextReader = { value: () => undefined }

class ProgramBuilder {
  readonly #plan: Plan
  readonly #sizes: Record<BankName, number> = { f: 0, g: 0, s: 0, x: 0 }
  readonly #slots: Map<string, Slot>[] = []
  readonly #values: (readonly [slot: Slot, value: number | boolean | string])[] = []
  readonly #segments: Segment[] = []
  readonly #actions: PlannedAction[] = []
  #open: OpenSegment = { loads: [], rows: [] }

  constructor(plan: Plan) {
    this.#plan = plan
  }

  build(): Program {
    for (const planned of this.#plan.nodes) this.#add(planned)
    this.#segments.push(this.#open)
    const { f, g, s, x } = this.#sizes
    const banks: Banks = {
      f: new Float64Array(f),
      g: new Uint8Array(g),
      s: Array.from({ length: s }, () => ''),
      x: Array.from({ length: x }, (): readonly number[] => []),
    }
    for (const [{ type, at }, value] of this.#values) store(banks, type, at, value)
    const constants = new Map(this.#values.flatMap(([slot, value]) => (typeof value === 'string' ? [] : [[slot, Number(value)] as const])))
    const outputs = this.#plan.graph.outputs.map(({ name, node, port }) => ({ name, node, slot: this.#slots[node]?.get(port) }))
    return { plan: this.#plan, segments: this.#segments, actions: this.#actions, outputs, banks, constants }
  }

  #add(planned: PlannedNode): void {
    const { primitive } = planned.node
    const { op = '' } = primitive
    const operation = OPERATIONS.get(op)
    if (primitive.kind === 'action') this.#addAction(planned)
    else if (CONSTANTS.has(op)) this.#values.push([this.#outputs(planned)[0]?.[1] as Slot, planned.parameters['value'] ?? 0])
    else if (CONTEXT_SOURCES.has(op)) {
      const [key] = planned.keys
      if (key !== undefined) this.#open.loads.push({ ...key, out: this.#outputs(planned)[0]?.[1] as Slot })
    } else if (operation !== undefined) this.#addRow(planned, op, operation)
    else this.#addCall(planned, this.#outputs(planned))
  }

  #addRow(planned: PlannedNode, op: string, operation: Operation): void {
    const operands = this.#inputs(planned).map(([, slot]) => slot)
    if (operation.parameter !== undefined) {
      const slot = this.#slot('Number')
      this.#values.push([slot, planned.parameters[operation.parameter] ?? 0])
      operands.push(slot)
    }
    this.#open.rows.push({ op, operation, out: this.#outputs(planned)[0]?.[1] as Slot, operands })
  }

  #addAction(planned: PlannedNode): void {
    const inputs = this.#inputs(planned)
    const gates = inputs.map(([, slot]) => slot).filter(({ type }) => type === 'Event')
    const action = { planned, gates, inputs: new Map(inputs) }
    const outcome = FIXED_ACTIONS.has(planned.node.primitive.op ?? '') ? callFunction(planned, {}, NO_CONTEXT) : undefined
    if (outcome !== undefined && !isPassError(outcome)) this.#actions.push({ ...action, outcome: outcome['outcome'] as Outcome })
    else {
      this.#actions.push(action)
      this.#addCall(planned, [])
    }
  }

  #addCall(planned: PlannedNode, outputs: Call['outputs']): void {
    this.#segments.push({ ...this.#open, call: { planned, inputs: this.#inputs(planned), outputs } })
    this.#open = { loads: [], rows: [] }
  }

  #inputs({ inputs }: PlannedNode): (readonly [string, Slot])[] {
    return inputs.map(({ port, from }) => [port, this.#slots[from.node]?.get(from.port) as Slot])
  }

  #outputs({ index, node }: PlannedNode): (readonly [string, Slot])[] {
    const outputs = node.primitive.manifest.outputs.map(({ name, type }) => [name, this.#slot(type)] as const)
    this.#slots[index] = new Map(outputs)
    return outputs
  }

  #slot(type: PortType): Slot {
    const bank = bankOf(type)
    return { type, bank, at: this.#sizes[bank]++ }
  }
}
