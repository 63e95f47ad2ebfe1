import { describe, test } from 'vitest'
import { isList, type Json, type Run } from '../../../../src/kernel/index.ts'
import { programHash } from '../../../../src/kernel/step/program.ts'
import { NODES } from '../../../../src/kinds/tree/nodes/table.ts'
import { PAUSED_AT } from '../../../../src/kinds/tree/tick/debug-words.ts'
import { treeKind } from '../../../../src/kinds/tree/tick/kind.ts'
import { OPEN_AT } from '../../../../src/kinds/tree/tick/tree-state.ts'
import { kindSuite, type KindSubject } from '../../../../src/testing/index.ts'
import { n } from '../tick/tree-world.ts'

const set = (id: string, value: number): ReturnType<typeof n> => n('set', { id, key: 'v', value })
const nap = n('wait', { id: 'nap', wait_ms: 50 })
const source = (id: string, ...children: ReturnType<typeof n>[]): Json =>
  ({ format: 1, id, board: { v: { type: 'any' } }, root: n('sequence', { id: 'root' }, children) }) as unknown as Json
const old = source('main', set('one', 1), nap, set('two', 2))
const fresh = source('next', set('three', 3), nap, set('four', 4))

/** A run that is stopped at a node, stepped and reloaded, in the way of its messages. */
function subject(name: string, commands: readonly Json[]): KindSubject {
  return {
    name,
    kinds: [treeKind({ nodes: new Map(NODES.map((manifest) => [manifest.type, manifest])) })],
    programs: [
      { kind: 'tree', id: 'main', source: old },
      { kind: 'tree', id: 'next', source: fresh },
    ],
    args: { _stays: true },
    times: ['_debug', '_reload'],
    script: {
      drive: goOn,
      messages: [...commands.map((body) => ({ topic: 'debug', body })), { topic: 'event', body: 'go' }, { topic: 'close', body: null }],
    },
  }
}

/** Steps a tree that has stopped before a node. */
async function goOn(run: Run): Promise<boolean> {
  for (const { id, position } of run.state.frames.values()) {
    const open = isList(position) ? position[OPEN_AT] : undefined
    if (!isList(open) || open[1] !== PAUSED_AT) continue
    await run.command(id, 'step')
    return true
  }
  return false
}

const reload = (policy: string): Json => ({ do: 'reload', reload: { hash: programHash('tree', fresh), policy } })

describe.each([
  subject('a tree that is reloaded at its end', [reload('let_finish_then_swap')]),
  subject('a tree that is cancelled and reloaded', [reload('cancel_and_restart')]),
  subject('a tree that is debugged', ['break one', 'break two']),
])('$name', (each) => {
  for (const { name, run } of kindSuite(each)) test(name, run)
})
