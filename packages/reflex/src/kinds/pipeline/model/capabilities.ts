import { isObject } from '../../../kernel/index.ts'
import { type Attributes, listOf, textOf } from '../dot/graph.ts'
import { DISPATCH, SHELL, uri } from './capability-uris.ts'
import type { OperationFacts } from './operation-facts.ts'
import type { OperationTable } from './operation-table.ts'
import { resolveHandler } from './resolve-handler.ts'
import type { Resolution } from './resolution.ts'
import { WrittenNode } from './written-node.ts'
import { parseJson } from '../language/parse-json.ts'

/** A node with its operation. */
export interface ResolvedNode extends Pick<Resolution, 'canonical' | 'rawType' | 'custom'> {
  readonly facts: OperationFacts
  readonly attributes: Attributes
}

const EXECUTE = uri('orchestrator/execute')

/** The deepest nesting of maps in items. A deeper one is refused when it is executed. */
const DEEPEST_ITEM = 8

/** A list of capabilities by the elements that lead to it. */
interface NeedTree {
  readonly next: Map<string, NeedTree>
  list?: readonly string[]
}

/** The capabilities of the nodes of one pipeline. Nodes with the same needs share one list. */
export class NodeCapabilities {
  readonly #graph: Attributes
  readonly #table: OperationTable
  readonly #known: NeedTree = { next: new Map() }
  readonly #execute = new Map<string, string>()
  /** The needs of the node at hand. */
  readonly #needs: string[] = []

  constructor(graph: Attributes, table: OperationTable) {
    this.#graph = graph
    this.#table = table
  }

  /**
   * Returns all capabilities that a node needs, sorted: for executing its type and the alias that is written, for its operation,
   * its items and its hooks, and those that it requests itself (reference pipeline 5.2). They depend on what will be executed,
   * not on its spelling: no other spelling needs fewer. A custom handler needs what the host states, by default
   * `arbor://orchestrator/execute/custom/<name>`.
   */
  of(node: ResolvedNode): readonly string[] {
    const needs = this.#needs
    needs.length = 0
    this.#addHandlerNeeds(node)
    for (const item of itemsOf(node, this.#table)) {
      needs.push(DISPATCH)
      this.#addHandlerNeeds(item)
    }
    const { attributes } = node
    if (trimmedText(attributes, 'pre_hook') !== undefined || trimmedText(attributes, 'post_hook') !== undefined) needs.push(SHELL)
    if (attributes.has('capabilities')) for (const need of listOf(attributes, 'capabilities')) needs.push(need.toWellFormed())
    return this.#shared(needs)
  }

  #addHandlerNeeds({ canonical, rawType, facts, custom, attributes }: ResolvedNode): void {
    const needs = this.#needs
    const { custom: handlers, hostActions } = this.#table
    if (custom !== undefined) {
      for (const need of handlers.get(custom)?.capabilities ?? [uri('orchestrator/execute/custom', custom)]) needs.push(need)
      return
    }
    if (canonical === 'start' || canonical === 'exit') return
    needs.push(this.#executing(canonical))
    if (rawType !== canonical) needs.push(this.#executing(rawType))
    for (const need of facts.needs?.(new WrittenNode(attributes, this.#graph, hostActions)) ?? []) needs.push(need)
  }

  #executing(type: string): string {
    const known = this.#execute.get(type)
    if (known !== undefined) return known
    const need = `${EXECUTE}/${type}`
    this.#execute.set(type, need)
    return need
  }

  #shared(needs: readonly string[]): readonly string[] {
    let tree = this.#known
    for (const need of needs) {
      let next = tree.next.get(need)
      if (next === undefined) tree.next.set(need, (next = { next: new Map() }))
      tree = next
    }
    return (tree.list ??= [...new Set(needs)].sort())
  }
}

/** Returns the capabilities that the pipeline needs in addition to its nodes: its own hooks run commands. */
export function graphNeeds(graph: Attributes): readonly string[] {
  return trimmedText(graph, 'pre_hook') === undefined && trimmedText(graph, 'post_hook') === undefined ? [] : [SHELL]
}

const NO_ITEMS: readonly ResolvedNode[] = []

/** Returns the nodes that a node executes for items, from the outermost to the innermost. */
export function itemsOf(node: ResolvedNode, table: OperationTable): readonly ResolvedNode[] {
  if (node.facts.item === undefined) return NO_ITEMS
  const items: ResolvedNode[] = []
  for (let item = itemOf(node, table); item !== undefined && items.length < DEEPEST_ITEM; item = itemOf(item, table)) items.push(item)
  return items
}

function itemOf({ facts, attributes }: ResolvedNode, table: OperationTable): ResolvedNode | undefined {
  if (facts.item?.(new WrittenNode(attributes)) !== true) return undefined
  const type = trimmedText(attributes, 'item_type') ?? trimmedText(attributes, 'handler_type') ?? trimmedText(attributes, 'item_handler')
  if (type === undefined) return undefined
  const itemAttributes = new Map<string, { value: string | number | boolean; provenance: 'own' }>(
    attributesIn(trimmedText(attributes, 'handler_attrs')),
  )
  itemAttributes.set('type', { value: type, provenance: 'own' })
  const resolution = resolveHandler({ id: '', attributes: itemAttributes, classes: [] }, table)
  return { ...resolution, facts: table.facts(table.types.operationOf(resolution, itemAttributes)), attributes: itemAttributes }
}

function* attributesIn(text: string | undefined): Generator<[string, { value: string | number | boolean; provenance: 'own' }]> {
  const parsed = text === undefined ? undefined : parseJson(text)
  if (!isObject(parsed)) return
  for (const [key, value] of Object.entries(parsed)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') yield [key, { value, provenance: 'own' }]
    else if (key === 'handler_attrs') yield [key, { value: textOfJson(value), provenance: 'own' }]
  }
}

/** Values that are nested too deeply for JSON count as absent. */
function textOfJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return ''
  }
}

function trimmedText(attributes: Attributes, key: string): string | undefined {
  return textOf(attributes, key)?.trim() || undefined
}
