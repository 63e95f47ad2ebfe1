import type { Json } from '../../../kernel/journal/json.ts'
import { boardValidators } from '../board-schemas/board-schemas.ts'
import { graphOf, type WorkflowGraph } from '../graph.ts'
import { addToGroup, nodeOf, returnedKeys } from '../key-flow.ts'
import type { BoardSchema, Edge, InvocationSpec, Node, Workflow } from '../types.ts'
import { ABSENT, ANY, type Claim, hasValue, PRESENT, restrict } from './claim.ts'
import { type Condition, conditionOf, type Trial, type Undecided } from './condition.ts'
import { type Domain, domainOf, jsonSchemaOf } from './domain.ts'
import { type Effects, flowOf, type KnownFlow } from './flow.ts'

/** An edge between two nodes, by their places in topological order. */
export interface Arc {
  readonly edge: Edge
  /** Its place among the edges of the workflow. */
  readonly index: number
  readonly from: number
  readonly to: number
}

/** A node with what is known of it. */
export interface ProofNode {
  readonly id: string
  readonly node: Node
  readonly flow: KnownFlow
  readonly invokes: InvocationSpec | undefined
  /** In the order of the workflow. */
  readonly outgoing: readonly Arc[]
  readonly incoming: readonly Arc[]
  /** Whether edges lead here from the entry, whatever their guards say. */
  readonly isLinked: boolean
}

/** A node that calls. */
export interface CallSite {
  readonly place: number
  readonly invokes: InvocationSpec
}

/** What a key is declared to be in the contracts of a workflow. */
interface KeyContract {
  /** Its readers say that a caller provides it: some always, or all of them where there is something. */
  inherited: 'always' | 'perhaps' | undefined
  /** Some reader says that the workflow itself provides it. */
  isOwn: boolean
}

/** A workflow laid out for proofs: nodes in topological order, with edges, flows, domains and contracts. */
export class Layout {
  readonly workflow: Workflow
  readonly graph: WorkflowGraph
  readonly nodes: readonly ProofNode[]
  /** The place of the entry; -1 for a workflow that has none. */
  readonly entry: number
  /** Keys that something here writes, or brings back from a call. */
  readonly writtenKeys: ReadonlySet<string>
  /** Whether some node may write keys that nobody knows. */
  readonly writesAnyKey: boolean
  readonly #domains = new Map<string, Domain>()
  readonly #schemas = new Map<string, Json | undefined>()
  readonly #conditions = new Map<Edge, Condition | Undecided>()
  readonly #contracts = new Map<string, KeyContract>()
  readonly #trial: Trial
  /** The first place at which a key, or any key, is written, returned or looked at by a guard. */
  readonly #firstUses = new Map<string, number>()
  readonly #decisionKeys = new Set<string>()
  readonly #returningCalls = new Map<string, CallSite[]>()
  readonly #firstUnknown: number
  /** Whether the contracts name keys that a caller provides, so that they can be taken to name all of them. */
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

  /** What a key can hold here. */
  readonly domain = (key: string): Domain => {
    const known = this.#domains.get(key)
    if (known !== undefined) return known
    const domain = domainOf(this.#schemaOf(key))
    this.#domains.set(key, domain)
    return domain
  }

  /** The JSON Schema that the board has for a key, if it has one. */
  schema(key: string): Json | undefined {
    if (!this.#schemas.has(key)) this.#schemas.set(key, jsonSchemaOf(this.#schemaOf(key)))
    return this.#schemas.get(key)
  }

  /** What the board objects to in a value of a key: `must be one of "red", "blue"`. */
  refusal(key: string, value: Json): string | undefined {
    const schema = this.#schemaOf(key)
    if (schema === undefined) return undefined
    try {
      const result = boardValidators({ [key]: schema })?.[key]?.['~standard'].validate(value)
      return result === undefined || result instanceof Promise ? undefined : result.issues?.[0]?.message
    } catch {
      // What is wrong with the schema itself is told of where it stands.
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
   * What a key can be when the workflow starts by itself. What its contracts say it inherits is there; what they say
   * it provides itself is not, nor is anything else that it writes, once they say of some key that it is inherited.
   * Of other keys nothing is known: a caller or `--input` may give them.
   */
  initial(key: string): Claim {
    const declared = this.#contracts.get(key)
    if (declared?.inherited === 'always') return restrict(PRESENT, this.domain(key))
    if (declared?.inherited === 'perhaps') return restrict(ANY, this.domain(key))
    if (declared?.isOwn === true) return ABSENT
    return this.#namesInputs && this.writtenKeys.has(key) ? ABSENT : restrict(ANY, this.domain(key))
  }

  /** Whether a key is surely not there when the workflow starts by itself. */
  isAbsentAtStart(key: string): boolean {
    const initial = this.initial(key)
    return initial.absent && !hasValue(initial)
  }

  /** Whether the contracts say that a caller provides a key. */
  isInherited(key: string): boolean {
    return this.#contracts.get(key)?.inherited !== undefined
  }

  /** Whether nothing before a place, in the order of nodes, writes a key or asks for it. */
  isUntouchedBefore(place: number, key: string): boolean {
    return place <= this.#firstUnknown && place <= (this.#firstUses.get(key) ?? this.nodes.length)
  }

  /** Whether a decision here may write a key. */
  writesKey(key: string): boolean {
    return this.#decisionKeys.has(key)
  }

  /** Whether the spec of a node, and not its declarations alone, is known to write a key. */
  specWrites(key: string): boolean {
    return this.nodes.some(({ flow, node }) => {
      if (flow.writesAnyKey || flow.mayWait) return false
      const writes = [...flow.writes, ...flow.cases.flatMap((decisionCase) => decisionCase.writes)]
      return writes.some((write) => write.key === key) && !(node.outputs ?? []).some((output) => output.key === key)
    })
  }

  /** The nodes whose calls return something for a key. */
  callsFor(key: string): readonly CallSite[] {
    return this.#returningCalls.get(key) ?? []
  }

  /** The names that a key of this workflow can have been meant to be. */
  *names(): Iterable<string> {
    yield* this.writtenKeys
    yield* this.#contracts.keys()
    yield* Object.keys(this.workflow.board ?? {})
  }

  /** The key that a path reads: the longest beginning that is a known key, else its first step. */
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

  /** Collects where keys are written or asked for; gives those that are written. */
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
