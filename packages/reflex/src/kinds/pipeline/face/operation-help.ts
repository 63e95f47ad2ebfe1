import { checkArguments, TEXT } from '../../../text/index.ts'
import { SOME_OPTIONS } from '../dot/argument-forms.ts'
import type { AttributeRow } from '../model/attribute-row.ts'
import type { OperationFacts } from '../model/operation-facts.ts'
import { dispatchOf } from '../model/type-names.ts'
import { type HostOperations, operationsOf } from '../operations/built-in.ts'
import type { Parts } from '../../../programs/part-help.ts'

/** The help of an operation. */
export interface OperationHelp {
  readonly name: string
  readonly does: string
  readonly types: readonly string[]
  /** The attributes that select the operation for a canonical type: `type=exec target=shell`. */
  readonly chosenBy: readonly string[]
  readonly repeat: OperationFacts['repeat']
  readonly attributes: readonly AttributeHelp[]
}

/** The help of an attribute. */
export interface AttributeHelp {
  readonly name: string
  readonly aliases: readonly string[]
  readonly takes: string
  readonly usual: string
  readonly does: string
  readonly isRequired: boolean
}

/** Returns the help of an operation by its name or by a type name; undefined for an unknown one. */
export function operationHelp(name: string, host: Pick<HostOperations, 'operations'> = {}): OperationHelp | undefined {
  checkArguments('operationHelp', { name: [name, TEXT], host: [host, SOME_OPTIONS] })
  const table = operationsOf(host)
  const known = table.operations.find((operation) => operation.name === name || table.types.get(name)?.operation === operation.name)
  if (known === undefined) return undefined
  const { does, types = [known.name], repeat, parameters } = known
  const rows = table.rows.filter(({ on, operations }) => on === 'node' && operations?.includes(known.name))
  const chosenBy = dispatchOf(known).map(({ type, by = {} }) =>
    [`type=${type}`, ...Object.entries(by).map(([attribute, word]) => `${attribute}=${word}`)].join(' '),
  )
  const attributes = rows.filter((row) => row.name in parameters).map((row) => attributeHelp(row, parameters[row.name]?.required === true))
  return { name: known.name, does, types, chosenBy, repeat, attributes }
}

/** Returns the names of all operations, for suggestions. */
export function operationNames(host: Pick<HostOperations, 'operations'> = {}): readonly string[] {
  checkArguments('operationNames', { host: [host, SOME_OPTIONS] })
  return operationsOf(host).operations.map(({ name }) => name)
}

function attributeHelp({ name, aliases, type, words, usual, does }: AttributeRow, isRequired: boolean): AttributeHelp {
  return { name, aliases, takes: type === 'words' ? words.join(' | ') : type, usual, does, isRequired }
}

/** The operations of pipelines as parts of programs. */
export const OPERATION_PARTS: Parts = {
  names: () => operationNames(),
  find(name) {
    const operation = operationHelp(name)
    if (operation === undefined) return undefined
    const { does, types, chosenBy, repeat, attributes } = operation
    return {
      name: operation.name,
      does,
      facts: [repeat],
      written: [...types.map((type) => `type=${type}`), ...chosenBy],
      attributes,
      document: { operation: { ...operation, attributes: attributes.map((one) => ({ ...one })) } },
    }
  },
}
