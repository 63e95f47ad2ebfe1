import { isObject, type Json, type JsonObject } from '../../../../kernel/journal/json.ts'
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

/** What a manager keeps from one look to the next. */
interface LoopState {
  /** The program that it watches. */
  readonly child?: string
  readonly cycle: number
  /** What it saw the last time. */
  readonly seen: JsonObject
  /** The look at which it last gave advice. */
  readonly steered?: number
}

/** How a manager works, as its node says. */
interface LoopSettings {
  readonly actions: ReadonlySet<string>
  readonly interval: number
  readonly cooldown: number
  readonly most: number
  readonly stop: Condition | undefined
}

/**
 * Watches over a pipeline that runs beside it (reference pipeline 3.9.7): looks at it, gives advice, asks whether it is
 * over, and waits, look by look. Each look is as quick as the first, since the loop begins again with what it keeps. The
 * child is stopped when the node is left, cancelled or out of time, unless `manager.detach` leaves it running; after a crash both
 * go on where they were.
 */
const run: Handler = function* (context) {
  const settings = loopSettings(context)
  if ('status' in settings) return settings
  const { kept } = context
  const state = kept === undefined ? yield* startChild(context) : (kept as unknown as LoopState)
  return 'status' in state ? state : yield* runCycle(context, settings, state)
}

/** One look, and then the next one. */
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

/** The pipeline that a manager watches over, as `kind:id`: its node's, else the graph's. */
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

/** Begins the child, with the goal and nothing else of the context. */
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

/** Writes what the prompt says into the folder of the stage at which the child is; true if it stands there. */
function* advise(context: NodeContext, { status, folder }: Observation): Generator<Ask, boolean, Answer> {
  const prompt = textOf(context.attributes, 'prompt')?.trim() ?? ''
  if (status !== 'running' || folder === undefined || prompt === '') return false
  const text = expandFromContext(prompt, (key) => context.get(key))
  const settled = yield* callTool('file.write', { path: `${folder}/steer.md`, text: `${text}\n` })
  if (settled.error === undefined) return true
  context.note('stage_warning', { node_id: context.node.id, warning: `no advice was given: ${settled.error.message}` })
  return false
}

/** What the node comes to, if it is over: the tests in their order (reference pipeline 3.9.7). */
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

/** What was seen goes before what the context has, since that does not change while the node is executed. */
function isMet(context: NodeContext, condition: Condition, facts: JsonObject): boolean {
  const get = (key: string): Json | undefined => (Object.hasOwn(facts, key) ? facts[key] : context.get(key))
  return evaluateCondition(condition, { outcome: context.text('outcome'), preferredLabel: context.text('preferred_label'), get })
}

export const managerLoop = defineOperation({
  name: 'stack.manager_loop',
  does: 'Watches over a pipeline that runs beside this one.',
  shape: 'house',
  dispatch: [{ type: 'compose', by: { mode: 'manager_loop' } }],
  parameters: {
    'stack.child_dotfile': attribute('path', 'The pipeline that is watched over.', { usual: 'the graph’s' }),
    'stack.child_workdir': attribute('path', 'Where it works.', { usual: 'the graph’s' }),
    'stack.child_autostart': attribute('bool', 'Whether the loop begins it.', { usual: 'true' }),
    'manager.poll_interval': attribute('duration', 'The rest between two looks.', { usual: '45s' }),
    'manager.max_cycles': attribute('int', 'How many looks.', { usual: '1000' }),
    'manager.stop_condition': attribute('text', 'A condition that ends the loop well.'),
    'manager.actions': attribute('csv', 'What is done at each look; `steer` too.', { usual: 'observe,wait' }),
    'manager.steer_cooldown': attribute('duration', 'The rest between two words of advice.', { usual: 'the poll interval' }),
    'manager.detach': attribute('bool', 'The watched pipeline runs on when the loop ends; this pipeline ends once it has ended.', {
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
