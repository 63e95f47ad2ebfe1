import { describe, it } from 'vitest'
import type { Json, JsonObject } from '../../../../src/kernel/index.ts'
import { ledgerPort } from '../../../../src/kernel/index.ts'
import { RunStatus } from '../../../../src/kinds/tree/model/run-status.ts'
import type { NodeSource, TreeSource } from '../../../../src/kinds/tree/model/source.ts'
import { NODES } from '../../../../src/kinds/tree/nodes/table.ts'
import { type FunctionRegistry, functionPort } from '../../../../src/kinds/tree/tick/function-port.ts'
import { treeKind } from '../../../../src/kinds/tree/tick/kind.ts'
import { type KindSubject, kindSuite } from '../../../../src/testing/index.ts'
import { flow } from '../../../kernel/probes/flow.ts'
import { n } from './tree-world.ts'

/** Functions whose answers depend only on the board. */
const FUNCTIONS: FunctionRegistry = {
  // It succeeds at its third call, and counts them on the board.
  third: ({ blackboard }) => {
    const count = Number(blackboard.get('count') ?? 0) + 1
    blackboard.set('count', count)
    if (count === 1) return { status: 'FAILURE', reason: 'the first call' }
    return count === 2 ? 'RUNNING' : 'SUCCESS'
  },
  note: ({ blackboard }) => {
    blackboard.set('notes', [...((blackboard.get('notes') ?? []) as readonly Json[]), blackboard.get('item') ?? null])
    return 'SUCCESS'
  },
  later: async ({ blackboard, nodeId }) => {
    for (let turn = 0; turn < 30; turn++) await Promise.resolve()
    blackboard.set('found', nodeId)
    return RunStatus.SUCCESS
  },
  // A message can come again after its segment was sealed: the count ends at 3, and the events are equal.
  tally: ({ blackboard }) => {
    blackboard.set('count', Math.min(3, Number(blackboard.get('count') ?? 0) + 1))
    return 'SUCCESS'
  },
}

const treeSubject = (
  name: string,
  root: NodeSource,
  more: Omit<Partial<TreeSource>, 'events'> & { readonly args?: JsonObject; readonly stays?: true; readonly events?: readonly Json[] } = {},
): KindSubject => {
  const { args = {}, stays, events = [], ...source } = more
  const board = { count: {}, notes: {}, found: {}, item: {}, hosts: {}, word: {}, ...source.board }
  const tree = (of: NodeSource): Json => ({ format: 1, id: name, root: of, ...source, board }) as unknown as Json
  return {
    name,
    kinds: [treeKind({ nodes: new Map(NODES.map((manifest) => [manifest.type, manifest])) }), flow],
    programs: [
      { kind: 'tree', id: name, source: tree(root) },
      { kind: 'flow', id: 'inner', source: { entry: 'a', nodes: { a: { next: 'b' }, b: { person: true } } } },
    ],
    args: stays === true ? { ...args, _stays: true } : args,
    ports: (store, host) => ({ function: functionPort(FUNCTIONS, {}), ledger: ledgerPort(store, host) }),
    times: ['timestamp', 'first', 'last'],
    script: {
      answer: () => 'yes',
      messages: [...events.map((body) => ({ topic: 'event', body })), ...(stays === true ? [{ topic: 'close', body: null }] : [])],
    },
    calling: (callee) => tree(n('call', { id: 'called', program: callee, output: 'word' })),
  }
}

const act = (id: string, fn: string): NodeSource => n('action', { id, fn })

const SUBJECTS: readonly KindSubject[] = [
  treeSubject(
    'actions with retry',
    n('sequence', { id: 'all' }, [
      n('retry', { id: 'again', max_retries: 2 }, [act('third', 'third')]),
      n('wait', { id: 'pause', wait_ms: 50 }),
      n('timeout', { id: 'limit', timeout_ms: 5_000 }, [act('later', 'later')]),
    ]),
  ),
  treeSubject(
    'parallel with scopes',
    n('parallel', { id: 'both', merge_strategy: 'collect' }, [
      n('sequence', { id: 'left' }, [n('delay', { id: 'slow', delay_ms: 20 }, [act('a', 'later')]), act('a2', 'note')]),
      n('sequence', { id: 'right' }, [act('b', 'later'), n('set', { id: 'shared', key: 'word', expression: 'bb.found', global: true })]),
      n('retry', { id: 'counted', max_retries: 3 }, [act('c', 'third')]),
    ]),
  ),
  treeSubject(
    'for each item',
    n('for_each', { id: 'each', collection_key: 'hosts', item_key: 'item' }, [
      n('sequence', { id: 'body' }, [act('note', 'note'), act('work', 'later')]),
    ]),
    { args: { hosts: ['a', 'b', 'c'] } },
  ),
  treeSubject(
    'reactive with events',
    n('reactive_sequence', { id: 'react' }, [
      act('tally', 'tally'),
      n('reactive_selector', { id: 'either' }, [
        n('guard', { id: 'early', condition: 'bb.count < 3' }, [n('wait', { id: 'left', wait_ms: 9e6 })]),
        n('wait', { id: 'rest', wait_ms: 3.6e6 }),
      ]),
    ]),
    { stays: true, events: ['go', 'go', 'go'] },
  ),
  treeSubject(
    'by the clock',
    n('reactive_sequence', { id: 'watch' }, [
      n('condition', { id: 'quiet', condition: 'not bb.found' }),
      n('sequence', { id: 'then' }, [
        n('parallel', { id: 'two' }, [n('fail', { id: 'no', skip_if: 'true' }), n('wait', { id: 'rest', wait_ms: 5_000 })]),
        n('run_once', { id: 'once' }, [act('work', 'later')]),
      ]),
    ]),
    { stays: true, tick_every: 700 },
  ),
]

// The suite compares the folded state with the live one at every record.
// proves: tree 117
for (const subject of SUBJECTS) {
  describe(`a tree keeps the promises of a kind: ${subject.name}`, () => {
    for (const { name, run } of kindSuite(subject)) it(name, { timeout: 120_000 }, run)
  })
}
