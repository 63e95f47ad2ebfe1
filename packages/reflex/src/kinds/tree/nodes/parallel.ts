import { FAILURE, type Next, type Outcome, RUNNING, SKIPPED, SUCCESS, type Tick, type TreeNode } from '../manifest/behaviour.ts'
import { defineNode, MANY, type Outcomes } from '../manifest/manifest.ts'
import { finish, strategiesOf } from './parallel-merge.ts'

export const STRATEGIES = { last_wins: [], first_wins: [], collect: [], merge_dict: [], fail: ['fail_on_conflict'] }

export const parallel = defineNode({
  type: 'parallel',
  role: 'composite',
  children: [1, MANY],
  lua: { shapes: [['config', 'children'], ['children'], ['children', 'config'], ['config']] },
  xml: { Parallel: { policy: 'require_n' }, ParallelAll: { policy: 'require_all' } },
  parameters: [
    {
      name: 'policy',
      type: 'enum',
      default: 'require_all',
      values: { require_all: ['wait_all', 'all'], require_one: ['any'], require_n: [] },
      doc: 'How many children must succeed.',
    },
    {
      name: 'n',
      type: 'count',
      least: 1,
      aliases: ['required_successes'],
      xml: 'success_count',
      doc: 'The successes that require_n asks for.',
    },
    {
      name: 'merge_strategy',
      type: 'enum',
      default: 'collect',
      values: STRATEGIES,
      aliases: ['merge'],
      doc: 'What becomes of a key that several children wrote.',
    },
    { name: 'per_key_strategies', type: 'map', values: STRATEGIES, aliases: ['merge'], doc: 'The strategy of single keys.' },
    {
      name: 'on_child_fail',
      type: 'enum',
      default: 'cancel-siblings',
      values: { 'cancel-siblings': [], continue: [], retry: [] },
      doc: 'What happens to children that are still RUNNING when the policy is decided; retry ticks a failed child again first.',
    },
    { name: 'memory', type: 'flag', default: true, doc: 'False: children that have ended are ticked again with every tick.' },
    { name: 'max_concurrent', type: 'count', least: 1, doc: 'The most children that are RUNNING at a time.' },
    { name: 'max_child_retries', type: 'count', default: 1, doc: 'With retry: how often a child is ticked again.' },
    {
      name: 'max_failures',
      type: 'count',
      least: 1,
      doc: 'The failures with which the node fails. Default: when too few children are left to succeed.',
    },
    { name: 'merge_failed', type: 'flag', default: false, doc: 'True: what children wrote that failed is merged, too.' },
  ],
  propagates: 'policy',
  outcomes: outcomesOf,
  check({ policy, n }, children) {
    if (policy !== 'require_n') return undefined
    return n === undefined || Number(n) > children ? `require_n needs n from 1 to ${children}, the number of children` : undefined
  },
  doc: 'Ticks all of its children, each in a scope of its own: none sees what another writes. When the policy is decided, what the successful children wrote is merged once.',
  example:
    'BT.parallel({ policy = "require_all", merge = { sources = "collect" } }, { BT.action("web", { fn = "find.web" }), BT.action("files", { fn = "find.files" }) })',
  behaviour: {
    enter: (tick, node) => pass(tick, node, -1),
    resume(tick, node) {
      if (node.params.memory === false && decided(stateOf(tick, node)) === undefined) tickAllAgain(tick, node)
      return pass(tick, node, -1)
    },
    child(tick, node, child, outcome) {
      if (outcome === FAILURE) retryOrCount(tick, node, child)
      if (outcome === SKIPPED) tick.keep(node, [...stateOf(tick, node), 'skipped', child.place])
      return pass(tick, node, child.place)
    },
    halt: (tick, node) => {
      for (const child of node.children) tick.shutScope(child)
    },
  },
})

/** What a parallel node keeps: pairs of a word and a place, such as `retry 2`, `skipped 0`, `decided 0`. */
type State = readonly (string | number)[]

function stateOf(tick: Tick, node: TreeNode): State {
  return (tick.own(node) ?? []) as State
}

function count(state: State, word: string, place: number): number {
  let found = 0
  for (let i = 0; i < state.length; i += 2) if (state[i] === word && state[i + 1] === place) found++
  return found
}

/** The answer on which the policy has decided while children are RUNNING; undefined before. */
function decided(state: State): Outcome | undefined {
  const at = state.indexOf('decided')
  return at < 0 ? undefined : (state[at + 1] as Outcome)
}

function retryOrCount(tick: Tick, node: TreeNode, child: TreeNode): void {
  const { on_child_fail, max_child_retries } = node.params
  const state = stateOf(tick, node)
  if (on_child_fail !== 'retry' || count(state, 'retry', child.place) >= Number(max_child_retries)) return
  tick.keep(node, [...state, 'retry', child.place])
  tick.halt(child)
  tick.shutScope(child)
  tick.again(node)
}

/** Children that have ended, and those that were skipped, take part in the next pass. */
function tickAllAgain(tick: Tick, node: TreeNode): void {
  tick.refresh(node)
  const state = stateOf(tick, node)
  const kept = state.filter((_, i) => state[i - (i % 2)] !== 'skipped')
  if (kept.length < state.length) tick.keep(node, kept)
}

/** Returns the next child of this pass, or the answer after the last one. */
function pass(tick: Tick, node: TreeNode, from: number): Next {
  const state = stateOf(tick, node)
  const isDecided = decided(state) !== undefined
  const running = node.children.filter((child) => tick.outcome(child) === RUNNING).length
  const most = Number(node.params.max_concurrent ?? node.children.length)
  for (const child of node.children.slice(from + 1)) {
    const outcome = tick.outcome(child)
    if (outcome === RUNNING) return child.place
    if (outcome !== undefined || count(state, 'skipped', child.place) > 0 || isDecided) continue
    if (running >= most) continue
    tick.openScope(child)
    return child.place
  }
  return conclude(tick, node, state)
}

interface Counts {
  readonly successes: number
  readonly failures: number
  readonly running: number
  readonly skipped: number
}

function countsOf(tick: Tick, node: TreeNode, state: State): Counts {
  const all = node.children.map((child) => tick.outcome(child))
  const of = (outcome: Outcome | undefined): number => all.filter((each) => each === outcome).length
  const skipped = node.children.filter(({ place }) => count(state, 'skipped', place) > 0).length
  return { successes: of(SUCCESS), failures: of(FAILURE), running: of(RUNNING), skipped }
}

function conclude(tick: Tick, node: TreeNode, state: State): Next {
  const counts = countsOf(tick, node, state)
  if (counts.skipped === node.children.length) return SKIPPED
  const answer = decided(state) ?? decide(node, counts)
  if (answer === undefined) return RUNNING
  if (counts.running > 0 && node.params.on_child_fail === 'continue') {
    if (decided(state) === undefined) tick.keep(node, [...state, 'decided', answer])
    return RUNNING
  }
  const cancelled = node.children.filter((child) => tick.outcome(child) === RUNNING)
  for (const child of cancelled) tick.halt(child)
  return finish(tick, node, answer, {
    successes: counts.successes,
    failures: counts.failures,
    cancelled: cancelled.length,
    strategies: strategiesOf(node),
  })
}

/** Returns the answer that the policy gives; undefined while both are possible. */
function decide({ params, children }: TreeNode, { successes, failures, skipped }: Counts): Outcome | undefined {
  const most = children.length - skipped
  const needed = params.policy === 'require_one' ? 1 : params.policy === 'require_n' ? Math.min(Number(params.n), most) : most
  if (successes >= needed) return SUCCESS
  if (params.max_failures !== undefined && failures >= Number(params.max_failures)) return FAILURE
  return most - failures < needed ? FAILURE : undefined
}

function outcomesOf(
  children: readonly Outcomes[],
  { policy, n, merge_strategy, max_failures }: { readonly [key: string]: unknown },
): Outcomes {
  const can = (word: 'success' | 'failure'): number => children.filter((child) => child[word]).length
  const must = (word: 'success' | 'failure'): number =>
    children.filter((child) => child[word] && !child[word === 'success' ? 'failure' : 'success'] && !child.running).length
  const needed = policy === 'require_one' ? 1 : policy === 'require_n' ? Number(n) : children.length
  return {
    success: can('success') >= needed,
    failure: must('success') < needed || merge_strategy === 'fail' || can('failure') >= Number(max_failures ?? Infinity),
    running: children.some(({ running }) => running),
  }
}
