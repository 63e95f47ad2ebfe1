import { isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { integerOf, isOn, listOf, textOf } from '../../dot/graph.ts'
import { restartHandler, beginProgram, callTool, observe, sleep } from '../../contract/asks.ts'
import type { Answer, Ask, Handler, Observation, NodeContext, Steps } from '../../contract/handler.ts'
import { type Outcome, refusal, success } from '../../contract/outcome.ts'
import type { Condition } from '../../language/condition.ts'
import { evaluateCondition } from '../../language/condition-evaluate.ts'
import { parseCondition } from '../../language/condition-parse.ts'
import { durationOf } from '../../language/duration.ts'
import { expandFromContext } from '../../language/variables.ts'
import { referenceTo } from './compose.ts'
import { WrittenNode } from '../../model/written-node.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { uri } from '../../model/capability-uris.ts'
import { prompt, writes } from '../../model/operation-ports.ts'

const POLL_INTERVAL = 45_000
const MOST_CYCLES = 1_000
const ACTIONS = ['observe', 'wait']

/** The state of a manager between two cycles. */
interface LoopState {
  /** The supervised program. */
  readonly child?: string
  readonly cycle: number
  /** The last observation. */
  readonly seen: JsonObject
  /** The cycle of the last advice. */
  readonly steered?: number
}

/** The settings of a manager. */
interface LoopSettings {
  readonly actions: ReadonlySet<string>
  readonly interval: number
  readonly cooldown: number
  readonly most: number
  readonly stop: Condition | undefined
}

/**
 * Supervises a pipeline that runs in parallel (reference pipeline 3.9.7). Each cycle observes it, gives advice, checks whether
 * it has ended, and waits. The handler restarts with its state after each cycle, so cycles do not get slower. The child is
 * stopped when the node ends, is cancelled or times out, unless `manager.detach` is set; after a crash both continue.
 */
const run: Handler = function* (context) {
  const settings = loopSettings(context)
  if ('status' in settings) return settings
  const { kept } = context
  const state = kept === undefined ? yield* startChild(context) : (kept as unknown as LoopState)
  return 'status' in state ? state : yield* runCycle(context, settings, state)
}

/** Runs one cycle and restarts the handler. */
function* runCycle(context: NodeContext, settings: LoopSettings, before: LoopState): Steps {
  const { child } = before
  const cycle = before.cycle + 1
  const observed = child === undefined || !settings.actions.has('observe') ? undefined : yield* observe(child)
  const seen = observed === undefined ? before.seen : { ...before.seen, ...factsOf(observed) }
  const steered = observed !== undefined && mayAdvise(settings, before, cycle) && (yield* advise(context, observed))
  context.note('manager_cycle', {
    node_id: context.node.id,
    cycle,
    status: seen['stack.child.status'] ?? '',
    ...(steered ? { steered } : {}),
  })
  const outcome = endOutcome(context, settings, { ...seen, 'manager.cycle': cycle })
  if (outcome !== undefined) return outcome
  yield* sleep(settings.actions.has('wait') ? settings.interval : 0)
  const last = steered ? cycle : before.steered
  return yield* restartHandler({ ...before, cycle, seen, ...(last === undefined ? {} : { steered: last }) })
}

/** Returns the supervised pipeline as `kind:id`: that of the node, otherwise that of the graph. */
function managedProgram(node: WrittenNode): string | undefined {
  const name = node.setting('stack.child_dotfile')
  return name === undefined ? undefined : referenceTo(name)
}

function loopSettings({ attributes, node }: NodeContext): LoopSettings | Outcome {
  const text = textOf(attributes, 'manager.stop_condition')?.trim() ?? ''
  const { condition, problems } = text === '' ? { condition: undefined, problems: [] } : parseCondition(text)
  if (condition?.unreadable === true) return refusal(`${node.id}: manager.stop_condition: ${problems[0]?.message ?? 'it cannot be read'}`)
  const actions = listOf(attributes, 'manager.actions')
  const interval = durationOf(attributes, 'manager.poll_interval') ?? POLL_INTERVAL
  return {
    actions: new Set(actions.length === 0 ? ACTIONS : actions),
    interval,
    cooldown: durationOf(attributes, 'manager.steer_cooldown') ?? interval,
    most: integerOf(attributes, 'manager.max_cycles') ?? MOST_CYCLES,
    stop: condition,
  }
}

/** Starts the child with the goal as its only input. */
function* startChild(context: NodeContext): Generator<Ask, LoopState | Outcome, Answer> {
  const { attributes, typed, node } = context
  const program = managedProgram(new WrittenNode(attributes, typed.graph.attributes))
  const isAutostart = !attributes.has('stack.child_autostart') || isOn(attributes, 'stack.child_autostart')
  if (program === undefined || !isAutostart) return { cycle: 0, seen: {} }
  const goal = textOf(typed.graph.attributes, 'goal')
  const workdir = textOf(attributes, 'stack.child_workdir') ?? textOf(typed.graph.attributes, 'stack.child_workdir')
  const inputs: JsonObject = {
    ...(goal === undefined ? {} : { goal }),
    ...(workdir === undefined || workdir === '' ? {} : { workdir }),
  }
  const child = yield* beginProgram(program, inputs, isOn(attributes, 'manager.detach'))
  const dotfile = program.slice(program.indexOf(':') + 1)
  return {
    child,
    cycle: 0,
    seen: {
      'stack.child.dotfile': dotfile,
      'stack.child.status': 'running',
      'stack.child.run_id': `${context.permissions.run}/${node.id}`,
    },
  }
}

const STATUSES: Readonly<Record<Observation['status'], string>> = {
  running: 'running',
  done: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
}

function factsOf({ status, value, node, steps, retries }: Observation): JsonObject {
  const { status: outcome, message, steps: executed } = isObject(value) ? value : {}
  const completed = steps ?? executed
  return {
    'stack.child.status': STATUSES[status],
    'stack.child.active_stage': node ?? '',
    ...(retries === undefined ? {} : { 'stack.child.retries': retries }),
    ...(typeof completed === 'number' ? { 'stack.child.completed_count': completed } : {}),
    ...(status === 'done' ? { 'stack.child.outcome': typeof outcome === 'string' ? outcome : 'success' } : {}),
    ...(status === 'failed' ? { 'stack.child.outcome': 'fail' } : {}),
    ...(typeof message === 'string' ? { 'stack.child.failure_reason': message } : {}),
  }
}

function mayAdvise({ actions, interval, cooldown }: LoopSettings, { steered }: LoopState, cycle: number): boolean {
  return actions.has('steer') && (steered === undefined || (cycle - steered) * interval >= cooldown)
}

/** Writes the prompt to the folder of the child's current stage. Returns true if it was written. */
function* advise(context: NodeContext, { status, folder }: Observation): Generator<Ask, boolean, Answer> {
  const prompt = textOf(context.attributes, 'prompt')?.trim() ?? ''
  if (status !== 'running' || folder === undefined || prompt === '') return false
  const text = expandFromContext(prompt, (key) => context.get(key))
  const settled = yield* callTool('file.write', { path: `${folder}/steer.md`, text: `${text}\n` })
  if (settled.error === undefined) return true
  context.note('stage_warning', { node_id: context.node.id, warning: `no advice was given: ${settled.error.message}` })
  return false
}

/** Returns the outcome of the node if it has ended: the checks in order (reference pipeline 3.9.7). */
function endOutcome(context: NodeContext, { stop, most }: LoopSettings, facts: JsonObject): Outcome | undefined {
  const status = facts['stack.child.status']
  const outcome = facts['stack.child.outcome']
  const more = { context_updates: facts }
  if (status === 'completed' && outcome === 'success') return success(facts, { notes: 'Child completed' })
  if (status === 'completed' && outcome === 'partial_success') return { status: 'partial_success', notes: 'Child completed', ...more }
  if (status === 'completed' || status === 'failed' || status === 'cancelled') return refusal(`Child failed${reason(facts)}`, more)
  if (stop !== undefined && isMet(context, stop, facts)) return success(facts, { notes: 'Stop condition satisfied' })
  return Number(facts['manager.cycle']) >= most ? refusal('Max cycles exceeded', more) : undefined
}

function reason(facts: JsonObject): string {
  const message = facts['stack.child.failure_reason']
  return typeof message === 'string' ? `: ${message}` : ''
}

/** Observations win over the context, which does not change while the node is executed. */
function isMet(context: NodeContext, condition: Condition, facts: JsonObject): boolean {
  const get = (key: string): Json | undefined => (Object.hasOwn(facts, key) ? facts[key] : context.get(key))
  return evaluateCondition(condition, { outcome: context.text('outcome'), preferredLabel: context.text('preferred_label'), get })
}

export const managerLoop = defineOperation({
  name: 'stack.manager_loop',
  does: 'Supervises a pipeline that runs in parallel.',
  shape: 'house',
  dispatch: [{ type: 'compose', by: { mode: 'manager_loop' } }],
  parameters: {
    'stack.child_dotfile': attribute('path', 'The supervised pipeline.', { usual: 'the graph’s' }),
    'stack.child_workdir': attribute('path', 'The work folder of the supervised pipeline.', { usual: 'the graph’s' }),
    'stack.child_autostart': attribute('bool', 'Starts the supervised pipeline.', { usual: 'true' }),
    'manager.poll_interval': attribute('duration', 'The pause between two cycles.', { usual: '45s' }),
    'manager.max_cycles': attribute('int', 'The limit of cycles.', { usual: '1000' }),
    'manager.stop_condition': attribute('text', 'A condition that ends the loop successfully.'),
    'manager.actions': attribute('csv', 'The actions of each cycle: observe, wait, steer.', { usual: 'observe,wait' }),
    'manager.steer_cooldown': attribute('duration', 'The pause between two pieces of advice.', { usual: 'the poll interval' }),
    'manager.detach': attribute('bool', 'The supervised pipeline continues after the loop; this pipeline ends after it.', {
      usual: 'false',
    }),
  },
  reads: [prompt('prompt')],
  writes: writes('derived', 'stack.child.', 'manager.'),
  repeat: 'side_effecting',
  needs: () => [uri('orchestrator/invoke')],
  calls: managedProgram,
  run,
})
