import { findRecord } from '../runs/find-run.ts'
import {
  type Frame,
  isList,
  isObject,
  type Json,
  type JsonObject,
  keptRecords,
  type Kind,
  type Program,
  readPart,
  type Rec,
  type State,
  topOf,
} from '../kernel/index.ts'
import type { Graph, GraphEdge } from '../programs/graph.ts'
import { type EdgeState, graphOf, type NodeState, type Picture, pictureOf, type RunStates } from './picture.ts'
import type { TraceWorld } from '../history/trace-of.ts'
import { definitionFinder, type KindView, type PictureLine } from '../programs/kind-view.ts'
import type { ViewedPrograms } from '../programs/kinds.ts'

/** The programs on the stack of a run after a record, outermost first, with the states of their nodes and edges. */
export interface RunPictures {
  readonly run: string
  readonly at: number
  readonly last: number
  readonly status: string
  readonly pictures: readonly Picture[]
}

/** The observed history of one frame. */
interface FrameHistory {
  readonly program: Program
  readonly kind: Kind
  readonly view: KindView
  readonly graph: Graph
  /** The graph with which the frame began, and the changes since. */
  readonly first: Graph
  readonly changes: readonly string[]
  readonly leaving: ReadonlyMap<string, readonly GraphEdge[]>
  readonly nodes: Set<string>
  /** The nodes whose last execution failed, also if the run continued from there. */
  readonly failed: Set<string>
  readonly taken: Set<string>
  readonly open: Set<string>
  readonly closed: Map<string, string | undefined>
}

/**
 * Returns the pictures of the programs on a run's stack, from its journal until record `until`. It reads the journal
 * and performs nothing. Throws `R2016` if there is no such run and `R2021` if it has no such record.
 */
export async function picturesOfRun(world: TraceWorld, ref: string, until: number | undefined): Promise<RunPictures> {
  const { id, last, status } = await findRecord(world.store, ref, until)
  const at = until ?? last
  // After it, the programs of all pins are known.
  await world.runtime.peek(id, at)
  const part = await readPart(world.store, id, (await keptRecords(world.store, id)).first, at)
  const state = part.opening()
  const definitions = world.programsOf(state)
  const seen = new Map<Frame, FrameHistory>()
  for await (const [, record] of part.records()) {
    follow(state, record, definitions, seen)
    state.droppedEffects.length = 0
  }
  const stack: Frame[] = []
  for (let frame: Frame | undefined = topOf(state.root); frame !== undefined; frame = frame.link?.caller) stack.unshift(frame)
  return {
    run: id,
    at,
    last,
    status: at === last ? status : state.ended === undefined ? 'running' : status,
    pictures: stack.flatMap((frame) => {
      const one = seen.get(frame)
      if (one === undefined) return []
      const standing = [...new Set([frame, ...state.frames.values()])].filter((each) => picturedFrame(each, definitions) === frame)
      return [pictureOf(one.program.name, one.graph, statesOf(one, standing, state, definitions), one.changes)]
    }),
  }
}

/** Applies a record, and adds to the history of its frame: nodes, and edges that were taken, open or closed. */
function follow(state: State, record: Rec, definitions: ViewedPrograms, seen: Map<Frame, FrameHistory>): void {
  const known = state.frames.get(record.frame)
  const before = known?.position
  state.apply(record)
  const frame = known ?? state.frames.get(record.frame)
  if (frame === undefined) return
  const owner = picturedFrame(frame, definitions)
  const one = historyOf(owner, seen.get(owner), definitions)
  seen.set(owner, one)
  const { def } = definitions.program(frame.pin)
  const [from, to] = [one.kind.node?.(def, before), one.kind.node?.(def, frame.position)]
  if (to !== undefined) one.nodes.add(to)
  const events =
    one.view.story?.({ n: state.n, at: state.time, record, state, frame, def, before }, definitionFinder(state, definitions)) ?? []
  for (const { mark, node, facts = {} } of events) {
    choose(one, facts)
    if (node === undefined) continue
    if (mark === 'fail') one.failed.add(node)
    else if (mark === 'done' || mark === 'decide') one.failed.delete(node)
  }
  // A node with a single edge records no decision.
  const [only, another] = from === undefined || from === to ? [] : (one.leaving.get(from) ?? [])
  if (only !== undefined && another === undefined && only.to === to) one.taken.add(only.id)
}

/**
 * Returns the frame whose picture shows another frame: a strand walks a part of the program of the frame that spawned
 * it.
 */
function picturedFrame(frame: Frame, definitions: ViewedPrograms): Frame {
  const nameOf = ({ pin }: Frame): string => definitions.program(pin).name
  let owner = frame
  while (owner.link?.role === 'strand' && nameOf(owner) === nameOf(owner.link.caller)) owner = owner.link.caller
  return owner
}

/**
 * Adds the decision of an event: `edge`, `open`, and `closed` as pairs of an edge and its reason. If edges have names
 * for people, their ids are in `ids`.
 */
function choose({ taken, open, closed }: FrameHistory, events: JsonObject): void {
  const facts = isObject(events['ids']) ? events['ids'] : events
  if (typeof facts['edge'] === 'string') taken.add(facts['edge'])
  for (const edge of listOf(facts['open'])) if (typeof edge === 'string') open.add(edge)
  for (const pair of listOf(facts['closed'])) {
    const [edge, why] = listOf(pair)
    if (typeof edge === 'string') closed.set(edge, typeof why === 'string' && why !== '' ? why : undefined)
  }
}

/**
 * Returns the history of a frame, in its current program: a run may have changed the program with which the frame
 * began.
 */
function historyOf(frame: Frame, before: FrameHistory | undefined, definitions: ViewedPrograms): FrameHistory {
  const program = definitions.program(frame.pin)
  if (before?.program === program) return before
  const kind = definitions.kind(program.kind)
  const view = definitions.view(program.kind)
  const graph = graphOf(program.kind, view, program.def)
  const leaving = Map.groupBy(graph.edges, ({ from }) => from)
  if (before !== undefined) return { ...before, program, graph, leaving, changes: changesOf(before.first, graph) }
  return {
    program,
    kind,
    view,
    graph,
    first: graph,
    changes: [],
    leaving,
    nodes: new Set(),
    failed: new Set(),
    taken: new Set(),
    open: new Set(),
    closed: new Map(),
  }
}

/** Returns the changes that a run made to its program: `+check`, `-build->ship`. */
function changesOf(first: Graph, now: Graph): string[] {
  const names = ({ nodes, edges }: Graph): string[] => [...nodes, ...edges].map(({ id }) => id)
  const [before, after] = [new Set(names(first)), new Set(names(now))]
  return [
    ...names(now)
      .filter((id) => !before.has(id))
      .map((id) => `+${id}`),
    ...names(first)
      .filter((id) => !after.has(id))
      .map((id) => `-${id}`),
  ]
}

function listOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : []
}

/**
 * Returns the states of a picture. `frames` are the frames that the picture shows; the frame of the program itself
 * comes first.
 */
function statesOf(history: FrameHistory, frames: readonly Frame[], state: State, definitions: ViewedPrograms): RunStates {
  const { program, kind, view, ...seen } = history
  const [first] = frames
  if (view.picture !== undefined && first !== undefined) {
    const facts = { now: state.time, definition: definitionFinder(state, definitions) }
    return picturedStates(history.graph, view.picture(program.def, first, facts))
  }
  const nodes = new Map<string, NodeState>([...seen.nodes].map((id) => [id, seen.failed.has(id) ? 'failed' : 'passed']))
  const edges = new Map<string, { standing: EdgeState; why?: string | undefined }>()
  for (const id of seen.open) edges.set(id, { standing: 'open' })
  for (const [id, why] of seen.closed) edges.set(id, { standing: 'closed', why })
  for (const frame of frames) {
    const nodeId = kind.node?.(program.def, frame.position)
    if (nodeId === undefined) continue
    if (state.ended !== undefined) {
      if (state.ended.status === 'failed') nodes.set(nodeId, 'failed')
      continue
    }
    nodes.set(nodeId, stateAt(frame))
    if (frame.callee !== undefined || (frame.strands?.size ?? 0) > 0) continue
    for (const { id, open, why } of view.edges?.(program.def, frame) ?? [])
      edges.set(id, { standing: open ? 'open' : 'closed', why: open ? undefined : why })
  }
  for (const id of seen.taken) edges.set(id, { standing: 'taken' })
  return { nodes, edges }
}

const STATES = { done: 'passed', failed: 'failed', running: 'running', waits: 'waits' } as const

/** Returns the states of a program that is at several nodes at once. An edge is taken if its node was ticked. */
function picturedStates({ edges }: Graph, lines: readonly PictureLine[]): RunStates {
  const nodes = new Map(lines.flatMap(({ path, mark }): [string, NodeState][] => (mark === 'open' ? [] : [[path, STATES[mark]]])))
  return { nodes, edges: new Map(edges.flatMap(({ id, to }) => (nodes.has(to) ? [[id, { standing: 'taken' as const }]] : []))) }
}

/** Returns the state of the node at which a frame stands. A wait that reports a fault is a failure, whatever its type. */
function stateAt({ waits = [], callee }: Frame): NodeState {
  const [wait] = callee === undefined ? waits : []
  if (wait === undefined) return 'running'
  if (isObject(wait.about) && wait.about['fault'] !== undefined) return 'failed'
  return wait.type === 'answer' ? 'asks' : 'waits'
}
