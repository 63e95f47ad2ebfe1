import type { Json } from '../../src/kernel/index.ts'
import type { RunRead } from '../../src/learn/shapes/call-sequence.ts'
import { operationShape, type ToolShapes } from '../../src/learn/shapes/operation-shape.ts'
import type { StoredShape } from '../../src/learn/shapes/update-shapes.ts'

/** A call of a test log. */
export interface LoggedCall {
  readonly tool: string
  readonly args?: Json
  readonly result?: Json
  readonly ok?: 0 | 1 | 2
  /** True if the reply that issued the call before it issued this one, too. */
  readonly sameReply?: boolean
  readonly cost?: number
}

/** What a test run has besides its calls. */
export interface LoggedFacts {
  readonly text?: string
  readonly board?: Readonly<Record<string, Json>>
  readonly labels?: Readonly<Record<string, string>>
  readonly succeeded?: boolean
  readonly usd?: number
  readonly started?: number
  readonly final?: string
}

/** `term.exec` takes a command line in `cmd`. */
export const toolFacts: ToolShapes = (tool) => (tool === 'term.exec' ? { commandLine: 'cmd' } : undefined)

/** Returns a run of one strand as a miner reads it. */
export function logged(run: string, calls: readonly LoggedCall[], facts: LoggedFacts = {}): RunRead {
  const {
    text = '',
    board = {},
    labels = {},
    succeeded = true,
    usd = 0.004,
    started = Number(/\d+/.exec(run)?.[0] ?? 0),
    final = '',
  } = facts
  let reply = -1
  const group = calls.map(({ sameReply }) => (sameReply === true ? reply : ++reply))
  const sequence = {
    strand: '0',
    symbols: calls.map(({ tool, args = null }) => operationShape(tool, args, toolFacts(tool))),
    ok: calls.map(({ ok = 1 }) => ok),
    group,
    cost: calls.map(({ cost = 0 }) => cost),
    ms: calls.map(() => 100),
    record: calls.map((_, i) => 2 + i),
    leaves: calls.map((_, i) => i),
    replies: Array.from({ length: reply + 1 }, () => ({ usd, tokens: 500, ms: 900 })),
    texts: text === '' ? [] : [[0, text] as const],
    facts: Object.entries(board).map(([path, value]) => [0, path, value] as const),
  }
  const shape = { run, last: 2 + calls.length, started, succeeded, labels, sequences: calls.length === 0 ? [] : [sequence], final }
  return { shape, leaves: calls.map(({ tool, args = null, result = null }) => ({ tool, args, result })) }
}

/** Returns runs as stored shapes. */
export function stored(runs: readonly RunRead[]): readonly StoredShape[] {
  return runs.map((read) => ({ shape: read.shape, read: () => Promise.resolve(read) }))
}
