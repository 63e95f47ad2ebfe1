import { type Attributes, isOn, listOf, textOf } from '../dot/graph.ts'

/** The attributes of a node, for the functions in the facts of its operation. */
export class WrittenNode {
  readonly attributes: Attributes
  readonly #graph: Attributes
  readonly #hostActions: ReadonlySet<string>

  constructor(attributes: Attributes, graph: Attributes = new Map(), hostActions: ReadonlySet<string> = new Set()) {
    this.#hostActions = hostActions
    this.attributes = attributes
    this.#graph = graph
  }

  /** Returns the trimmed text of an attribute. Undefined if it is empty or absent. */
  text(name: string): string | undefined {
    return textOf(this.attributes, name)?.trim() || undefined
  }

  /** Returns the trimmed text of an attribute of the node, or otherwise of the graph. */
  setting(name: string): string | undefined {
    return this.text(name) ?? (textOf(this.#graph, name)?.trim() || undefined)
  }

  /** Returns the parts of a list with commas. */
  list(name: string): readonly string[] {
    return listOf(this.attributes, name)
  }

  /** True if the host has an action of this plain name. */
  isHostAction(name: string): boolean {
    return this.#hostActions.has(name)
  }

  isOn(name: string): boolean {
    return isOn(this.attributes, name)
  }

  has(name: string): boolean {
    return this.attributes.has(name)
  }
}
