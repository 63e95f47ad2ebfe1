import type { Fault, FaultData, Json, JsonObject, StrandResult } from '../../../kernel/index.ts'

/** What a node answers to a tick. They are below 0, because numbers from 0 on name a child. */
export const RUNNING = -1
export const SUCCESS = -2
export const FAILURE = -3
/** A pre-condition has skipped the node: its parent passes over it. */
export const SKIPPED = -4
/** The tick stops at this leaf until its operation is settled, and continues there: its answer belongs to this tick. */
export const OPEN = -5

/** The answer of a node. */
export type Outcome = typeof RUNNING | typeof SUCCESS | typeof FAILURE | typeof SKIPPED
/** The next thing to do: tick the child of this place, from 0; or answer. */
export type Next = number

/** What a tick needs to know of the type of a node. */
export interface BehavingType {
  readonly type: string
  readonly role: 'composite' | 'decorator' | 'leaf'
  readonly behaviour: Behaviour
}

/** A node of a laid out tree. */
export interface TreeNode {
  /** The place in the layout, in preorder. */
  readonly index: number
  readonly id: string
  /** The id behind the ids of the references to its tree: `research/plan`. */
  readonly path: string
  readonly manifest: BehavingType
  /** The parameters, with defaults. */
  readonly params: JsonObject
  readonly parent: TreeNode | undefined
  /** The place among the children of the parent. */
  readonly place: number
  readonly children: readonly TreeNode[]
}

/** The end of an operation of a node: of an effect, a question, or a program that it called. */
export type Settled =
  | { readonly ok: true; readonly value: Json; readonly strand?: StrandResult | undefined }
  /** `isTimeout`: the operation was stopped because its time was over. */
  | { readonly ok: false; readonly fault: FaultData; readonly isTimeout?: true }

/** The limits and the key of an operation. */
export interface OperationOptions {
  /** The operation is stopped after so many milliseconds and settles with R1251. Absent: the limit of the tree holds. */
  readonly timeoutMs?: number | undefined
  /** False: neither this nor the limit of the tree holds, because a person or another program takes its own time. */
  readonly isLimited?: false
}

/** The blackboard as a node sees it: the scope that it stands in, and the outer ones. */
export interface NodeBoard {
  get(key: string): Json | undefined
  has(key: string): boolean
  /** Throws a fault (R1211 to R1214) for a write that is refused; nothing is changed then. */
  set(key: string, value: unknown): void
  /** Writes for all trees. Inside a parallel node it counts once the children are merged. */
  setGlobal(key: string, value: unknown): void
  /** Deletes a key from the scope of the node. Returns true if it had a value there. */
  delete(key: string): boolean
  /** Writes a key of the runtime, which begins with `_`. */
  setInternal(key: string, value: unknown): void
  deleteInternal(key: string): void
}

/** What a reference has to know of its tree. */
export interface TreeFacts {
  /** The first values of its keys. */
  readonly defaults: JsonObject
  /** The keys that its contract declares as outputs; undefined if it has no contract. */
  readonly outputs: readonly string[] | undefined
  /** The keys without which it cannot run. */
  readonly inputs: readonly string[]
  /** True if it declares a key. */
  declares(key: string): boolean
}

/** What the behaviour of a node may see and do during a tick. */
export interface Tick {
  /** The time of the tick, in milliseconds since the epoch. It stands still at a breakpoint. */
  readonly now: number
  /** The number of the tick in its execution, from 1. */
  readonly count: number
  /** The event that the tree handles: the last one that it was given; undefined if the clock has begun the execution. */
  readonly event: Json | undefined
  board(node: TreeNode): NodeBoard
  /** What the node keeps between ticks, as long as it is RUNNING; undefined if it keeps nothing. A list, never changed in place. */
  own(node: TreeNode): readonly Json[] | undefined
  keep(node: TreeNode, own: readonly Json[] | undefined): void
  /** What a node keeps across executions, such as the end of its last completion. */
  lasting(node: TreeNode): Json | undefined
  keepLasting(node: TreeNode, value: Json | undefined): void
  /** The answer of a child at its last tick; undefined if it is FRESH. */
  outcome(node: TreeNode): Outcome | undefined
  /** The start of RUNNING, in milliseconds since the epoch. */
  runningSince(node: TreeNode): number
  /** Stops everything below and at a node that is RUNNING, deepest first, and makes all of it FRESH. */
  halt(node: TreeNode): void
  /** Makes everything below a node FRESH, except for what is RUNNING. */
  refresh(node: TreeNode): void
  /** The reason of the last failure of a node. */
  reason(node: TreeNode): string
  /** The last failure of a node, with its code if it has one. */
  failure(node: TreeNode): { readonly reason: string; readonly code?: string | undefined }
  /** Records the reason of a failure and returns FAILURE. */
  fail(node: TreeNode, reason: string | Fault | FaultData): typeof FAILURE
  /** Ticks the tree again at a time, if it is still RUNNING then. A leaf that has named a time is not taken for stuck before it. */
  wakeAt(node: TreeNode, time: number): void
  /** Ticks the tree again as soon as this tick is over. Counts towards the budget of ticks. */
  again(node: TreeNode): void
  /** Publishes an event of the tree. */
  emit(type: string, payload: JsonObject): void
  /**
   * Evaluates a condition. Undefined if it is Lua or a function that has to be run: that is requested, the node answers OPEN, and the result
   * comes as `settle`. A fault if it cannot be evaluated.
   */
  test(node: TreeNode, condition: Json): boolean | Fault | undefined
  /** Evaluates an expression that is data. */
  evaluate(node: TreeNode, expression: string): { readonly value: Json } | { readonly error: string }
  /** Requests an effect. Its end comes as `settle`. A node has one operation at a time. */
  request(node: TreeNode, port: string, args: Json, options?: OperationOptions): void
  /** Runs a program as a strand of its own. Its end comes as `settle`. */
  call(node: TreeNode, program: string, args: Json, options?: OperationOptions): void
  /** Asks a person. The answer comes as `settle`. */
  ask(node: TreeNode, about: Json, options?: OperationOptions): void
  /** Gives up the operation of a node: it is aborted, and its result ignored. */
  drop(node: TreeNode): void
  /**
   * Adds a piece to the text of a node that grows, which is read under a key, in the scope of the node, as { content, index, accumulated }.
   * Returns that.
   */
  stream(node: TreeNode, key: string, piece: string): Json
  /** Returns the text of a node that grows under a key, so far; undefined if there is none. */
  streamed(node: TreeNode, key: string): string | undefined
  /** Ends or restarts the text of a node that grows under a key. */
  endStream(node: TreeNode, key: string): void
  /** Calls a function of the host in the step, and returns its end; undefined if it is not pure, so that it has to be requested. */
  compute(node: TreeNode, fn: string, args: Json): Settled | undefined
  /**
   * Calls a function of the host beside the operation of the node. Its answer is ignored; its writes count if the node is RUNNING when it has
   * answered, and an error of it is an event.
   */
  callBack(node: TreeNode, fn: string, args: Json): void
  /** Gives a node so many children, each with everything below it like its first one. It keeps those that it has. */
  repeat(node: TreeNode, count: number): void
  /** Links the tree to which a reference refers, if it is not linked yet. Returns what is wrong if it cannot be linked. */
  link(node: TreeNode): Fault | undefined
  /** The tree below a reference; undefined before it is linked. */
  treeBelow(node: TreeNode): TreeFacts | undefined
  /** The keys that the tree of the node declares. */
  keys(node: TreeNode): readonly string[]
  /** True if the tree of the node declares a key. */
  declares(node: TreeNode, key: string): boolean
  /** Returns why a write would be refused; undefined if it would not. */
  refusal(node: TreeNode, key: string, value: Json): Fault | undefined
  /** Gives a child, and everything below it, a scope of its own, unless it has one. */
  openScope(child: TreeNode): void
  /** The values that were written in the scope of a child and are still there. */
  scopeWrites(child: TreeNode): ReadonlyMap<string, Json>
  /** Closes the scope of a child; what was written there is gone. */
  shutScope(child: TreeNode): void
}

/** In a flow: the next child is ticked. */
export const NEXT = 1

/**
 * What a node does with the answers of its children, as data: the walk follows it without a call. Under each answer of a child stands that of the
 * node, or NEXT. A node all of whose children were skipped is skipped.
 */
export interface Flow {
  readonly running: Outcome
  readonly success: Outcome | typeof NEXT
  readonly failure: Outcome | typeof NEXT
  readonly skipped: Outcome | typeof NEXT
  /** The answer when there is no next child. */
  readonly last: Outcome
  /** True: every tick begins at the first child. Otherwise a RUNNING node continues at its child that is RUNNING. */
  readonly isReactive: boolean
}

/** The behaviour of a type of node. It keeps nothing itself: what it must remember goes into `Tick.keep`. */
export interface Behaviour {
  /** In place of `resume` and `child`. */
  readonly flow?: Flow
  /** Ticks a node that is not RUNNING: it begins. */
  enter(tick: Tick, node: TreeNode): Next
  /** Ticks a node that is RUNNING. */
  resume?(tick: Tick, node: TreeNode): Next
  /** A child has answered. */
  child?(tick: Tick, node: TreeNode, child: TreeNode, outcome: Outcome): Next
  /** An operation of the leaf has ended. Called when the node is ticked next. */
  settle?(tick: Tick, node: TreeNode, settled: Settled): Next
  /** Ticks a leaf whose operation is on its way. Default: it is RUNNING. */
  pending?(tick: Tick, node: TreeNode): Next
  /**
   * An operation has progressed; { restart } if it begins again, and what came before is void. Returns true if the tree should be ticked because
   * of it, as far as it reads texts while they grow, and `now` if it must be ticked.
   */
  part?(tick: Tick, node: TreeNode, delta: Json): boolean | 'now'
  /**
   * An event or a person interrupts the node, which is RUNNING; it acts on it with its next tick. Returns false if it is not to be interrupted.
   * Default: interruptions do not concern it.
   */
  interrupt?(tick: Tick, node: TreeNode, reason: string): boolean
  /** The node was RUNNING and is stopped. Its operations are dropped and its children halted by the tree. */
  halt?(tick: Tick, node: TreeNode): void
}
