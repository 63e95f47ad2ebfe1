/**
 * What an attribute holds. `node` is the id of a node, `key` and `keys` name context values, `path` a file, `seconds` a
 * number of seconds, `words` one of a few words. Everything may be quoted: text that reads as a number is one.
 */
export type AttributeType =
  | 'text'
  | 'int'
  | 'number'
  | 'bool'
  | 'duration'
  | 'seconds'
  | 'csv'
  | 'json'
  | 'node'
  | 'key'
  | 'keys'
  | 'path'
  | 'words'

/** One attribute that means something. */
export interface AttributeRow {
  /** A name that ends in `.*` stands for every name that begins so. */
  readonly name: string
  /** Other spellings of the same; the name goes before them. */
  readonly aliases: readonly string[]
  readonly on: 'graph' | 'node' | 'edge'
  readonly type: AttributeType
  /** The words of type `words`, and those that a list of type `csv` may hold; empty for any. */
  readonly words: readonly string[]
  /** What holds where it is not written; empty for nothing. */
  readonly usual: string
  /** The operations that read it; absent: every node. */
  readonly operations?: readonly string[] | undefined
  /** What it does, in one line. */
  readonly does: string
}

/** What is written of an attribute where the tables are: name with its aliases behind, type or words, default, what it does. */
export type AttributeTuple = readonly [
  names: string,
  type: AttributeType | readonly string[] | { readonly list: readonly string[] },
  usual: string,
  does: string,
]

/** The rows of one table. Several names are written `name, alias`. */
export function rowsOf(on: AttributeRow['on'], tuples: readonly AttributeTuple[], operations?: readonly string[]): AttributeRow[] {
  return tuples.map(([names, type, usual, does]) => {
    const [name = '', ...aliases] = names.split(', ')
    return { name, aliases, on, ...typeOf(type), usual, does, ...(operations === undefined ? {} : { operations }) }
  })
}

function typeOf(type: AttributeTuple[1]): Pick<AttributeRow, 'type' | 'words'> {
  if (typeof type === 'string') return { type, words: [] }
  return 'list' in type ? { type: 'csv', words: type.list } : { type: 'words', words: type }
}
