import type { Fault, FaultData, Json } from '../../../kernel/index.ts'
import type { LaidNode } from '../compile/layout.ts'
import { FAILURE, type Outcome, RUNNING, SUCCESS, type TreeFacts } from '../manifest/behaviour.ts'
import { type Failure, failureTrace, REASON_KEY, withUnrecorded } from './failures.ts'
import { refusalOf } from './node-board.ts'
import { type KnownFailure, Reasons } from './reasons.ts'
import { FRESH, HAS_FAILED, IS_RUNNING, SUCCEEDED } from './states.ts'
import type { TreeState } from './tree-state.ts'
import type { TreeStep } from './tree-step.ts'

const NO_FAILURES: readonly Failure[] = []

/** The nodes of a tree in a tick: their states, the reasons of their failures, and what their trees declare. */
export abstract class NodeTicking {
  readonly state: TreeState
  /** The time of the tree. */
  now = 0
  #x: TreeStep
  #reasons: Reasons | undefined
  /** True in the first tick of an execution: the states and failures on record are those of an earlier one. */
  isFirst = false

  constructor(x: TreeStep, state: TreeState) {
    this.#x = x
    this.state = state
  }

  /** Begins a tick. One object serves all ticks of a state: a new one for each would cost as much as the nodes of a small tree. */
  protected beginNodes(x: TreeStep): void {
    this.#x = x
    this.now = this.state.timeAt(x.now)
    this.#reasons = undefined
    this.isFirst = false
  }

  /** The step that the tick is part of. */
  get x(): TreeStep {
    return this.#x
  }

  /** A node begins: nothing of its last time is left, in it and below it. */
  begin(node: LaidNode): void {
    const { state } = this
    if (state.hasDetails(node.index)) state.keep(node.index, undefined)
    if (node.children.length > 0) this.refresh(node)
    this.#reasons?.forget(node)
  }

  own(node: LaidNode): readonly Json[] | undefined {
    return this.state.own(node.index)
  }
  keep(node: LaidNode, own: readonly Json[] | undefined): void {
    this.state.keep(node.index, own)
  }
  lasting(node: LaidNode): Json | undefined {
    return this.state.lasting.get(node.index)
  }
  keepLasting(node: LaidNode, value: Json | undefined): void {
    if (value === undefined) this.state.lasting.delete(node.index)
    else this.state.lasting.set(node.index, value)
  }

  outcome(node: LaidNode): Outcome | undefined {
    switch (this.state.state(node)) {
      case IS_RUNNING:
        return RUNNING
      case SUCCEEDED:
        return SUCCESS
      case HAS_FAILED:
        return FAILURE
      default:
        return undefined
    }
  }
  runningSince(node: LaidNode): number {
    return this.state.state(node) === IS_RUNNING ? this.state.since(node.index) : this.now
  }

  halt(node: LaidNode): void {
    const { state } = this
    const isActive = state.state(node) === IS_RUNNING || state.hasBegun(node)
    for (const child of node.children) if (state.state(child) !== FRESH || state.hasBegun(child)) this.halt(child)
    if (isActive) this.stopped(node)
    state.setState(node.index, FRESH, this.now)
  }
  /** A node that was RUNNING or had begun is stopped, after everything below it. */
  protected abstract stopped(node: LaidNode): void

  /** Stops the children of a node that are RUNNING, but one. */
  haltChildren({ children }: LaidNode, but?: LaidNode): void {
    for (const child of children) if (child !== but && this.state.state(child) === IS_RUNNING) this.halt(child)
  }

  refresh(node: LaidNode): void {
    const { state } = this
    if (node.end >= 0) return state.refreshRange(node.index + 1, node.end)
    for (const child of node.children) {
      const code = state.state(child)
      if (code === IS_RUNNING || code === FRESH) continue
      this.refresh(child)
      state.setState(child.index, FRESH, this.now)
    }
  }

  /** True if a node has failed in this tick. */
  get hasReasons(): boolean {
    return this.#reasons !== undefined
  }
  /** The failures of nodes that had not failed before this tick. */
  get changedFailures(): readonly Failure[] {
    return this.#reasons?.failures ?? NO_FAILURES
  }
  /** The failures to record. */
  get failures(): readonly Failure[] {
    return this.isFirst ? (this.#reasons?.all ?? NO_FAILURES) : this.changedFailures
  }
  /** The reason of the last failure of the execution, recorded or not. */
  get failureReason(): Json | undefined {
    return this.#reasons?.all.at(-1)?.reason ?? (this.isFirst ? undefined : this.#x.get(REASON_KEY))
  }
  /** The failure trace of the execution with the failures of this tick. */
  get failureTrace(): Json {
    const entries = this.isFirst ? [] : failureTrace((key) => this.#x.get(key)).entries
    return withUnrecorded(entries, this.failures, this.#x.now)
  }
  /** A node has become FAILURE. */
  failed(node: LaidNode): void {
    this.#known.failed(node)
  }
  reason(node: LaidNode): string {
    return this.failure(node).reason
  }
  failure(node: LaidNode): KnownFailure {
    return this.#known.of(node)
  }
  fail(node: LaidNode, reason: string | Fault | FaultData): typeof FAILURE {
    this.#known.note(node, reason)
    return FAILURE
  }
  get #known(): Reasons {
    return (this.#reasons ??= new Reasons(this.#x, this.state))
  }

  repeat(node: LaidNode, count: number): void {
    this.state.repeatNode(node.index, count)
  }
  link(node: LaidNode): Fault | undefined {
    return this.state.linkNode(node.index)
  }
  treeBelow(node: LaidNode): TreeFacts | undefined {
    const tree = node.children[0]?.tree
    if (tree === undefined) return undefined
    const { defaults, outputs, schemas, source } = tree
    const { inputs = {}, inouts = {} } = source.contract ?? {}
    return { defaults, outputs, inputs: Object.keys({ ...inputs, ...inouts }), declares: (key) => schemas.has(key) }
  }
  keys(node: LaidNode): readonly string[] {
    return [...node.tree.schemas.keys()]
  }
  declares(node: LaidNode, key: string): boolean {
    return node.tree.schemas.has(key)
  }
  refusal(node: LaidNode, key: string, value: Json): Fault | undefined {
    return refusalOf(node, key, value)
  }
}
