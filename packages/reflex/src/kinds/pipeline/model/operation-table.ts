import { EDGE_ATTRIBUTES, GRAPH_ATTRIBUTES } from './attributes-graph.ts'
import { NODE_ATTRIBUTES } from './attributes-node.ts'
import { AttributeIndex } from './attribute-index.ts'
import { type AttributeRow, merged, rowsOf } from './attribute-row.ts'
import { CANONICAL_TYPES, CHOICES } from './canonical-types.ts'
import { checkOperations } from './operation-check.ts'
import { type Dispatch, type OperationFacts, UNKNOWN_FACTS } from './operation-facts.ts'
import { dispatchOf, TypeNames } from './type-names.ts'
import type { CustomHandler } from './resolution.ts'

/**
 * Everything that is derived from a list of operations. It is passed to the code that compiles, checks and runs pipelines; an
 * import registers nothing.
 */
export interface OperationTable {
  readonly operations: readonly OperationFacts[]
  readonly types: TypeNames
  /** All known attributes, in the order of the page. */
  readonly rows: readonly AttributeRow[]
  readonly attributes: AttributeIndex
  /** Handlers of the host by their type name. */
  readonly custom: ReadonlyMap<string, CustomHandler>
  /** The names of the actions of the host; each takes precedence over a built-in action of the same name. */
  readonly hostActions: ReadonlySet<string>
  /** Returns the facts of an operation by name. An unknown operation counts as side-effecting. */
  facts(operation: string): OperationFacts
  /** Returns the row of the attribute that selects the operation of a canonical type. Undefined for a type with one operation. */
  choice(type: string): AttributeRow | undefined
}

/** Builds the table of a list of operations. Throws `R1165` for an operation that conflicts or has a wrong description. */
export function operationTable(operations: readonly OperationFacts[]): OperationTable {
  checkOperations(operations)
  const types = new TypeNames(operations)
  const choices = new Map(CANONICAL_TYPES.flatMap((type) => choiceRow(type, operations, types) ?? []))
  const facts = new Map(operations.map((operation) => [operation.name, operation]))
  const rows = [
    ...rowsOf('graph', GRAPH_ATTRIBUTES),
    ...rowsOf('node', NODE_ATTRIBUTES),
    ...choices.values(),
    ...merged(operations.flatMap(({ name, parameters }) => rowsOf('node', parameters, [name]))),
    ...rowsOf('edge', EDGE_ATTRIBUTES),
  ]
  return {
    operations,
    types,
    rows,
    attributes: new AttributeIndex(rows),
    custom: new Map(),
    hostActions: new Set(),
    facts: (operation) => facts.get(operation) ?? UNKNOWN_FACTS,
    choice: (type) => choices.get(type),
  }
}

/** Returns the same table with handlers and actions of the host. */
export function withHost(
  table: OperationTable,
  { custom = table.custom, hostActions = table.hostActions }: Partial<Pick<OperationTable, 'custom' | 'hostActions'>>,
): OperationTable {
  return custom.size === 0 && hostActions.size === 0 ? table : { ...table, custom, hostActions }
}

function choiceRow(
  type: (typeof CANONICAL_TYPES)[number],
  operations: readonly OperationFacts[],
  types: TypeNames,
): [string, AttributeRow][] | undefined {
  const choice = CHOICES[type]
  if (choice === undefined) return undefined
  const { attribute: name, usual, does, everywhere } = choice
  const words = types.choice(type)?.words ?? []
  const chosen = operations.filter((operation) => dispatchOf(operation).some((one) => one.type === type && saysAll(one)))
  const by = everywhere === true ? {} : { operations: chosen.map((operation) => operation.name) }
  return [[type, { name, aliases: [], on: 'node', type: 'words', words, usual, lenient: true, does, ...by }]]
}

/** True if a type name implies all selecting values: a node with the type name may repeat them. */
function saysAll({ by = {}, injects = by }: Dispatch): boolean {
  return Object.entries(by).every(([attribute, word]) => injects[attribute] === word)
}
