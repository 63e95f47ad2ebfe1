import type { JsonObject, Json } from '../../../../kernel/index.ts'
import type { Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { refusal } from '../../contract/outcome.ts'
import { runAction } from './run-action.ts'
import { NO_SEARCH, SEARCHES } from './search.ts'
import { requiredText } from '../commands/requirements.ts'
import { actionFailed, actionOutcome } from '../commands/exec.ts'
import { defineOperation, type Operation } from '../../contract/define-operation.ts'
import { ACTION_FACTS, canonicalAction } from '../../model/action-facts.ts'
import { attribute } from '../../model/attribute.ts'
import { uri } from '../../model/capability-uris.ts'
import { plainAction } from '../../model/action-names.ts'
import { type HostParts, type OpenedFile, outputsOf } from '../../model/operation-facts.ts'
import { authored, context, type Input, type Output, type Safety, writes, writesAt, writesUnder } from '../../model/operation-ports.ts'
import type { WrittenNode } from '../../model/written-node.ts'
import { evalAggregate } from '../evaluation/eval-aggregate.ts'
import { evalDataset } from '../evaluation/eval-dataset.ts'
import { evalPersist } from '../evaluation/eval-persist.ts'
import { evalReport } from '../evaluation/eval-report.ts'
import { evalRun } from '../evaluation/eval-run.ts'
import { ON_ERROR } from '../parameters.ts'
import { listOf, textOf } from '../../dot/graph.ts'

/** Performs an action of Reflex or of the host by its name (reference pipeline 4.5, actions). */
const run: Handler = (context) => {
  const name = requiredText(context, 'action')
  if (typeof name !== 'string') return name
  const parameters = actionParameters(context)
  if ('problem' in parameters) return refusal(`${context.node.id}: ${parameters.problem}`)
  return performAction(context, name, parameters.values)
}

function* performAction(context: NodeContext, name: string, parameters: JsonObject): Steps {
  const result = yield* runAction(context, name, parameters)
  if ('problem' in result) return actionFailed(context, result.problem, result.transient === true, result.updates)
  const outcome = actionOutcome(context, result.result, false)
  return { ...outcome, context_updates: { ...result.updates, ...outcome.context_updates } }
}

/** Returns the inputs of an action. The action states which parameters are `control`; the others are content (reference pipeline 5.3). */
function readsOf(node: WrittenNode): readonly Input[] {
  const facts = ACTION_FACTS.get(canonicalAction(node.text('action') ?? ''))
  const controls = new Map<string, Safety | true>()
  for (const [name, { control, also = [] }] of Object.entries(facts?.parameters ?? {}))
    if (control !== undefined) for (const one of [name, ...also]) controls.set(one, control)
  const handed = node.list('context_keys').map((name): Input => {
    const control = controls.get(lastPart(name))
    const needs = control === true ? undefined : control
    return { ...context(name, control === undefined ? 'data' : 'control', needs), attribute: 'context_keys' }
  })
  return [authored('action'), ...handed, ...(facts?.reads ?? []).map((name) => context(name))]
}

/** The operations whose keys some actions also write. */
const WRITTEN: ReadonlyMap<string, Operation> = new Map(
  [evalDataset, evalRun, evalAggregate, evalPersist, evalReport].map((operation) => [operation.name, operation]),
)

function writesOf(node: WrittenNode): readonly Output[] {
  const { origin = 'derived', writesAs = '' } = ACTION_FACTS.get(canonicalAction(node.text('action') ?? '')) ?? {}
  const others = WRITTEN.get(writesAs)
  return [
    ...writes(origin, 'exec.<id>.'),
    writesAt(origin, 'output_key'),
    writesUnder(origin, 'output_prefix'),
    ...(others === undefined ? [] : outputsOf(others, node.attributes)),
  ]
}

function needsOf(node: WrittenNode): readonly string[] {
  const plain = plainAction(node.text('action') ?? '')
  if (node.isHostAction(plain)) return [uri('action', plain)]
  const name = canonicalAction(plain)
  const facts = ACTION_FACTS.get(name)
  const written = (parameter: string): string | undefined =>
    [parameter, ...(facts?.parameters[parameter]?.also ?? [])]
      .flatMap((one) => [node.text(`param.${one}`), node.text(`arg.${one}`)])
      .find((found) => found !== undefined)
  return [uri('action', name), ...(facts?.needs?.(written) ?? [])]
}

/** Returns the action, or the search service behind it, that the host does not have. */
function lacksOf(node: WrittenNode, { actions, services }: HostParts): string | undefined {
  const plain = plainAction(node.text('action') ?? '')
  if (plain === '' || actions.includes(plain)) return undefined
  const name = canonicalAction(plain)
  if (!ACTION_FACTS.has(name)) return `the host has no action ${JSON.stringify(plain)}`
  return SEARCHES.includes(name) && !services.includes('search.search') ? NO_SEARCH : undefined
}

const READS_FILE = 'file_read'

/** Returns the file that the action `file_read` opens: the path from the context, otherwise the written path. */
function openedBy(node: WrittenNode): readonly OpenedFile[] | undefined {
  if (canonicalAction(node.text('action') ?? '') !== READS_FILE) return undefined
  const names = ['path', ...(ACTION_FACTS.get(READS_FILE)?.parameters['path']?.also ?? [])]
  const handed = node.list('context_keys').find((name) => names.includes(lastPart(name)))
  const path = names.map((name) => node.text(`param.${name}`)).find((text) => text !== undefined)
  return [...(handed === undefined ? [] : [{ key: handed }]), ...(path === undefined ? [] : [{ path }])]
}

function lastPart(name: string): string {
  return name.split('.').at(-1) ?? name
}

export const action = defineOperation({
  name: 'action',
  does: 'Performs an action by its name, of Reflex or of the host.',
  types: [],
  dispatch: [{ type: 'exec', by: { target: 'action' } }],
  parameters: {
    ...ON_ERROR,
    action: attribute('text', 'The name of the action; `.` and `_` are equal.', { required: true }),
    'param.*': attribute('text', 'A parameter of the action.'),
    'arg.*': attribute('text', 'The same as `param.*`.'),
    'timeout_budget.deadline_key': attribute('key', 'The context value with the deadline. Set all four attributes or none.'),
    'timeout_budget.cap_key': attribute('key', 'The context value with the maximum time.'),
    'timeout_budget.reserve_key': attribute('key', 'The context value with the time to reserve.'),
    'timeout_budget.param': attribute('text', 'The parameter that receives the remaining time.'),
  },
  reads: readsOf,
  writes: writesOf,
  needs: needsOf,
  lacks: lacksOf,
  repeat: 'side_effecting',
  opens: openedBy,
  performs: 'action',
  run,
})

/** The parameters of an action, or the reason why they are invalid. */
type ActionParameters = { readonly values: JsonObject } | { readonly problem: string }

/**
 * Returns the parameters of an action: `param.x` and `arg.x` as written, then each key of `context_keys` under its last part,
 * which wins. A missing key is left out with a note (reference pipeline 4.5, actions).
 */
function actionParameters(context: NodeContext): ActionParameters {
  const { attributes, node } = context
  const values: Record<string, Json> = {}
  for (const [key, { value }] of attributes) {
    const [, name] = /^(?:param|arg)\.(.+)$/.exec(key) ?? []
    if (name !== undefined) values[name] = value
  }
  const from = new Map<string, string>()
  for (const key of listOf(attributes, 'context_keys')) {
    const name = key.split('.').at(-1) ?? key
    const other = from.get(name)
    if (other !== undefined && other !== key) return { problem: `${other} and ${key} would both be the parameter ${name}` }
    from.set(name, key)
    const value = context.get(key)
    if (value === undefined) context.note('parameter_missing', { node_id: node.id, key, name })
    else values[name] = value
  }
  return withTimeoutBudget(context, values)
}

const BUDGET = ['deadline_key', 'cap_key', 'reserve_key', 'param'] as const

/** Adds the time until a deadline as a parameter. Needs all four attributes or none (reference pipeline 2.4). */
function withTimeoutBudget(context: NodeContext, values: Record<string, Json>): ActionParameters {
  const words = BUDGET.map((word) => textOf(context.attributes, `timeout_budget.${word}`)?.trim() || undefined)
  if (words.every((word) => word === undefined)) return { values }
  const [deadlineKey, capKey, reserveKey, parameter] = words
  if (deadlineKey === undefined || capKey === undefined || reserveKey === undefined || parameter === undefined)
    return { problem: `timeout_budget needs all of ${BUDGET.join(', ')}` }
  const [deadline, cap, reserve] = [timeOf(context.get(deadlineKey)), Number(context.text(capKey)), Number(context.text(reserveKey))]
  if (![deadline, cap, reserve].every(Number.isFinite))
    return { problem: `timeout_budget: ${deadlineKey}, ${capKey} and ${reserveKey} must be times` }
  return { values: { ...values, [parameter]: Math.max(0, Math.min(cap, deadline - context.now - reserve)) } }
}

/** Returns milliseconds since the epoch from a number or a date text. */
function timeOf(value: Json | undefined): number {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return Number.NaN
  return /^\d+$/.test(value) ? Number(value) : Date.parse(value)
}
