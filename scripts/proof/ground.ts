/** The rules that truth and proof share: how a workflow starts, whose mistake a missing key is, how a board is read. */
import type { Json } from '../../packages/reflex/src/kernel/index.ts'
import type { BlackboardEntry, BlackboardReader, Edge, Node, Workflow } from '../../packages/reflex/src/kinds/workflow/types/index.ts'

/** A program: the workflow that is started, and those that it calls. */
export interface SmallProgram {
  readonly root: Workflow
  readonly others: readonly Workflow[]
  /** The values that a key is tried with. */
  readonly values: (workflow: Workflow, key: string) => readonly Json[]
}

/** A workflow that runs, and where. */
export interface Frame {
  readonly workflow: Workflow
  readonly node: string
  readonly board: ReadonlyMap<string, Json>
  readonly returned: boolean
}

/** What a decision does. */
export interface Choice {
  readonly edge: Edge | undefined
  readonly writes: readonly (readonly [string, Json])[]
}

/** The frames of a run, the one that runs last. */
export type State = readonly Frame[]

/** The name that the root has for a key, through the input maps of the calls between. */
export function nameInRoot(state: State, key: string): string {
  let name = key
  for (const { workflow, node } of state.slice(0, -1).reverse()) {
    name = workflow.nodes[node]?.invokes?.inputMap?.findLast(({ to }) => to === name)?.from ?? name
  }
  return name
}

/** The boards that a run may start with, by what the contracts of the root say (see `Sheet.initial`). */
export function startsOf({ root, others, values }: SmallProgram): ReadonlyMap<string, Json>[] {
  let starts: ReadonlyMap<string, Json>[] = [new Map()]
  for (const key of keysAskedFor(root, others)) {
    const rule = givenAs(root, key)
    if (rule === 'absent') continue
    const given = values(root, key)
    starts = starts.flatMap((start) => [...(rule === 'there' ? [] : [start]), ...given.map((value) => new Map([...start, [key, value]]))])
  }
  return starts
}

/** How a key of a workflow is given when it starts by itself. */
function givenAs(workflow: Workflow, key: string): 'there' | 'perhaps' | 'absent' {
  const inputs = Object.values(workflow.nodes).flatMap(({ inputs = [] }) => inputs)
  const own = inputs.filter((input) => input.key === key)
  const inherited = own.filter((input) => input.inherited === true)
  if (inherited.length > 0) return inherited.some(({ required }) => required) ? 'there' : 'perhaps'
  if (own.length > 0) return 'absent'
  const declares = inputs.some((input) => input.inherited === true)
  return declares && Object.values(workflow.nodes).some((node) => keysWritten(node).includes(key)) ? 'absent' : 'perhaps'
}

/** The rule for keys that a path leaves unwritten: of one that nothing before writes, only a contract can say that it is missing. */
export function concerns(root: Workflow, at: string, key: string, state: State): boolean {
  const before = new Set([at])
  for (const node of before) for (const { from, to } of root.edges) if (to === node) before.add(from)
  const inCall = state.length > 1
  const written = [...before].some((id) => {
    const node = root.nodes[id]
    if (node === undefined) return false
    if (id !== at) return keysWritten(node).includes(key)
    return !inCall && (node.invokes?.returnMap ?? []).some(({ parentKey }) => parentKey === key)
  })
  if (written || givenAs(root, key) === 'absent') return true
  if (!inCall) return false
  const child = state.at(-1)
  const declared =
    child?.workflow.nodes[child.node]?.inputs?.some((input) => input.key === key && input.required) === true &&
    givenAs(child.workflow, key) === 'absent'
  return declared && givenAs(root, key) !== 'there'
}

/** Every key that a node may write, by its contract, its call, or its spec. */
export function keysWritten({ outputs = [], invokes, spec }: Node): string[] {
  const specs = spec as {
    readonly writes?: string | object
    readonly template?: object
    readonly rules?: readonly { readonly writes?: object }[]
    readonly options?: readonly { readonly writes?: object }[]
  }
  return [
    ...outputs.map(({ key }) => key),
    ...(invokes?.returnMap ?? []).map(({ parentKey }) => parentKey),
    ...(typeof specs.writes === 'string' ? [specs.writes] : Object.keys(specs.writes ?? {})),
    ...Object.keys(specs.template ?? {}),
    ...[...(specs.rules ?? []), ...(specs.options ?? [])].flatMap(({ writes }) => Object.keys(writes ?? {})),
  ]
}

/** The keys that guards, contracts, specs and input maps ask for anywhere. */
function keysAskedFor(root: Workflow, others: readonly Workflow[]): Set<string> {
  return new Set(
    [root, ...others].flatMap(({ nodes, edges }) => [...edges.flatMap(keysOfGuard), ...Object.values(nodes).flatMap(keysOfNode)]),
  )
}

function keysOfGuard({ guard }: Edge): string[] {
  if (guard?.type !== 'cel') return guard !== undefined && 'key' in guard ? [guard.key] : []
  const words = guard.expr.replaceAll(/"[^"]*"/g, '').match(/[a-z_]+/g) ?? []
  return words.filter((word) => !WORDS.has(word))
}

function keysOfNode({ inputs = [], invokes, spec }: Node): string[] {
  const text = JSON.stringify(spec)
  const named = [...text.matchAll(/"(?:from|key)":"(\w+)"/g), ...text.matchAll(/\{\{[#^]?(\w+)/g)].flatMap(([, key]) => key ?? [])
  return [...inputs.map(({ key }) => key), ...(invokes?.inputMap ?? []).map(({ from }) => from), ...named]
}

const WORDS: ReadonlySet<string> = new Set(['has', 'board', 'true', 'false', 'null'])

/** The board of a run: own entries first, then those of the callers. */
export function reader(state: State): BlackboardReader {
  const boards = state.toReversed().map(({ board }) => board)
  const find = (key: string): ReadonlyMap<string, Json> | undefined => boards.find((board) => board.has(key))
  const entry = (key: string): BlackboardEntry => ({
    key,
    value: find(key)?.get(key),
    source: { workflowId: '', nodeId: '', stackDepth: 0 },
    timestamp: 0,
  })
  const keys = (): string[] => [...new Set(boards.flatMap((board) => [...board.keys()]))]
  return {
    get: (key) => find(key)?.get(key),
    has: (key) => find(key) !== undefined,
    getAll: (key) => (find(key) === undefined ? [] : [entry(key)]),
    entries: () => keys().map(entry),
    keys,
    local: () => [...(boards[0]?.keys() ?? [])].map(entry),
  }
}
