import {
  type Decision,
  type DecisionContext,
  type Edge,
  type EngineOptions,
  type Guard,
  type Node,
  type ReflexEngine,
  type RunnableAgent,
  type StackFrame,
  type BlackboardEntry,
  type Workflow,
  createEngine,
  createRegistry,
  type WorkflowRegistry,
} from '../../../../src/kinds/workflow/index.ts'

type NodeParts = Partial<Node> & { readonly calls?: string; readonly map?: Readonly<Record<string, string>> }
type EdgeParts = readonly [from: string, to: string, guard?: Guard]

/** A workflow whose first node is the entry; edges are named `from-to`. `map` is parent key to child key. */
export function flow(id: string, nodes: Readonly<Record<string, NodeParts>>, edges: readonly EdgeParts[]): Workflow {
  const made = Object.entries(nodes).map(([node, { calls, map, ...rest }]): [string, Node] => {
    const returnMap = Object.entries(map ?? {}).map(([parentKey, childKey]) => ({ parentKey, childKey }))
    return [node, { id: node, spec: {}, ...(calls === undefined ? {} : { invokes: { workflowId: calls, returnMap } }), ...rest }]
  })
  return {
    id,
    entry: Object.keys(nodes)[0] ?? '',
    nodes: Object.fromEntries(made),
    edges: edges.map(
      ([from, to, guard]): Edge => ({ id: `${from}-${to}`, from, to, event: 'NEXT', ...(guard === undefined ? {} : { guard }) }),
    ),
  }
}

export function registryOf(...workflows: Workflow[]): WorkflowRegistry {
  const registry = createRegistry({ warn: () => undefined })
  for (const workflow of workflows) registry.register(workflow)
  return registry
}

type Answer = unknown
export type Script = Readonly<Record<string, (context: DecisionContext) => Answer>>

/** Goes on over the first open edge, or completes. */
export function onward({ validEdges }: DecisionContext, writes: Readonly<Record<string, unknown>> = {}): Decision {
  const list = Object.entries(writes).map(([key, value]) => ({ key, value }))
  const [edge] = validEdges
  return edge === undefined ? { type: 'complete', writes: list } : { type: 'advance', edge: edge.id, writes: list }
}

/** An agent by `workflow/node` or `node`; everywhere else it goes onward. What an entry returns is answered as it is. */
export function agentOf(script: Script = {}): RunnableAgent & { readonly asked: DecisionContext[] } {
  const asked: DecisionContext[] = []
  return {
    asked,
    resolve(context) {
      asked.push(context)
      const act = script[`${context.workflow.id}/${context.node.id}`] ?? script[context.node.id] ?? ((it: DecisionContext) => onward(it))
      return act(context) as Promise<Decision>
    },
  }
}

/** Writes at a node and goes onward. */
export function writing(writes: Readonly<Record<string, unknown>>): (context: DecisionContext) => Promise<Decision> {
  return async (context) => onward(context, writes)
}

/** Suspends until it is given input, writes that under a key and goes on. */
export function asking(key: string, reason = 'input'): (context: DecisionContext) => Promise<Decision> {
  return async (context) => (context.input === undefined ? { type: 'suspend', reason } : onward(context, { [key]: context.input }))
}

export function engineOf(workflows: readonly Workflow[], agent: RunnableAgent = agentOf(), options: EngineOptions = {}): ReflexEngine {
  return createEngine(registryOf(...workflows), agent, options)
}

function entryText({ key, value, source }: BlackboardEntry): string {
  return `${key}=${JSON.stringify(value)} ${source.workflowId}/${source.nodeId}@${source.stackDepth}`
}

export function boardText(entries: readonly BlackboardEntry[]): string {
  return entries.map(entryText).join(', ')
}

export function stackText(stack: readonly StackFrame[]): string {
  return stack.map(({ workflowId, currentNodeId, blackboard }) => `${workflowId}/${currentNodeId}(${boardText(blackboard)})`).join(' < ')
}

/** What every event was, in one line each. */
export function log(engine: ReflexEngine, extra: (engine: ReflexEngine) => string = () => ''): string[] {
  const lines: string[] = []
  const on = (line: string) => lines.push(line + extra(engine))
  engine.on('engine:init', ({ workflow }) => on(`init ${workflow.id}`))
  engine.on('node:enter', ({ node, workflow }) => on(`enter ${workflow.id}/${node.id}`))
  engine.on('node:exit', ({ node, workflow }) => on(`exit ${workflow.id}/${node.id}`))
  engine.on('edge:traverse', ({ edge, workflow }) => on(`edge ${workflow.id}/${edge.id}`))
  engine.on('blackboard:write', ({ entries, workflow }) => on(`write ${workflow.id}: ${boardText(entries)}`))
  engine.on('workflow:push', ({ frame, workflow }) => on(`push ${workflow.id} on ${stackText([frame])}`))
  engine.on('workflow:pop', ({ frame, workflow }) => on(`pop to ${workflow.id} ${stackText([frame])}`))
  engine.on('stack:unwind', (event) =>
    on(
      `unwind to ${event.targetDepth} ${event.restoredWorkflow.id}/${event.restoredNode.id}${event.reinvoke ? ' again' : ''}: ${stackText(event.discardedFrames)}`,
    ),
  )
  engine.on('execution:record', ({ record }) =>
    on(`record ${record.parentWorkflowId}/${record.parentNodeId} > ${record.childWorkflowId} ${record.status}`),
  )
  engine.on('execution:invalidate', ({ invalidatedIds }) => on(`invalidate ${invalidatedIds.length}`))
  engine.on('engine:complete', ({ workflow }) => on(`complete ${workflow.id}`))
  engine.on('engine:suspend', ({ reason, nodeId }) => on(`suspend ${nodeId}: ${reason}`))
  engine.on('engine:error', ({ error, nodeId }) => on(`error ${nodeId}: ${error instanceof Error ? error.message : typeof error}`))
  return lines
}

/** Steps until the engine no longer runs; gives what each step did. */
export async function stepAll(engine: ReflexEngine): Promise<string[]> {
  const steps: string[] = []
  while (engine.status() === 'running') {
    const result = await engine.step()
    const place =
      'node' in result
        ? ` ${'workflow' in result ? `${result.workflow.id}/` : ''}${result.node.id}`
        : 'reason' in result
          ? ` ${result.reason}`
          : ''
    steps.push(result.status + place)
  }
  return steps
}

/** What a caught rejection or exception was. */
export async function caught(act: () => unknown): Promise<unknown> {
  try {
    await act()
  } catch (thrown) {
    return thrown
  }
  throw new Error('nothing was thrown')
}

export async function messageOf(act: () => unknown): Promise<string> {
  const thrown = await caught(act)
  if (thrown instanceof Error) return `${thrown.name}: ${thrown.message}`
  throw new TypeError('no error was thrown')
}

/** A promise and the hands that settle it. */
export function deferred<Value>(): { readonly promise: Promise<Value>; resolve(value: Value): void; reject(error: unknown): void } {
  return Promise.withResolvers<Value>()
}
