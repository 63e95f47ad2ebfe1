import type { AttributeFact, AttributeFacts, AttributeType } from './attribute.ts'

/** One attribute that means something, as pages list it and as values are checked. */
export interface AttributeRow {
  /** A name that ends in `.*` stands for every name that begins so. */
  readonly name: string
  /** Other spellings of the same; the name goes before them. */
  readonly aliases: readonly string[]
  readonly on: 'graph' | 'node' | 'edge'
  readonly type: AttributeType | 'words'
  /** The words of type `words`, and those that a list of type `csv` may hold; empty for any. */
  readonly words: readonly string[]
  /** What holds where it is not written; empty for nothing. */
  readonly usual: string
  /** An unknown word has no effect. */
  readonly lenient: boolean
  /** The operations that read it; absent: every node. */
  readonly operations?: readonly string[] | undefined
  /** What it does, in one line. */
  readonly does: string
}

/** The rows of attributes of one place, in their order. */
export function rowsOf(on: AttributeRow['on'], attributes: AttributeFacts, operations?: readonly string[]): AttributeRow[] {
  return Object.entries(attributes).map(([name, fact]) => rowOf(on, name, fact, operations))
}

function rowOf(
  on: AttributeRow['on'],
  name: string,
  { form, aliases, usual, lenient, does }: AttributeFact,
  operations: readonly string[] | undefined,
): AttributeRow {
  return { name, aliases, on, ...typed(form), usual, lenient, does, ...(operations === undefined ? {} : { operations }) }
}

function typed(form: AttributeFact['form']): Pick<AttributeRow, 'type' | 'words'> {
  if (typeof form === 'string') return { type: form, words: [] }
  return 'list' in form ? { type: 'csv', words: form.list } : { type: 'words', words: form }
}

/** Joins the rows of several operations that say the same to one, where the first of them stands. */
export function merged(rows: readonly AttributeRow[]): AttributeRow[] {
  const groups = Map.groupBy(rows, ({ operations: _, ...row }) => JSON.stringify(row))
  return [...groups.values()].flatMap((same) => {
    const [first] = same
    if (first?.operations === undefined) return same
    return [{ ...first, operations: [...new Set(same.flatMap(({ operations = [] }) => operations))] }]
  })
}
