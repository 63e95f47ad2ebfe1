import type { Json, JsonObject } from '../../packages/reflex/src/kernel/index.ts'
import type { NodeSource, TreeSource } from '../../packages/reflex/src/kinds/tree/model/source.ts'
import type { SubjectProgram } from '../../packages/reflex/src/testing/index.ts'

type Nodes = readonly NodeSource[]

const n = (type: string, id: string, params: JsonObject = {}, children: Nodes = []): NodeSource => ({ type, id, params, children })
const pay = (id: string, params: JsonObject = {}): NodeSource => n('action', id, { fn: 'pay', args: { for: id }, ...params })
const count = (id: string, key: string): NodeSource => n('script', id, { code: `add ${key}` })
const when = (id: string, condition: string): NodeSource => n('condition', id, { condition })
/** Milliseconds: longer than any jump of a clock, which would end an operation of one trial and not of another. */
const NEVER = 3 * 365 * 86_400_000
const INTEGER = { type: 'int', default: 0 }

const tree = (id: string, rest: Omit<TreeSource, 'id' | 'format'>): SubjectProgram => ({
  kind: 'tree',
  id,
  source: { format: 1, id, ...rest } as unknown as Json,
})

/** Every kind of leaf once; models, tools, programs and people, two of them at the same time. */
export const LEAVES = tree('leaves', {
  board: { topic: { default: 'tides' }, n: INTEGER, draft: {}, found: {}, verdict: {}, made: {}, total: {}, paid: {} },
  root: n('sequence', 'all', {}, [
    pay('first'),
    count('add', 'n'),
    n('parallel', 'both', {}, [
      n('llm_call', 'write', { prompt: 'about ${bb.topic}', response_key: 'draft' }),
      n('tool', 'look', { tool: 'find', args: { topic: '${bb.topic}' }, output: 'found' }),
    ]),
    n('ask', 'good', { text: 'Is it good?', options: ['yes', 'no'], fail_on: ['no'], output: 'verdict' }),
    n('call', 'other', { program: 'pipeline:child', output: 'made' }),
    n('call', 'own', { program: 'tree:inner', args: { word: '${bb.topic}' }, export: { total: 'total' } }),
    n('subtree_ref', 'here', { tree_name: 'inner', bind: { word: 'topic' }, export: ['total'] }),
    n('action', 'late', { fn: 'late' }),
  ]),
})

export const INNER = tree('inner', {
  board: { word: {}, total: {} },
  contract: { outputs: { total: 'any' } },
  root: n('sequence', 'in', {}, [
    n('action', 'measure', { fn: 'measure' }),
    n('wait', 'rest', { wait_ms: 50 }),
    n('tool', 'look', { tool: 'find', args: { word: '${bb.word}' } }),
  ]),
})

/** What is tried again, ends too late, is repeated, or is left for something better. */
export const AGAIN = tree('again', {
  board: { tries: INTEGER, rounds: INTEGER, items: { default: ['x', 'y', 'z'] }, item: {}, i: {}, found: {}, paid: {} },
  root: n('sequence', 'all', {}, [
    n('retry', 'thrice', { max_retries: 3, backoff_ms: 2000 }, [
      n('sequence', 'try', {}, [count('add', 'tries'), when('enough', 'bb.tries > 2')]),
    ]),
    n('inverter', 'not', {}, [n('timeout', 'soon', { timeout_ms: 500 }, [n('ask', 'nobody', { text: 'late?' })])]),
    n('for_each', 'each', { collection_key: 'items', item_key: 'item', index_key: 'i' }, [
      n('sequence', 'one', {}, [pay('each_pay'), n('tool', 'find', { tool: 'find', args: { item: '${bb.item}' }, output: 'found' })]),
    ]),
    n('repeater', 'twice', { count: 2 }, [
      n('sequence', 'round', {}, [count('more', 'rounds'), n('delay', 'later', { delay_ms: 1000 }, [pay('round_pay')])]),
    ]),
    n('reactive_selector', 'better', {}, [
      n('sequence', 'ready', {}, [n('wait', 'soon_enough', { wait_ms: 700 }), when('always', 'bb.rounds == 2')]),
      n('ask', 'never', { text: 'late?' }),
    ]),
  ]),
})

/** Children that work at the same time: some win, some are halted, some fail, and what they wrote is merged. */
export const ABREAST = tree('abreast', {
  max_tick_duration_ms: NEVER,
  board: { found: {}, made: {}, paid: {}, n: INTEGER },
  root: n('sequence', 'all', {}, [
    n('parallel', 'race', { policy: 'require_n', n: 2, merge: { found: 'collect' } }, [
      n('tool', 'a', { tool: 'find', args: { q: 'a' }, output: 'found', timeout: NEVER }),
      n('sequence', 'b', {}, [n('tool', 'b1', { tool: 'find', args: { q: 'b' }, output: 'found', timeout: NEVER }), pay('b2')]),
      n('ask', 'nobody', { text: 'late?' }),
    ]),
    n('parallel', 'whole', { policy: 'require_one', on_child_fail: 'continue', max_concurrent: 2 }, [
      n('sequence', 'c', {}, [n('call', 'c1', { program: 'pipeline:child', output: 'made' }), n('fail', 'c2')]),
      n('sequence', 'd', {}, [n('wait', 'd1', { wait_ms: 4000 }), count('d2', 'n')]),
      pay('e'),
    ]),
  ]),
  on_failure: pay('sorry'),
})

/** Events, each of which is one execution, and a key that all trees share. */
export const EVENTS = tree('events', {
  board: { sum: INTEGER, seen: { global: true }, paid: {}, why: {} },
  root: n('selector', 'any', {}, [
    when('start', 'ctx.event == nil'),
    n('sequence', 'large', {}, [
      when('is_large', 'ctx.event.amount > 4'),
      n('run_once', 'once', {}, [pay('notify')]),
      n('set', 'share', { key: 'seen', expression: 'ctx.event.amount', global: true }),
      n('ask', 'sure', { text: 'Sure?', output: 'why' }),
    ]),
    n('cooldown', 'calm', { cooldown_ms: 1 }, [
      n('sequence', 'small', {}, [n('set', 'add', { key: 'sum', expression: 'bb.sum + ctx.event.amount' }), pay('book')]),
    ]),
  ]),
})

/** Ticks on a clock, until somebody closes it. */
export const CLOCK = tree('clock', {
  board: { ticks: INTEGER, paid: {} },
  tick_every: 60_000,
  root: n('sequence', 'tick', {}, [
    n('script', 'add', { code: 'add ticks', skip_if: 'bb.ticks >= 5' }),
    pay('third_pay', { skip_if: 'bb.ticks ~= 3' }),
    n('succeed', 'end'),
  ]),
})

/** Two versions of a tree. */
export const OLD = tree('version', {
  board: { v: {}, paid: {} },
  root: n('sequence', 'root', {}, [set('one', 1), pay('pay'), n('wait', 'nap', { wait_ms: 50 }), set('two', 2)]),
})
export const NEXT = tree('next', {
  board: { v: {}, paid: {} },
  root: n('sequence', 'root', {}, [set('three', 3), n('wait', 'nap', { wait_ms: 50 }), pay('pay'), set('four', 4)]),
})

function set(id: string, value: number): NodeSource {
  return n('set', id, { key: 'v', value })
}

export const CHILD: SubjectProgram = {
  kind: 'pipeline',
  id: 'child',
  source: {
    dot: `digraph child {
      start [shape=Mdiamond]
      pause [type="wait.timer", duration="3s"]
      pay [type=tool, tool_command="pay"]
      done [shape=Msquare]
      start -> pause -> pay -> done
    }`,
  },
}

export const CALLER: SubjectProgram = {
  kind: 'pipeline',
  id: 'caller',
  source: {
    dot: `digraph caller {
      start [shape=Mdiamond, context.word="x"]
      below [type="graph.invoke", program="tree:again"]
      done [shape=Msquare]
      start -> below -> done
    }`,
  },
}
