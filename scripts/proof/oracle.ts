/**
 * What is true of a small program, found out by running it in every way: each start, each answer of each agent, each
 * value. It shares nothing with the prover but the rules of the engine: guards are evaluated, specs are decided by the very
 * agents that decide them in a run, boards are boards.
 */
import { personAgent, rulesAgent } from '../../packages/reflex/src/agents/index.ts'
import { isFault, type Json } from '../../packages/reflex/src/kernel/index.ts'
import { filterEdges } from '../../packages/reflex/src/kinds/workflow/guards/guards.ts'
import type {
  BlackboardReader,
  Decision,
  DecisionAgent,
  Edge,
  Node,
  Workflow,
} from '../../packages/reflex/src/kinds/workflow/types/index.ts'
import { type Choice, concerns, type Frame, keysWritten, nameInRoot, reader, type SmallProgram, startsOf, type State } from './ground.ts'

/** What was seen of the root workflow. Names: `stuck NODE`, `missing NODE KEY`, `lost NODE`, `dead EDGE`, `return NODE KEY`, `endless NODE`. */
export interface Truth {
  readonly facts: ReadonlySet<string>
  /** What follows from one of these, and may be said or not. */
  readonly also: ReadonlySet<string>
  /** False when there was too much to look at. */
  readonly whole: boolean
}

const MOST_STATES = 6000
const DEEPEST = 5

/** Runs the root of a program in every way. */
export async function truthOf(program: SmallProgram): Promise<Truth> {
  const strict = await new Exploration(program, false).run()
  const free = await new Exploration(program, true).run()
  const also = new Set(strict.consequences())
  if (!strict.whole || !free.whole) return { facts: new Set(), also, whole: false }
  return { facts: new Set([...strict.factsOfRuns(), ...free.factsOfGraph()].filter((fact) => !also.has(fact))), also, whole: true }
}

/** `free`: somebody else may be named to decide, who takes any open edge. */
class Exploration {
  readonly #program: SmallProgram
  readonly #free: boolean
  readonly #seen = new Set<string>()
  readonly #queue: State[] = []
  readonly #visited = new Set<string>()
  readonly #decided = new Set<string>()
  readonly #opened = new Set<string>()
  readonly #stuck = new Set<string>()
  readonly #missing = new Set<string>()
  readonly #entered = new Set<string>()
  readonly #back = new Set<string>()
  readonly #failed = new Set<string>()
  readonly #returned = new Set<string>()
  whole = true

  constructor(program: SmallProgram, free: boolean) {
    this.#program = program
    this.#free = free
  }

  async run(): Promise<this> {
    const { root } = this.#program
    for (const board of startsOf(this.#program)) this.#go([{ workflow: root, node: root.entry, board, returned: false }])
    for (const state of this.#queue) {
      if (this.#queue.length > MOST_STATES) {
        this.whole = false
        break
      }
      await this.#step(state)
    }
    return this
  }

  factsOfRuns(): string[] {
    const { root } = this.#program
    const calls = Object.values(root.nodes).flatMap(({ id, invokes }) => (invokes === undefined ? [] : [{ id, invokes }]))
    return [
      ...[...this.#stuck].map((node) => `stuck ${node}`),
      ...[...this.#missing].map((what) => `missing ${what}`),
      ...calls.flatMap(({ id }) => (this.#entered.has(id) && !this.#back.has(id) && !this.#failed.has(id) ? [`endless ${id}`] : [])),
      ...calls.flatMap(({ id, invokes }) =>
        this.#back.has(id)
          ? invokes.returnMap
              .filter(({ childKey }) => !this.#returned.has(`${id} ${childKey}`))
              .map(({ childKey }) => `return ${id} ${childKey}`)
          : [],
      ),
    ]
  }

  /** What a misnamed return was to bring is missed behind: that is the same mistake. */
  consequences(): string[] {
    const lost = Object.values(this.#program.root.nodes).flatMap(({ id, invokes }) =>
      (invokes?.returnMap ?? []).flatMap(({ parentKey, childKey }) =>
        this.#back.has(id) && !this.#returned.has(`${id} ${childKey}`) ? [parentKey] : [],
      ),
    )
    const behind = [...this.#missing].filter((what) => lost.includes(what.split(' ')[1] ?? '')).map((what) => `missing ${what}`)
    return [...behind, ...this.#unreached()]
  }

  /** Inputs of nodes that no run comes to: by paths alone they may be missed, and the mistake lies before. */
  #unreached(): string[] {
    const nodes = Object.values(this.#program.root.nodes).filter(({ id }) => !this.#visited.has(id))
    return nodes.flatMap(({ id, inputs = [] }) => inputs.map(({ key }) => `missing ${id} ${key}`))
  }

  /** Nodes and edges that guards keep shut; what lies behind them is the same mistake. */
  factsOfGraph(): string[] {
    const { root } = this.#program
    const shut = (edge: Edge): boolean => this.#decided.has(edge.from) && !this.#opened.has(edge.id)
    const lost = Object.keys(root.nodes).filter((id) => {
      if (this.#visited.has(id) || id === root.entry) return false
      const arriving = root.edges.filter(({ to }) => to === id)
      if (arriving.length === 0) return true
      const tried = arriving.filter(({ from }) => this.#decided.has(from))
      return tried.length > 0 && tried.every(shut)
    })
    const dead = root.edges.filter(
      (edge) => edge.guard !== undefined && shut(edge) && !lost.includes(edge.to) && this.#visited.has(edge.to),
    )
    return [...lost.map((id) => `lost ${id}`), ...dead.map(({ id }) => `dead ${id}`)]
  }

  #go(state: State): void {
    const text = JSON.stringify(
      state.map(({ workflow, node, board, returned }) => [workflow.id, node, [...board].sort(([a], [b]) => (a < b ? -1 : 1)), returned]),
    )
    if (this.#seen.has(text)) return
    this.#seen.add(text)
    this.#queue.push(state)
  }

  async #step(state: State): Promise<void> {
    const frame = state.at(-1)
    const node = frame?.workflow.nodes[frame.node]
    if (frame === undefined || node === undefined) return
    if (node.invokes !== undefined && !frame.returned) return this.#call(state, frame, node)
    const inRoot = state.length === 1
    if (inRoot) this.#visited.add(node.id)
    if (inRoot) this.#decided.add(node.id)
    const board = reader(state)
    const leaving = frame.workflow.edges.filter(({ from }) => from === node.id)
    const sorted = filterEdges(leaving, board)
    if (sorted.ok && inRoot) for (const { id } of sorted.open) this.#opened.add(id)
    if (!sorted.ok || (leaving.length > 0 && sorted.open.length === 0)) {
      if (inRoot) this.#stuck.add(node.id)
      if (!this.#free || sorted.ok) return
    }
    const open = sorted.ok ? sorted.open : this.#openEach(leaving, board, inRoot)
    await this.#decideAt(state, frame, node, board, open)
  }

  async #decideAt(state: State, frame: Frame, node: Node, board: BlackboardReader, open: readonly Edge[]): Promise<void> {
    const lacks = (node.inputs ?? []).filter(({ key, required }) => required && !board.has(key)).map(({ key }) => key)
    for (const key of lacks) this.#miss(state, node.id, key)
    if (
      !this.#free &&
      lacks.some((key) => state.some(({ workflow }) => this.#isWritten(workflow, key) || this.#isWritten(workflow, nameInRoot(state, key))))
    )
      return
    for (const { edge, writes } of await this.#decisions(state, frame.workflow, node, board, open)) this.#leave(state, frame, edge, writes)
  }

  /** What a graph allows does not depend on a guard that fails: the other edges are looked at by themselves. */
  #openEach(leaving: readonly Edge[], board: BlackboardReader, inRoot: boolean): Edge[] {
    const open = leaving.filter((edge) => {
      const alone = filterEdges([edge], board)
      return alone.ok && alone.open.length > 0
    })
    if (inRoot) for (const { id } of open) this.#opened.add(id)
    return open
  }

  #call(state: State, frame: Frame, node: Node): void {
    if (state.length === 1) {
      this.#visited.add(node.id)
      this.#entered.add(node.id)
    }
    const child = [this.#program.root, ...this.#program.others].find(({ id }) => id === node.invokes?.workflowId)
    if (child === undefined || state.length > DEEPEST) return
    const board = reader(state)
    const given = (node.invokes?.inputMap ?? []).flatMap(({ from, to }): [string, Json][] =>
      board.has(from) ? [[to, board.get(from) as Json]] : [],
    )
    this.#go([...state, { workflow: child, node: child.entry, board: new Map(given), returned: false }])
  }

  #leave(state: State, frame: Frame, edge: Edge | undefined, writes: readonly (readonly [string, Json])[]): void {
    const board = new Map([...frame.board, ...writes])
    const callers = state.slice(0, -1)
    if (edge !== undefined) return this.#go([...callers, { ...frame, node: edge.to, board, returned: false }])
    const caller = callers.at(-1)
    if (caller === undefined) return
    const map = caller.workflow.nodes[caller.node]?.invokes?.returnMap ?? []
    const back = map.flatMap(({ parentKey, childKey }): [string, Json][] =>
      board.has(childKey) ? [[parentKey, board.get(childKey) ?? null]] : [],
    )
    if (callers.length === 1) {
      this.#back.add(caller.node)
      for (const { childKey } of map) if (board.has(childKey)) this.#returned.add(`${caller.node} ${childKey}`)
    }
    this.#go([...callers.slice(0, -1), { ...caller, board: new Map([...caller.board, ...back]), returned: true }])
  }

  async #decisions(state: State, workflow: Workflow, node: Node, board: BlackboardReader, open: readonly Edge[]): Promise<Choice[]> {
    const { spec } = node
    if (Object.keys(spec).length === 0 || spec.who === 'somebody') return this.#somebody(workflow, node, open)
    const agents = spec.ask !== undefined ? [personAgent] : this.#free && open.length > 1 ? [rulesAgent, personAgent] : [rulesAgent]
    const made: Choice[] = []
    for (const agent of agents) {
      const decided = await this.#ask(agent, state, workflow, node, board, open)
      made.push(...decided)
    }
    return made
  }

  /**
   * Every answer of an agent. One that fails ends the run; what a graph allows does not depend on that: there a value
   * that is missing is lent for the decision, and one that cannot decide takes any open edge.
   */
  async #ask(
    agent: DecisionAgent,
    state: State,
    workflow: Workflow,
    node: Node,
    board: BlackboardReader,
    open: readonly Edge[],
  ): Promise<Choice[]> {
    const context = { workflow, node, blackboard: board, validEdges: [...open], stack: [] }
    try {
      const first = await agent.resolve(context)
      const answers = first.type === 'suspend' ? (first.ask?.options ?? []).map(({ value }) => value) : []
      const decisions: Decision[] = first.type === 'suspend' ? [] : [first]
      for (const input of answers) decisions.push(await agent.resolve({ ...context, input }))
      return decisions.flatMap((decision) => {
        if (decision.type === 'suspend') return []
        const edge = decision.type === 'advance' ? open.find(({ id }) => id === decision.edge) : undefined
        return [{ edge, writes: (decision.writes ?? []).map(({ key, value }) => [key, value as Json] as const) }]
      })
    } catch (thrown) {
      if (!isFault(thrown)) throw thrown
      const path = thrown.code === 'R2110' ? /reads "([^"]*)"/.exec(thrown.message)?.[1] : undefined
      const key = path?.split('.')[0]
      if (key !== undefined) this.#miss(state, node.id, key)
      if (!this.#free) return []
      if (key === undefined || board.has(key)) return open.map((edge) => ({ edge, writes: [] }))
      const lent = this.#program
        .values(workflow, key)
        .map((value) => reader([...state, { workflow, node: '', board: new Map([[key, value]]), returned: false }]))
      return (await Promise.all(lent.map((more) => this.#ask(agent, state, workflow, node, more, open)))).flat()
    }
  }

  /** Somebody whose spec nobody knows: any open edge, and what the contract says, with any values. */
  #somebody(workflow: Workflow, node: Node, open: readonly Edge[]): Choice[] {
    let choices: (readonly [string, Json])[][] = [[]]
    for (const { key, guaranteed } of node.outputs ?? []) {
      const writes = this.#program.values(workflow, key).map((value) => [key, value] as const)
      choices = choices.flatMap((before) => [...(guaranteed ? [] : [before]), ...writes.map((write) => [...before, write])])
    }
    const edges = open.length === 0 ? [undefined] : open
    return edges.flatMap((edge) => choices.map((writes) => ({ edge, writes })))
  }

  /** A key that is missing inside a call is missed by the call, under the name that the caller has for it. */
  #miss(state: State, nodeId: string, key: string): void {
    const name = nameInRoot(state, key)
    if (state.length > 1) this.#failed.add(state[0]?.node ?? '')
    const at = state.length === 1 ? nodeId : (state[0]?.node ?? '')
    if (concerns(this.#program.root, at, name, state)) this.#missing.add(`${at} ${name}`)
  }

  #isWritten(workflow: Workflow, key: string): boolean {
    return Object.values(workflow.nodes).some((node) => keysWritten(node).includes(key))
  }
}
