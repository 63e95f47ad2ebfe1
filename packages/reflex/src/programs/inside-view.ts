import type { Change, Frame, Json } from '../kernel/index.ts'

/**
 * A cause inside one part of a record: a node with the values that decided it, or a value that comes from outside the part. A value of the
 * board names its key; the record and the part that wrote it are added to it.
 */
export interface PartCause {
  readonly what: 'node' | 'value'
  /** A node, a field or a key. */
  readonly name: string
  readonly text?: string
  readonly value?: Json
  /** True for a node that failed. */
  readonly failed?: true
  /** The key of the board that it was read from as it was before the record. */
  readonly key?: string
  /** True if the cause is already explained above. */
  readonly again?: true
  readonly from: readonly PartCause[]
}

/** A name for which there is no part or no node. `known`: the names that exist. */
export interface UnknownName {
  readonly unknown: string
  readonly known: readonly string[]
}

/** A node in a picture of a part of a record. `held`: it had nothing to do, because of the reason in its text. */
export interface PartNode {
  readonly standing: 'passed' | 'held' | 'failed'
  readonly text: string
}

/** An edge in such a picture, with the value that it carried. `decided`: the value decided what the node at its end did. */
export interface PartEdge {
  readonly standing: 'decided' | 'carried' | 'silent'
  /** Absent for an edge that carries no value, and for one that was silent. */
  readonly value?: Json
}

/** What one part of a record did, on the graph of its program. Nodes and edges that it did not reach are absent. */
export interface PartPicture {
  /** The name of the part, such as `E554`. */
  readonly name: string
  readonly facts: readonly string[]
  readonly nodes: ReadonlyMap<string, PartNode>
  readonly edges: ReadonlyMap<string, PartEdge>
}

/** The parts of a record, for kinds that do several complete things in one record: the passes of a graph. Pure. */
export interface InsideView<Def = unknown> {
  /** The name of a part, in the singular: `episode`. */
  readonly noun: string
  /** True for a text that has the form of a name of a part, such as `E554`. */
  isName(text: string): boolean
  /** Returns the number of a named part in a record, from 1; undefined if the record does not have it. */
  find(change: Change<Def>, name: string): number | undefined
  /** Returns the name of the last part so far; undefined if there is none. */
  last(frame: Frame): string | undefined
  /**
   * Explains a node in a part of a record, or the whole part without one. Returns the names that exist if the record has no such part
   * (their `unknown` is the number of the part), or the program no such node.
   */
  explain(change: Change<Def>, part: number, node?: string): PartCause | UnknownName
  /** Returns the picture of a part of a record; the number of the part and the names of all parts if the record does not have it. */
  picture(change: Change<Def>, part: number): PartPicture | UnknownName
  /** Returns the name of the part of a record that wrote the last value of a key; undefined if none did. */
  writer(change: Change<Def>, key: string): string | undefined
}
