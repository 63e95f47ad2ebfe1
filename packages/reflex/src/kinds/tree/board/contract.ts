import type { Fault } from '../../../kernel/index.ts'
import { quote, quoteAll } from '../../../text/index.ts'
import { faults } from '../model/faults.ts'
import type { ContractSource } from '../model/source.ts'
import { isReserved } from './board-faults.ts'
import { type SchemaRegistry, schemaOf, type SchemaType, type TreeSchema } from './schema.ts'

type SchemaMap = Readonly<Record<string, TreeSchema>>

/** The parts of a contract, by their names in a file of a tree. */
const PARTS = { inputs: 'inputs', optionalInputs: 'optional_inputs', outputs: 'outputs', inouts: 'inouts' } as const
type Part = keyof typeof PARTS

/** What a contract declares. */
export type ContractOptions = { readonly [Key in Part]?: Readonly<Record<string, SchemaType>> } & {
  readonly description?: string | undefined
  /** `fail`: an access that is not declared fails the node; `log`, the default: it is a warning. */
  readonly onViolation?: 'log' | 'fail' | undefined
}

/**
 * The keys that a node reads and writes, with their schemas (seed tree 2.2). Frozen; no key stands in two parts. Throws `R1202` for one that does,
 * and for an unknown schema.
 */
export class NodeContract {
  /** Keys that must have a value: without one the node fails and is not executed. */
  readonly inputs: SchemaMap
  /** Keys that the node reads if they have a value. */
  readonly optionalInputs: SchemaMap
  /** Keys that the node may write. */
  readonly outputs: SchemaMap
  /** Keys that the node reads and writes. They need no value before. */
  readonly inouts: SchemaMap
  readonly description: string
  /** `fail`: an access that is not declared fails the node; `log`: it is the event `node.contract.violation`. */
  readonly onViolation: 'log' | 'fail'

  constructor(options: ContractOptions = {}, registry: SchemaRegistry = {}) {
    requireDisjoint(options)
    const schemas = (part: Part): SchemaMap =>
      Object.freeze(Object.fromEntries(Object.entries(options[part] ?? {}).map(([key, type]) => [key, schemaOf(type, registry)])))
    this.inputs = schemas('inputs')
    this.optionalInputs = schemas('optionalInputs')
    this.outputs = schemas('outputs')
    this.inouts = schemas('inouts')
    this.description = options.description ?? ''
    this.onViolation = options.onViolation ?? 'log'
    Object.freeze(this)
  }

  /** Returns the contract that a file of a tree declares. */
  static from(source: ContractSource, registry?: SchemaRegistry): NodeContract {
    const { inputs = {}, optional_inputs: optionalInputs = {}, outputs = {}, inouts = {}, description, on_violation: onViolation } = source
    return new NodeContract({ inputs, optionalInputs, outputs, inouts, description, onViolation }, registry)
  }

  /** The keys that the node may read. */
  get allInputKeys(): Set<string> {
    return keysOf(this.inputs, this.optionalInputs, this.inouts)
  }

  /** The keys that the node may write. */
  get allOutputKeys(): Set<string> {
    return keysOf(this.outputs, this.inouts)
  }

  /** All keys with their schemas. */
  get schemas(): SchemaMap {
    return { ...this.inputs, ...this.optionalInputs, ...this.outputs, ...this.inouts }
  }

  /** Returns the required inputs that have no value. Reads nothing. */
  validateInputs(board: { has(key: string): boolean }): string[] {
    return Object.keys(this.inputs).filter((key) => !board.has(key))
  }

  /** Returns `R1221` for each required input that has no value. */
  inputFaults(board: { has(key: string): boolean }): Fault[] {
    return this.validateInputs(board).map((key) =>
      faults.make('R1221', `the input ${quote(key)} has no value`, {
        rule: 'E2001',
        path: key,
        fix: `write ${quote(key)} before the node is ticked, or declare it in optional_inputs`,
        data: { key, missing_key: key, expected_type: this.inputs[key]?.name ?? 'any', contract_description: this.description },
      }),
    )
  }

  /** Returns a sentence for each access that is not declared. */
  validateAccess(reads: Iterable<string>, writes: Iterable<string>): string[] {
    return this.accessFaults(reads, writes).map(({ rule, message }) => `${rule} ${message}`)
  }

  /** Returns `R1222` for each undeclared read and `R1223` for each undeclared write. Keys of the runtime need no declaration. */
  accessFaults(reads: Iterable<string>, writes: Iterable<string>): Fault[] {
    const [inputs, outputs] = [this.allInputKeys, this.allOutputKeys]
    return [
      ...undeclared(reads, inputs).map((key) =>
        faults.finding('R1222', `the node reads ${quote(key)}, which its contract does not declare`, {
          rule: 'E2002',
          path: key,
          fix: `add ${quote(key)} to inputs or optional_inputs`,
          data: { key, declared_inputs: [...inputs] },
        }),
      ),
      ...undeclared(writes, outputs).map((key) =>
        faults.finding('R1223', `the node writes ${quote(key)}, which its contract does not declare`, {
          rule: 'E2003',
          path: key,
          fix: `add ${quote(key)} to outputs`,
          data: { key, declared_outputs: [...outputs] },
        }),
      ),
    ]
  }

  /** Returns the contract as lines of text. */
  summary(): string {
    const parts = Object.keys(PARTS) as Part[]
    const lines = parts.flatMap((part) => {
      const keys = Object.entries(this[part]).map(([key, { name }]) => `  ${key}: ${name}`)
      return keys.length === 0 ? [] : [`${PARTS[part]}:`, ...keys]
    })
    const head = this.description === '' ? [] : [this.description]
    return [...head, ...(lines.length === 0 ? ['empty contract'] : lines)].join('\n')
  }
}

function requireDisjoint(options: ContractOptions): void {
  const places = new Map<string, Part>()
  for (const part of Object.keys(PARTS) as Part[]) {
    for (const key of Object.keys(options[part] ?? {})) {
      const other = places.get(key)
      places.set(key, part)
      if (other === undefined) continue
      throw faults.make('R1202', `the contract declares ${quote(key)} in ${quoteAll([PARTS[other], PARTS[part]])}`, {
        rule: 'E4002',
        path: key,
        fix: 'declare the key once; a key that is read and written belongs in inouts',
      })
    }
  }
}

function keysOf(...maps: readonly SchemaMap[]): Set<string> {
  return new Set(maps.flatMap((map) => Object.keys(map)))
}

function undeclared(keys: Iterable<string>, declared: ReadonlySet<string>): string[] {
  return [...keys].filter((key) => !declared.has(key) && !isReserved(key))
}
