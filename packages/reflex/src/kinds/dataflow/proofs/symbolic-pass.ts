import type { EventField, EventForm } from '../adapter/event-form.ts'
import type { PortType, ScalarType } from '../model/value.ts'
import type { Plan, PlannedNode } from '../pass/plan.ts'
import { ANY_NUMBER, type Domain, hull, schemaDomain } from './domain.ts'
import { FALSE, Formulas, isComparison } from './formulas.ts'
import { Numbers } from './numbers.ts'
import { joined } from './ranges.ts'
import type { SymbolicNumber, SymbolicSeries, SymbolicValue } from './symbolic-value.ts'

const NONE: ReadonlySet<string> = new Set()
/** A series without a window is taken to have this many values when the overflow of its sum is judged. */
const FEW = 16

export interface SymbolicOptions {
  /** The kind of the event; absent for a graph without an adapter, whose events have any values. */
  readonly form: EventForm | undefined
  /** The keys that the actions of the graph write. */
  readonly written: ReadonlySet<string>
  /** True for the first event: no action has written a key. */
  readonly isFirst?: boolean
  /** The values that the number keys of the memory can have, and the elements of its series; absent for a series that stays empty. */
  readonly ranges?: MemoryRanges
}

/** The values of keys of the memory: of a number, or of the elements of a series. */
export type MemoryRanges = ReadonlyMap<string, Domain | undefined>

/** A calculation that can fail. `isCertain`: in every pass of this kind of event. */
export interface Suspect {
  readonly node: number
  readonly what: 'zero' | 'overflow' | 'size'
  readonly isCertain: boolean
}

/** Returns the name of the bit that stands for a Bool key of the memory. */
export function memoryBit(key: string): string {
  return `memory ${key}`
}

/** The passes of one kind of event, with formulas in place of values. */
export class SymbolicPass {
  readonly formulas = new Formulas()
  readonly numbers = new Numbers(this.formulas)
  readonly suspects: Suspect[] = []
  /** The condition under which each action fires, by node. */
  readonly fires = new Map<number, number>()
  /** An output that has the value of a term. */
  readonly places = new Map<number, { readonly node: number; readonly port: string }>()
  readonly #values = new Map<string, SymbolicValue>()
  readonly #options: SymbolicOptions

  constructor(plan: Plan, options: SymbolicOptions) {
    this.#options = options
    for (const planned of plan.nodes) this.#add(planned)
  }

  /** Returns the value of an input of a node. */
  input({ inputs }: PlannedNode, port: string): SymbolicValue | undefined {
    const from = inputs.find((input) => input.port === port)?.from
    return from === undefined ? undefined : this.#values.get(`${from.node} ${from.port}`)
  }

  /** True unless an action is known never to fire at an event of this kind. */
  canFire(node: number): boolean {
    return this.fires.get(node) !== FALSE
  }

  /** Returns the formula of a Bool input. */
  condition(planned: PlannedNode, port: string): number {
    const value = this.input(planned, port)
    return value?.type === 'Bool' ? value.formula : this.formulas.bit(`${planned.index} ${port}`)
  }

  /** True if an event of this kind takes the value of a key from the memory of the graph. */
  isMemory(key: string): boolean {
    const field = this.#options.form?.fields.find(({ name }) => name === key)
    return field !== undefined && field.isKey && field.required === undefined && this.#options.written.has(key)
  }

  #add(planned: PlannedNode): void {
    const { index, node, inputs } = planned
    if (node.primitive.kind === 'action') {
      const gates = inputs.filter(({ type }) => type === 'Event').map(({ port }) => this.condition(planned, port))
      this.fires.set(
        index,
        gates.reduce((all, gate) => this.formulas.and(all, gate), this.formulas.constant(true)),
      )
      return
    }
    const calculated = this.#calculated(planned)
    for (const { name, type } of node.primitive.manifest.outputs) {
      const value = calculated ?? this.#unknown(`${index} ${name}`, type)
      this.#values.set(`${index} ${name}`, value)
      if (value.type === 'Number' && !this.places.has(value.number.term)) this.places.set(value.number.term, { node: index, port: name })
    }
  }

  #calculated(planned: PlannedNode): SymbolicValue | undefined {
    const { node, parameters, keys } = planned
    const { op, kind } = node.primitive
    if (op === undefined) return undefined
    const key = keys[0]
    if (kind === 'source' && key !== undefined) return this.#read(key.key, key.type)
    if ((kind === 'source' || op.startsWith('const_')) && 'value' in parameters) return this.#constant(parameters['value'])
    const boolean = this.#boolean(op, planned)
    if (boolean !== undefined) return { type: 'Bool', formula: boolean }
    return this.#number(op, planned)
  }

  #boolean(op: string, planned: PlannedNode): number | undefined {
    const of = (port: string): number => this.condition(planned, port)
    switch (op) {
      case 'and':
        return this.formulas.and(of('a'), of('b'))
      case 'or':
        return this.formulas.or(of('a'), of('b'))
      case 'not':
        return this.formulas.not(of('value'))
      case 'select_bool':
        return this.formulas.choose(of('cond'), of('when_true'), of('when_false'))
      case 'emit_if_true':
        return of('input')
      case 'emit_if_event_and_true':
        return this.formulas.and(of('event'), of('condition'))
      default: {
        if (!isComparison(op)) return undefined
        const [a, b] = [this.input(planned, 'a'), this.input(planned, 'b')]
        return a?.type === 'Number' && b?.type === 'Number' ? this.numbers.compare(op, a.number, b.number) : undefined
      }
    }
  }

  #number(op: string, planned: PlannedNode): SymbolicValue | undefined {
    const { index, parameters } = planned
    const operands = planned.inputs.map(({ port }) => this.input(planned, port))
    if (op === 'append' || op === 'window') {
      const size = Number(parameters['size'])
      if (op === 'window' && !(Number.isInteger(size) && size > 0)) this.suspects.push({ node: index, what: 'size', isCertain: true })
      const series = op === 'append' ? appended(operands) : windowOf(operands[0], size)
      return { type: 'other', term: this.numbers.termOf(`${op} ${size} ${operands.map(nameOf).join(' ')}`, ANY_NUMBER), series }
    }
    if (op === 'len' || op === 'sum' || op === 'mean') return { type: 'Number', number: this.#total(op, index, operands[0]) }
    const numbers = operands.flatMap((operand) => (operand?.type === 'Number' ? [operand.number] : []))
    if (op === 'select') {
      const [yes, no] = numbers
      return yes === undefined || no === undefined
        ? undefined
        : { type: 'Number', number: this.numbers.choose(this.condition(planned, 'cond'), yes, no) }
    }
    if (numbers.length === 0 || numbers.length !== operands.length) return undefined
    const { number, suspect } = this.numbers.calculate(op, numbers, Number(parameters['fallback']))
    if (suspect !== undefined) this.suspects.push({ node: index, ...suspect })
    return { type: 'Number', number }
  }

  /** Returns the length, the sum or the mean of a series: 0 for one that is always empty. */
  #total(op: 'len' | 'sum' | 'mean', node: number, operand: SymbolicValue | undefined): SymbolicNumber {
    const { elements, most, memory } = seriesOf(operand)
    if (elements === undefined) return this.numbers.constant(0)
    const largest = Math.max(...hull(elements).map(Math.abs))
    // A few large values show an overflow; an unstated bound says nothing about it.
    const overflows = op !== 'len' && Number.isFinite(largest) && !Number.isFinite(largest * (most ?? FEW))
    if (overflows) this.suspects.push({ node, what: 'overflow', isCertain: false })
    const domain: Domain = op === 'len' ? { low: 0, high: Number.POSITIVE_INFINITY, isWhole: true } : ANY_NUMBER
    // An empty series has the length 0 and the sum 0, as it should; its mean is no value of it.
    return { ...this.numbers.named(`${op} ${nameOf(operand)}`, domain), memory: op === 'mean' ? memory : NONE }
  }

  #constant(value: unknown): SymbolicValue {
    if (typeof value === 'number') return { type: 'Number', number: this.numbers.constant(value) }
    if (typeof value === 'boolean') return { type: 'Bool', formula: this.formulas.constant(value) }
    return { type: 'other', term: this.numbers.termOf(`text ${String(value)}`, ANY_NUMBER) }
  }

  /** Returns the value of a key of the context: of the event, of the memory, or of an absent key. */
  #read(key: string, type: ScalarType): SymbolicValue | undefined {
    const { form, isFirst = false } = this.#options
    const field = form?.fields.find(({ name }) => name === key)
    if (form !== undefined && field === undefined) return this.#zero(type)
    if (field !== undefined && field.type !== type) return undefined
    const isMemory = this.isMemory(key)
    if (isMemory && isFirst) return this.#zero(type)
    if (type === 'Bool') return isMemory ? { type, formula: this.formulas.bit(memoryBit(key)) } : this.#field(key, field)
    const ranges = isMemory ? this.#options.ranges : undefined
    const known = ranges?.get(key)
    const memory: ReadonlySet<string> = isMemory ? new Set([key]) : NONE
    if (type !== 'Number') {
      const elements = ranges?.has(key) === true ? known : ANY_NUMBER
      const series: SymbolicSeries = elements === undefined ? { memory } : { elements, memory }
      return { type: 'other', term: this.numbers.termOf(`key ${key}`, ANY_NUMBER), series }
    }
    if (known !== undefined && known.low === known.high) return this.#constant(known.low)
    const domain = known ?? (field === undefined ? ANY_NUMBER : schemaDomain(field.schema, field.required === undefined))
    return { type, number: { ...this.numbers.named(`key ${key}`, domain), memory } }
  }

  /** Returns the value of a Bool of the event. */
  #field(key: string, { schema, required }: Partial<EventField> = {}): SymbolicValue {
    const listed = schema?.['const'] === undefined ? schema?.['enum'] : [schema['const']]
    const values = Array.isArray(listed) ? listed : [true, false]
    if (!values.includes(true)) return this.#zero('Bool')
    const isAlways = required !== undefined && !values.includes(false)
    return { type: 'Bool', formula: isAlways ? this.formulas.constant(true) : this.formulas.bit(`key ${key}`) }
  }

  #zero(type: ScalarType): SymbolicValue {
    const empty = this.#constant(type === 'Number' ? 0 : type === 'Bool' ? false : '')
    return empty.type === 'other' ? { ...empty, series: { memory: NONE } } : empty
  }

  #unknown(name: string, type: PortType): SymbolicValue {
    if (type === 'Number') return { type, number: this.numbers.named(`port ${name}`, ANY_NUMBER) }
    if (type === 'Bool' || type === 'Event') return { type: 'Bool', formula: this.formulas.bit(`port ${name}`) }
    return { type: 'other', term: this.numbers.termOf(`port ${name}`, ANY_NUMBER) }
  }
}

function seriesOf(value: SymbolicValue | undefined): SymbolicSeries {
  return (value?.type === 'other' ? value.series : undefined) ?? { elements: ANY_NUMBER, memory: NONE }
}

function appended([series, value]: readonly (SymbolicValue | undefined)[]): SymbolicSeries {
  const { elements, memory } = seriesOf(series)
  const added = value?.type === 'Number' ? value.number : undefined
  const domain = added?.domain ?? ANY_NUMBER
  return {
    elements: elements === undefined ? domain : joined(elements, domain),
    memory: new Set([...memory, ...(added?.memory ?? NONE)]),
  }
}

function windowOf(value: SymbolicValue | undefined, size: number): SymbolicSeries {
  const { elements, memory } = seriesOf(value)
  return { ...(elements === undefined ? {} : { elements }), most: size, memory }
}

function nameOf(value: SymbolicValue | undefined): string {
  return value === undefined ? '?' : value.type === 'Number' ? String(value.number.term) : value.type === 'other' ? String(value.term) : '?'
}
