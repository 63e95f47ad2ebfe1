import type { AttributeFact, AttributeFacts, AttributeType } from './attribute.ts'

/** A known attribute. Pages list these rows, and values are checked with them. */
export interface AttributeRow {
  /** A name that ends in `.*` is a prefix: it matches every name that begins with it. */
  readonly name: string
  /** Aliases. The name wins over them. */
  readonly aliases: readonly string[]
  readonly on: 'graph' | 'node' | 'edge'
  readonly type: AttributeType | 'words'
  /** The words of type `words`, or the words that a list of type `csv` may have; empty if all are allowed. */
  readonly words: readonly string[]
  /** The default, as text. Empty if there is none. */
  readonly usual: string
  /** True if an unknown word has no effect. */
  readonly lenient: boolean
  /** The operations that read it. Absent if every node reads it. */
  readonly operations?: readonly string[] | undefined
  /** A description in one line. */
  readonly does: string
}

/** Returns the rows of the attributes of one place, in order. */
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

/** Merges equal rows of several operations into one, at the position of the first. */
export function merged(rows: readonly AttributeRow[]): AttributeRow[] {
  const groups = Map.groupBy(rows, ({ operations: _, ...row }) => JSON.stringify(row))
  return [...groups.values()].flatMap((same) => {
    const [first] = same
    if (first?.operations === undefined) return same
    return [{ ...first, operations: [...new Set(same.flatMap(({ operations = [] }) => operations))] }]
  })
}
