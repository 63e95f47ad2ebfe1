import type { Json } from '../../../kernel/index.ts'
import { boardValidators } from '../model/board-schemas/board-schemas.ts'
import { graphOf, type WorkflowGraph } from '../model/graph.ts'
import { addToGroup, nodeOf, returnedKeys } from '../model/key-flow.ts'
import type { BoardSchema, Edge, InvocationSpec, Node, Workflow } from '../types/index.ts'
import { ABSENT, ANY, type Claim, hasValue, PRESENT, restrict } from './claim.ts'
import { type Condition, conditionOf, type Trial, type Undecided } from './condition.ts'
import { type Domain, domainOf, jsonSchemaOf } from './domain.ts'
import { type Effects, flowOf, type KnownFlow } from './flow.ts'

/** An edge between two nodes, given by their indexes in topological order. */
export interface Arc {
  readonly edge: Edge
  /** The index of the edge in the workflow. */
  readonly index: number
  readonly from: number
  readonly to: number
}

/** A node with its known facts. */
export interface ProofNode {
  readonly id: string
  readonly node: Node
  readonly flow: KnownFlow
  readonly invokes: InvocationSpec | undefined
  /** Edges are in the order of the workflow. */
  readonly outgoing: readonly Arc[]
  readonly incoming: readonly Arc[]
  /** True if a path of edges leads from the entry to the node, regardless of guards. */
  readonly isLinked: boolean
}

/** A node that calls. */
export interface CallSite {
  readonly place: number
  readonly invokes: InvocationSpec
}

/** The declarations of a key in the inputs of nodes. */
interface KeyContract {
  /** `always`: some node declares the key as inherited and required. `perhaps`: nodes declare it as inherited, and none as required. */
  inherited: 'always' | 'perhaps' | undefined
  /** True if some reader declares that the workflow itself provides the key. */
  isOwn: boolean
}

/** The layout of a workflow for proofs: nodes in topological order, with edges, flows, domains and contracts. */
export class Layout {
  readonly workflow: Workflow
  readonly graph: WorkflowGraph
  readonly nodes: readonly ProofNode[]
  /** The index of the entry; -1 if the workflow has none. */
  readonly entry: number
  /** The keys that a node writes or that a call returns. */
  readonly writtenKeys: ReadonlySet<string>
  /** True if some node may write unknown keys. */
  readonly writesAnyKey: boolean
  readonly #domains = new Map<string, Domain>()
  readonly #schemas = new Map<string, Json | undefined>()
  readonly #conditions = new Map<Edge, Condition | Undecided>()
  readonly #contracts = new Map<string, KeyContract>()
  readonly #trial: Trial
  /** The index of the first node that writes a key, or whose guards read it. */
  readonly #firstUses = new Map<string, number>()
  readonly #decisionKeys = new Set<string>()
  readonly #returningCalls = new Map<string, CallSite[]>()
  readonly #firstUnknown: number
  /** True if the contracts name keys that a caller provides, so that they are assumed to name all such keys. */
  readonly #namesInputs: boolean

  constructor(workflow: Workflow, effects: Effects | undefined, trial: Trial) {
    this.workflow = workflow
    this.graph = graphOf(workflow)
    this.#trial = trial
    const declares = Object.values(workflow.nodes).some(({ inputs, outputs }) => inputs !== undefined || outputs !== undefined)
    this.nodes = layOutNodes(workflow, this.graph, (node) => flowOf(workflow, node, effects, declares, this.graph.outgoing(node.id)))
    this.entry = this.nodes.findIndex(({ id }) => id === workflow.entry)
    this.#readContracts()
    this.#namesInputs = [...this.#contracts.values()].some(({ inherited }) => inherited !== undefined)
    const unknown = this.nodes.findIndex(({ flow, invokes }) => flow.writesAnyKey || invokes !== undefined)
    this.writesAnyKey = this.nodes.some(({ flow }) => flow.writesAnyKey)
    this.#firstUnknown = unknown === -1 ? this.nodes.length : unknown
    this.writtenKeys = this.#readUses()
  }

  /** Returns the domain of a key. */
  readonly domain = (key: string): Domain => {
    const known = this.#domains.get(key)
    if (known !== undefined) return known
    const domain = domainOf(this.#schemaOf(key))
    this.#domains.set(key, domain)
    return domain
  }

  /** Returns the JSON Schema of a key on the board, if there is one. */
  schema(key: string): Json | undefined {
    if (!this.#schemas.has(key)) this.#schemas.set(key, jsonSchemaOf(this.#schemaOf(key)))
    return this.#schemas.get(key)
  }

  /** Returns the objection of the board to a value of a key: `must be one of "red", "blue"`. */
  refusal(key: string, value: Json): string | undefined {
    const schema = this.#schemaOf(key)
    if (schema === undefined) return undefined
    try {
      const result = boardValidators({ [key]: schema })?.[key]?.['~standard'].validate(value)
      return result === undefined || result instanceof Promise ? undefined : result.issues?.[0]?.message
    } catch {
      // A mistake in the schema itself is reported at the schema.
      return undefined
    }
  }

  condition(edge: Edge): Condition | Undecided {
    const known = this.#conditions.get(edge)
    if (known !== undefined) return known
    const condition = conditionOf(edge, this.domain, this.#trial)
    this.#conditions.set(edge, condition)
    return condition
  }

  /**
   * Returns the claim on a key when the workflow starts by itself. A key that the contracts require from a caller is present. A
   * key that the workflow provides itself is absent. If the contracts name any inherited key, all other written keys are absent.
   * Nothing is known of the rest: a caller or `--input` may provide them.
   */
  initial(key: string): Claim {
    const declared = this.#contracts.get(key)
    if (declared?.inherited === 'always') return restrict(PRESENT, this.domain(key))
    if (declared?.inherited === 'perhaps') return restrict(ANY, this.domain(key))
    if (declared?.isOwn === true) return ABSENT
    return this.#namesInputs && this.writtenKeys.has(key) ? ABSENT : restrict(ANY, this.domain(key))
  }

  /** True if a key is certainly missing when the workflow starts by itself. */
  isAbsentAtStart(key: string): boolean {
    const initial = this.initial(key)
    return initial.absent && !hasValue(initial)
  }

  /** True if the contracts declare that a caller provides a key. */
  isInherited(key: string): boolean {
    return this.#contracts.get(key)?.inherited !== undefined
  }

  /** True if no earlier node, in topological order, writes a key or tests it. */
  isUntouchedBefore(place: number, key: string): boolean {
    return place <= this.#firstUnknown && place <= (this.#firstUses.get(key) ?? this.nodes.length)
  }

  /** True if a decision in this workflow may write a key. */
  writesKey(key: string): boolean {
    return this.#decisionKeys.has(key)
  }

  /** True if the spec of a node, not only its declarations, is known to write a key. */
  specWrites(key: string): boolean {
    return this.nodes.some(({ flow, node }) => {
      if (flow.writesAnyKey || flow.mayWait) return false
      const writes = [...flow.writes, ...flow.cases.flatMap((decisionCase) => decisionCase.writes)]
      return writes.some((write) => write.key === key) && !(node.outputs ?? []).some((output) => output.key === key)
    })
  }

  /** Returns the nodes whose calls return a value for a key. */
  callsFor(key: string): readonly CallSite[] {
    return this.#returningCalls.get(key) ?? []
  }

  /** Yields the names that a misspelt key may have been meant to be. */
  *names(): Iterable<string> {
    yield* this.writtenKeys
    yield* this.#contracts.keys()
    yield* Object.keys(this.workflow.board ?? {})
  }

  /** Returns the key that a path reads: the longest known key at its beginning, else its first step. */
  keyOf(path: string): string {
    const steps = path.split('.')
    for (let length = steps.length; length > 1; length--) {
      const key = steps.slice(0, length).join('.')
      if (this.writtenKeys.has(key) || this.#contracts.has(key) || Object.hasOwn(this.workflow.board ?? {}, key)) return key
    }
    return steps[0] ?? path
  }

  #schemaOf(key: string): BoardSchema | undefined {
    const { board } = this.workflow
    return board !== undefined && Object.hasOwn(board, key) ? board[key] : undefined
  }

  #readContracts(): void {
    for (const { node } of this.nodes) {
      for (const { key, required, inherited } of node.inputs ?? []) {
        const declared = this.#contracts.get(key) ?? { inherited: undefined, isOwn: false }
        if (inherited !== true) declared.isOwn = true
        else if (required) declared.inherited = 'always'
        else declared.inherited ??= 'perhaps'
        this.#contracts.set(key, declared)
      }
    }
  }

  /** Collects the nodes that write or test keys. Returns the written keys. */
  #readUses(): Set<string> {
    const written = new Set<string>()
    for (const [place, { node, flow, outgoing, invokes }] of this.nodes.entries()) {
      const writes = [...flow.writes, ...flow.cases.flatMap((decisionCase) => decisionCase.writes)].map(({ key }) => key)
      const conditions = [...flow.cases.flatMap((decisionCase) => decisionCase.when), ...outgoing.flatMap(({ edge }) => edge.guard ?? [])]
      for (const key of writes) this.#decisionKeys.add(key)
      if (invokes !== undefined) for (const key of new Set(returnedKeys(node))) addToGroup(this.#returningCalls, key, { place, invokes })
      for (const key of [...writes, ...returnedKeys(node)]) written.add(key)
      const guards = conditions.flatMap((guard) =>
        guard.type === 'cel' ? this.#trial.readsOf(guard).flatMap(({ key }) => key ?? []) : guard.type === 'custom' ? [] : [guard.key],
      )
      for (const key of [...writes, ...guards]) if (!this.#firstUses.has(key)) this.#firstUses.set(key, place)
    }
    return written
  }
}

function layOutNodes(workflow: Workflow, graph: WorkflowGraph, flow: (node: Node) => KnownFlow): ProofNode[] {
  const places = new Map(graph.order.map((id, place) => [id, place]))
  const reachable = graph.reachable(workflow.entry)
  const outgoing: Arc[][] = graph.order.map(() => [])
  const incoming: Arc[][] = graph.order.map(() => [])
  for (const [index, edge] of workflow.edges.entries()) {
    const [from, to] = [places.get(edge.from), places.get(edge.to)]
    if (from === undefined || to === undefined) continue
    const arc = { edge, index, from, to }
    outgoing[from]?.push(arc)
    incoming[to]?.push(arc)
  }
  return graph.order.flatMap((id, place) => {
    const node = nodeOf(workflow, id)
    if (node === undefined) return []
    const { invokes } = node
    return [
      {
        id,
        node,
        flow: flow(node),
        invokes,
        outgoing: outgoing[place] ?? [],
        incoming: incoming[place] ?? [],
        isLinked: reachable.has(id),
      },
    ]
  })
}
