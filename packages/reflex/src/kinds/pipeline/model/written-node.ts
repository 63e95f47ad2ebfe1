import { type Attributes, isOn, listOf, textOf } from '../dot/graph.ts'

/** The attributes of a node as the facts of its operation read them. */
export class WrittenNode {
  readonly attributes: Attributes
  readonly #graph: Attributes

  constructor(attributes: Attributes, graph: Attributes = new Map()) {
    this.attributes = attributes
    this.#graph = graph
  }

  /** Returns the text of an attribute without spaces around it; undefined where nothing is written. */
  text(name: string): string | undefined {
    return textOf(this.attributes, name)?.trim() || undefined
  }

  /** Returns the same of the node, or of the graph where the node says nothing. */
  setting(name: string): string | undefined {
    return this.text(name) ?? (textOf(this.#graph, name)?.trim() || undefined)
  }

  /** Returns the parts of a list with commas. */
  list(name: string): readonly string[] {
    return listOf(this.attributes, name)
  }

  isOn(name: string): boolean {
    return isOn(this.attributes, name)
  }

  has(name: string): boolean {
    return this.attributes.has(name)
  }
}
