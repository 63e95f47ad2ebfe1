import type { Json } from '../../../kernel/journal/json.ts'
import { boardValidators } from '../board-schemas/board-schemas.ts'
import { graphOf, type WorkflowGraph } from '../graph.ts'
import { add, ownNode, returnedKeys } from '../key-flow.ts'
import type { BoardSchema, Edge, InvocationSpec, Node, Workflow } from '../types.ts'
import { ABSENT, ANY, type Claim, hasValue, PRESENT, within } from './claim.ts'
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
export interface Stop {
  readonly id: string
  readonly node: Node
  readonly flow: KnownFlow
  readonly invokes: InvocationSpec | undefined
  /** In the order of the workflow. */
  readonly leaving: readonly Arc[]
  readonly arriving: readonly Arc[]
  /** Whether edges lead here from the entry, whatever their guards say. */
  readonly linked: boolean
}

/** A node that calls. */
export interface Calling {
  readonly place: number
  readonly invokes: InvocationSpec
}

/** What a key is declared to be in the contracts of a workflow. */
interface Declared {
  /** Its readers say that a caller provides it: some always, or all of them where there is something. */
  inherited: 'always' | 'perhaps' | undefined
  /** Some reader says that the workflow itself provides it. */
  own: boolean
}

/** A workflow laid out for proofs: nodes in topological order, with edges, flows, domains and contracts. */
export class Sheet {
  readonly workflow: Workflow
  readonly graph: WorkflowGraph
  readonly stops: readonly Stop[]
  /** The place of the entry; -1 for a workflow that has none. */
  readonly entry: number
  /** Keys that something here writes, or brings back from a call. */
  readonly written: ReadonlySet<string>
  /** Whether some node may write keys that nobody knows. */
  readonly open: boolean
  readonly #domains = new Map<string, Domain>()
  readonly #schemas = new Map<string, Json | undefined>()
  readonly #conditions = new Map<Edge, Condition | Undecided>()
  readonly #declared = new Map<string, Declared>()
  readonly #trial: Trial
  /** The first place at which a key, or any key, is written, returned or looked at by a guard. */
  readonly #mentioned = new Map<string, number>()
  readonly #decided = new Set<string>()
  readonly #returning = new Map<string, Calling[]>()
  readonly #anything: number
  /** Whether the contracts name keys that a caller provides, so that they can be taken to name all of them. */
  readonly #closed: boolean

  constructor(workflow: Workflow, effects: Effects | undefined, trial: Trial) {
    this.workflow = workflow
    this.graph = graphOf(workflow)
    this.#trial = trial
    const declares = Object.values(workflow.nodes).some(({ inputs, outputs }) => inputs !== undefined || outputs !== undefined)
    this.stops = layOut(workflow, this.graph, (node) => flowOf(workflow, node, effects, declares, this.graph.outgoing(node.id)))
    this.entry = this.stops.findIndex(({ id }) => id === workflow.entry)
    this.#declare()
    this.#closed = [...this.#declared.values()].some(({ inherited }) => inherited !== undefined)
    const unknown = this.stops.findIndex(({ flow, invokes }) => flow.unknown || invokes !== undefined)
    this.open = this.stops.some(({ flow }) => flow.unknown)
    this.#anything = unknown === -1 ? this.stops.length : unknown
    this.written = this.#mention()
  }

  /** What a key can hold here. */
  readonly domain = (key: string): Domain => {
    const known = this.#domains.get(key)
    if (known !== undefined) return known
    const domain = domainOf(this.#declaredAs(key))
    this.#domains.set(key, domain)
    return domain
  }

  /** The JSON Schema that the board has for a key, if it has one. */
  schema(key: string): Json | undefined {
    if (!this.#schemas.has(key)) this.#schemas.set(key, jsonSchemaOf(this.#declaredAs(key)))
    return this.#schemas.get(key)
  }

  /** What the board objects to in a value of a key: `must be one of "red", "blue"`. */
  refusal(key: string, value: Json): string | undefined {
    const schema = this.#declaredAs(key)
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
    const declared = this.#declared.get(key)
    if (declared?.inherited === 'always') return within(PRESENT, this.domain(key))
    if (declared?.inherited === 'perhaps') return within(ANY, this.domain(key))
    if (declared?.own === true) return ABSENT
    return this.#closed && this.written.has(key) ? ABSENT : within(ANY, this.domain(key))
  }

  /** Whether a key is surely not there when the workflow starts by itself. */
  isAbsentAtFirst(key: string): boolean {
    const initial = this.initial(key)
    return initial.absent && !hasValue(initial)
  }

  /** Whether the contracts say that a caller provides a key. */
  inherits(key: string): boolean {
    return this.#declared.get(key)?.inherited !== undefined
  }

  /** Whether nothing before a place, in the order of nodes, writes a key or asks for it. */
  quietBefore(place: number, key: string): boolean {
    return place <= this.#anything && place <= (this.#mentioned.get(key) ?? this.stops.length)
  }

  /** Whether a decision here may write a key. */
  writesItself(key: string): boolean {
    return this.#decided.has(key)
  }

  /** Whether the spec of a node, and not its declarations alone, is known to write a key. */
  specWrites(key: string): boolean {
    return this.stops.some(({ flow, node }) => {
      if (flow.unknown || flow.patient) return false
      const writes = [...flow.writes, ...flow.ways.flatMap((way) => way.writes)]
      return writes.some((write) => write.key === key) && !(node.outputs ?? []).some((output) => output.key === key)
    })
  }

  /** The nodes whose calls return something for a key. */
  callsFor(key: string): readonly Calling[] {
    return this.#returning.get(key) ?? []
  }

  /** The names that a key of this workflow can have been meant to be. */
  *names(): Iterable<string> {
    yield* this.written
    yield* this.#declared.keys()
    yield* Object.keys(this.workflow.board ?? {})
  }

  /** The key that a path reads: the longest beginning that is a known key, else its first step. */
  keyOf(path: string): string {
    const steps = path.split('.')
    for (let length = steps.length; length > 1; length--) {
      const key = steps.slice(0, length).join('.')
      if (this.written.has(key) || this.#declared.has(key) || Object.hasOwn(this.workflow.board ?? {}, key)) return key
    }
    return steps[0] ?? path
  }

  #declaredAs(key: string): BoardSchema | undefined {
    const { board } = this.workflow
    return board !== undefined && Object.hasOwn(board, key) ? board[key] : undefined
  }

  #declare(): void {
    for (const { node } of this.stops) {
      for (const { key, required, inherited } of node.inputs ?? []) {
        const declared = this.#declared.get(key) ?? { inherited: undefined, own: false }
        if (inherited !== true) declared.own = true
        else if (required) declared.inherited = 'always'
        else declared.inherited ??= 'perhaps'
        this.#declared.set(key, declared)
      }
    }
  }

  /** Collects where keys are written or asked for; gives those that are written. */
  #mention(): Set<string> {
    const written = new Set<string>()
    for (const [place, { node, flow, leaving, invokes }] of this.stops.entries()) {
      const writes = [...flow.writes, ...flow.ways.flatMap((way) => way.writes)].map(({ key }) => key)
      const asked = [...flow.ways.flatMap((way) => way.when), ...leaving.flatMap(({ edge }) => edge.guard ?? [])]
      for (const key of writes) this.#decided.add(key)
      if (invokes !== undefined) for (const key of new Set(returnedKeys(node))) add(this.#returning, key, { place, invokes })
      for (const key of [...writes, ...returnedKeys(node)]) written.add(key)
      const guards = asked.flatMap((guard) =>
        guard.type === 'cel' ? this.#trial.readsOf(guard).flatMap(({ key }) => key ?? []) : guard.type === 'custom' ? [] : [guard.key],
      )
      for (const key of [...writes, ...guards]) if (!this.#mentioned.has(key)) this.#mentioned.set(key, place)
    }
    return written
  }
}

function layOut(workflow: Workflow, graph: WorkflowGraph, flow: (node: Node) => KnownFlow): Stop[] {
  const places = new Map(graph.order.map((id, place) => [id, place]))
  const linked = graph.reachable(workflow.entry)
  const leaving: Arc[][] = graph.order.map(() => [])
  const arriving: Arc[][] = graph.order.map(() => [])
  for (const [index, edge] of workflow.edges.entries()) {
    const [from, to] = [places.get(edge.from), places.get(edge.to)]
    if (from === undefined || to === undefined) continue
    const arc = { edge, index, from, to }
    leaving[from]?.push(arc)
    arriving[to]?.push(arc)
  }
  return graph.order.flatMap((id, place) => {
    const node = ownNode(workflow, id)
    if (node === undefined) return []
    const { invokes } = node
    return [{ id, node, flow: flow(node), invokes, leaving: leaving[place] ?? [], arriving: arriving[place] ?? [], linked: linked.has(id) }]
  })
}
