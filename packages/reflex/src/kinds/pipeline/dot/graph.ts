/** What an attribute can hold: quoted text is always text, bare numbers and booleans are typed (reference pipeline 1.2 G8). */
export type AttributeValue = string | number | boolean

/**
 * Where an attribute of a node or edge comes from: its own statement, a `node [...]` or `edge [...]` block, the model
 * stylesheet, or a transform. It decides how handlers are found and what a stylesheet may fill (reference pipeline 1.3).
 */
export type Provenance = 'own' | 'default' | 'stylesheet' | 'transform'

/** A stretch of the source, in UTF-16 units; absent on what no source holds. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** One attribute: its value, where it comes from, and where key and value stand. */
export interface Attribute {
  readonly value: AttributeValue
  readonly provenance: Provenance
  readonly keyAt?: Span | undefined
  /** With its quotes; absent for a bare attribute, which means `"true"`. */
  readonly valueAt?: Span | undefined
}

export type Attributes = ReadonlyMap<string, Attribute>

/** A node as its statements, the defaults in force and the edges that name it have made it. */
export interface DotNode {
  readonly id: string
  readonly attributes: Attributes
  /** Classes that its subgraphs give it, innermost first; those of the attribute `class` are not here. */
  readonly classes: readonly string[]
  /** No statement of its own: an edge alone names it. */
  readonly implicit?: true | undefined
  /** Its id, where it is declared or first named. */
  readonly at?: Span | undefined
}

/** One edge; several may join the same two nodes. */
export interface DotEdge {
  /** Its place in the order of declaration, from 0: unique in its graph. */
  readonly index: number
  readonly from: string
  readonly to: string
  readonly attributes: Attributes
  /** From its first id to its second. */
  readonly at?: Span | undefined
}

/** A subgraph that had an id, a label or attributes: flattened, and remembered (reference pipeline 1.3). */
export interface Subgraph {
  readonly id?: string | undefined
  readonly attributes: Attributes
  /** Declared or first named inside it, those of inner ones too, in that order. */
  readonly members: readonly string[]
  /** The index of the subgraph around it. */
  readonly parent?: number | undefined
}

/** A parsed pipeline. Immutable: a transform gives a new one. */
export interface DotGraph {
  readonly id: string
  readonly attributes: Attributes
  /** In the order in which they are declared or first named. */
  readonly nodes: ReadonlyMap<string, DotNode>
  readonly edges: readonly DotEdge[]
  readonly subgraphs: readonly Subgraph[]
}

const TRUE = new Set(['true', '1'])

/** An attribute as text; what is not there is nothing. Numbers and booleans as they are written. */
export function textOf(attributes: Attributes, key: string): string | undefined {
  const value = attributes.get(key)?.value
  return value === undefined ? undefined : String(value)
}

/** An attribute as a number, also where it is written as text; anything else is nothing. */
export function numberOf(attributes: Attributes, key: string): number | undefined {
  const value = attributes.get(key)?.value
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || !/^\s*-?(\d+(\.\d*)?|\.\d+)\s*$/.test(value)) return undefined
  return Number(value)
}

/** An attribute as a whole number; anything else is nothing. */
export function integerOf(attributes: Attributes, key: string): number | undefined {
  const number = numberOf(attributes, key)
  return number !== undefined && Number.isSafeInteger(number) ? number : undefined
}

/** Whether an attribute says yes: `true` or `1`, bare or quoted, in any case (reference pipeline 1.2 G8). */
export function isOn(attributes: Attributes, key: string): boolean {
  const value = attributes.get(key)?.value
  return value !== undefined && TRUE.has(String(value).trim().toLowerCase())
}

/** The parts of a comma-separated attribute, trimmed, without empty ones. */
export function listOf(attributes: Attributes, key: string): string[] {
  const text = textOf(attributes, key)
  if (text === undefined) return []
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
