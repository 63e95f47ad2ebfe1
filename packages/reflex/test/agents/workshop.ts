import { expect } from 'vitest'
import { isFault, type Fault } from '../../src/kernel/index.ts'
import { filterEdges } from '../../src/kinds/workflow/guards/guards.ts'
import type {
  BlackboardEntry,
  BlackboardReader,
  BlackboardWrite,
  Decision,
  DecisionContext,
  Edge,
  Guard,
  NodeSpec,
  Workflow,
} from '../../src/kinds/workflow/types/index.ts'

/** A board of one scope. */
export function board(values: Readonly<Record<string, unknown>>): BlackboardReader {
  const entries: BlackboardEntry[] = Object.entries(values).map(([key, value]) => ({
    key,
    value,
    source: { workflowId: 'w', nodeId: 'x', stackDepth: 0 },
    timestamp: 0,
  }))
  return {
    get: (key) => entries.findLast((entry) => entry.key === key)?.value,
    has: (key) => entries.some((entry) => entry.key === key),
    getAll: (key) => entries.filter((entry) => entry.key === key),
    entries: () => entries,
    keys: () => entries.map(({ key }) => key),
    local: () => entries,
  }
}

/** An edge as a test writes it: `YES>pay`, or with a guard. */
export type Way = string | readonly [way: string, guard: Guard]

export interface Setting {
  readonly edges?: readonly Way[]
  readonly board?: Readonly<Record<string, unknown>>
  readonly input?: unknown
  readonly metadata?: Record<string, unknown>
  readonly description?: string
}

/** What an agent sees at the node `n` of the workflow `w`. */
export function at(spec: NodeSpec, setting: Setting = {}): DecisionContext {
  const edges = (setting.edges ?? []).map((way, i): Edge => {
    const [text, guard] = typeof way === 'string' ? [way] : way
    const [event = '', to = ''] = text.split('>')
    return { id: `e${i + 1}`, from: 'n', to, event, ...(guard === undefined ? {} : { guard }) }
  })
  const node = { id: 'n', spec, ...(setting.description === undefined ? {} : { description: setting.description }) }
  const targets = edges.map(({ to }) => [to, { id: to, spec: {}, description: `about ${to}` }] as const)
  const workflow: Workflow = {
    id: 'w',
    entry: 'n',
    nodes: { n: node, ...Object.fromEntries(targets) },
    edges,
    ...(setting.metadata === undefined ? {} : { metadata: setting.metadata }),
  }
  const blackboard = board(setting.board ?? {})
  const sorted = filterEdges(edges, blackboard)
  if (!sorted.ok) throw sorted.error
  return {
    workflow,
    node,
    blackboard,
    validEdges: sorted.open,
    stack: [],
    ...(setting.input === undefined ? {} : { input: setting.input }),
  }
}

/** The writes of a decision as one object. */
export function written(decision: Decision): Record<string, unknown> {
  return Object.fromEntries((decision.writes ?? []).map(({ key, value }: BlackboardWrite) => [key, value]))
}

/** The fault that something throws. */
export async function refusal(work: () => unknown): Promise<Fault> {
  try {
    await work()
  } catch (thrown) {
    if (isFault(thrown)) return thrown
    throw thrown
  }
  throw new Error('nothing was refused')
}

export const containing = (text: string): unknown => expect.stringContaining(text)
