import { shortJson, checkArguments } from '../../../text/index.ts'
import { WORKFLOW } from './argument-forms.ts'
import type { AnyBoard, DefinedWorkflow, EdgeDefinition, NodeDefinition, TypesOf, WorkflowDefinition } from './define-types.ts'
import { faults } from './faults.ts'
import type { Edge, InvocationSpec, Node, Workflow } from '../types/index.ts'

/**
 * Creates a workflow from one object literal, with types: a wrong node id or board key is an error in the editor. Returns a
 * `Workflow` of the seed (seed workflow 2.1), accepted by the registry, `validate`, `serializeWorkflow` and `Reflex`.
 * The `id` of a node is its key; its `spec` is `{}` by default. An edge without an event gets `NEXT`, one without an id gets
 * `from:event`. Two edges with the same id are refused when the workflow is checked (`R1044`): give one of them an event.
 * `invokes` names a program, or takes a workflow object, which is registered with its caller. Throws `R1060` for a call of any
 * other value.
 */
export function workflow<
  const Board = AnyBoard,
  Calls = unknown,
  Outputs = unknown,
  From extends keyof Calls & string = keyof Calls & string,
  const EdgeId extends string = string,
  const Event extends string = string,
>(
  definition: WorkflowDefinition<Board, Calls, Outputs, From, EdgeId, Event>,
): DefinedWorkflow<TypesOf<Board, Outputs, From, EdgeId, Event>> {
  checkArguments('workflow', { definition: [definition, WORKFLOW] })
  const { id, entry, nodes, edges, ...rest } = definition as unknown as UntypedDefinition
  const called: Workflow[] = []
  const created = {
    id,
    entry,
    ...rest,
    nodes: Object.fromEntries(Object.entries(nodes).map(([key, node]) => [key, nodeOf(`${id}/${key}`, key, node, called)])),
    edges: edges.map(edgeOf),
  } as Workflow
  if (called.length > 0) callees.set(created, called)
  definitionSites.set(created, callSite())
  return created
}

/** A definition as this module reads it; the compiler has checked the rest. */
interface UntypedDefinition {
  readonly id: string
  readonly entry: string
  readonly nodes: Readonly<Record<string, NodeDefinition<string, unknown>>>
  readonly edges: readonly EdgeDefinition<string, string, AnyBoard>[]
}

function nodeOf(place: string, id: string, { invokes, spec = {}, ...rest }: NodeDefinition<string, unknown>, called: Workflow[]): Node {
  const node = { id, spec, ...rest } as Node
  if (invokes !== undefined) node.invokes = callOf(place, invokes, called)
  return node
}

function callOf(place: string, call: NonNullable<NodeDefinition<string, unknown>['invokes']>, called: Workflow[]): InvocationSpec {
  const { workflow: callee, returnMap = [], ...rest } = call
  // If two modules import each other, one of them is still undefined here.
  const target = callee as Workflow | string | undefined
  if (typeof target === 'object' && target !== null && typeof target.id === 'string') called.push(target)
  else if (typeof target !== 'string') {
    throw faults.make('R1060', `${place} invokes ${shortJson(target)}, which is not a workflow`, {
      path: place,
      fix: 'pass the workflow object, or its id',
    })
  }
  const workflowId = typeof target === 'string' ? target : target.id
  return { workflowId, returnMap: [...returnMap], ...rest } as InvocationSpec
}

function edgeOf({ id, from, to, event = 'NEXT', guard, ...rest }: EdgeDefinition<string, string, AnyBoard>): Edge {
  return { id: id ?? `${from}:${event}`, from, to, event, ...(guard === undefined ? {} : { guard }), ...rest }
}

const definitionSites = new WeakMap<Workflow, DefinitionSite | undefined>()

/** The place in the source at which a workflow was written. */
export interface DefinitionSite {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** Returns the place of the call of `workflow` that created a workflow; undefined if it was created otherwise or the place is unknown. */
export function definitionSite(workflow: Workflow): DefinitionSite | undefined {
  return definitionSites.get(workflow)
}

/** Returns the caller of `workflow`, read from a stack trace of V8: two frames above this one. */
function callSite(): DefinitionSite | undefined {
  const frame = new Error('here').stack?.split('\n')[3] ?? ''
  const place = frame.slice(Math.max(frame.lastIndexOf('('), frame.lastIndexOf(' ')) + 1).replace(')', '')
  const [column, line, ...rest] = place.split(':').reverse()
  const url = rest.reverse().join(':')
  if (url === '' || !/^\d+$/.test(line ?? '')) return undefined
  const file = url.startsWith('file://') ? decodeURIComponent(new URL(url).pathname) : url
  return { file, line: Number(line), column: Number(column) }
}

const callees = new WeakMap<Workflow, readonly Workflow[]>()

/** Lets a copy of a workflow call the objects that the workflow calls. */
export function copyCallees(workflow: Workflow, copy: Workflow): void {
  const called = callees.get(workflow)
  if (called !== undefined) callees.set(copy, called)
}

/**
 * Returns the workflow objects that a workflow calls, and those that they call, callees before callers. A workflow that
 * `workflow` did not create calls by name only, so it has none.
 */
export function calledWorkflows(caller: Workflow): readonly Workflow[] {
  const found = new Set<Workflow>()
  const visit = (workflow: Workflow): void => {
    for (const callee of callees.get(workflow) ?? []) {
      if (found.has(callee)) continue
      visit(callee)
      found.add(callee)
    }
  }
  visit(caller)
  return [...found]
}
