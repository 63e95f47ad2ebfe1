/** The value of an attribute. Quoted text is always text; bare numbers and booleans have their types (reference pipeline 1.2 G8). */
export type AttributeValue = string | number | boolean

/**
 * The source of an attribute of a node or edge: its own statement, a `node [...]` or `edge [...]` block, the model stylesheet, or a
 * transform. It decides how handlers are found and which attributes a stylesheet can set (reference pipeline 1.3).
 */
export type Provenance = 'own' | 'default' | 'stylesheet' | 'transform'

/** A span of the source, in UTF-16 units; absent for parts that are not in a source. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** An attribute: its value, its source, and the places of its key and value. */
export interface Attribute {
  readonly value: AttributeValue
  readonly provenance: Provenance
  readonly keyAt?: Span | undefined
  /** The span of the value with its quotes; absent for a bare attribute, which means `"true"`. */
  readonly valueAt?: Span | undefined
}

export type Attributes = ReadonlyMap<string, Attribute>

/** A node, from its statements, the defaults in force and the edges that name it. */
export interface DotNode {
  readonly id: string
  readonly attributes: Attributes
  /** The classes from its subgraphs, innermost first, without the classes of the attribute `class`. */
  readonly classes: readonly string[]
  /** True if it has no statement, so that only edges name it. */
  readonly implicit?: true | undefined
  /** The span of its id, where it is declared or first named. */
  readonly at?: Span | undefined
}

/** An edge. Several edges can join the same two nodes. */
export interface DotEdge {
  /** Its position in the order of declaration, from 0; unique in its graph. */
  readonly index: number
  readonly from: string
  readonly to: string
  readonly attributes: Attributes
  /** The span from its first id to its second. */
  readonly at?: Span | undefined
}

/** A subgraph with an id, a label or attributes. It is flattened and remembered (reference pipeline 1.3). */
export interface Subgraph {
  readonly id?: string | undefined
  readonly attributes: Attributes
  /** The nodes that are declared or first named inside it, including inner subgraphs, in that order. */
  readonly members: readonly string[]
  /** The index of the enclosing subgraph. */
  readonly parent?: number | undefined
}

/** A parsed pipeline. It is immutable; a transform returns a new one. */
export interface DotGraph {
  readonly id: string
  readonly attributes: Attributes
  /** The nodes in the order in which they are declared or first named. */
  readonly nodes: ReadonlyMap<string, DotNode>
  readonly edges: readonly DotEdge[]
  readonly subgraphs: readonly Subgraph[]
}

const TRUE = new Set(['true', '1'])

/** Returns an attribute as text, with numbers and booleans as they are written; undefined if it does not exist. */
export function textOf(attributes: Attributes, key: string): string | undefined {
  const value = attributes.get(key)?.value
  return value === undefined ? undefined : String(value)
}

/** Returns an attribute as a number, also if it is written as text; undefined for any other value. */
export function numberOf(attributes: Attributes, key: string): number | undefined {
  const value = attributes.get(key)?.value
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || !/^\s*-?(\d+(\.\d*)?|\.\d+)\s*$/.test(value)) return undefined
  return Number(value)
}

/** Returns an attribute as a whole number; undefined for any other value. */
export function integerOf(attributes: Attributes, key: string): number | undefined {
  const number = numberOf(attributes, key)
  return number !== undefined && Number.isSafeInteger(number) ? number : undefined
}

/** True if an attribute is on: `true` or `1`, bare or quoted, in upper or lower case (reference pipeline 1.2 G8). */
export function isOn(attributes: Attributes, key: string): boolean {
  const value = attributes.get(key)?.value
  return value !== undefined && TRUE.has(String(value).trim().toLowerCase())
}

/** Returns the parts of a comma-separated attribute, trimmed and without empty parts. */
export function listOf(attributes: Attributes, key: string): string[] {
  const text = textOf(attributes, key)
  if (text === undefined) return []
  if (!text.includes(',')) {
    const part = text.trim()
    return part === '' ? [] : [part]
  }
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
