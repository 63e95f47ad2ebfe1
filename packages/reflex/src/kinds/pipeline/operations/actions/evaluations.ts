import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import type { Attribute, Attributes, AttributeValue } from '../../dot/graph.ts'
import type { Handler, NodeContext } from '../../contract/handler.ts'
import { type Outcome, reasonOf } from '../../contract/outcome.ts'
import { evalAggregate } from '../evaluation/eval-aggregate.ts'
import { evalDataset } from '../evaluation/eval-dataset.ts'
import { evalPersist } from '../evaluation/eval-persist.ts'
import { evalReport } from '../evaluation/eval-report.ts'
import { evalRun } from '../evaluation/eval-run.ts'
import { parseJson } from '../../language/parse-json.ts'
import { renderText } from '../../language/render.ts'
import type { ActionResult, ActionSteps, Action } from './action.ts'
import type { ParameterValues } from '../../model/action-parameters.ts'

/** A parameter with a value: the key from which the handler reads it, and the attribute that names the key. */
interface ValueParameter {
  readonly parameter: string
  readonly key: string
  readonly attribute?: string
}

const results = (attribute: string): ValueParameter => ({ parameter: 'results', key: 'param.results', attribute })
const metrics = (attribute: string): ValueParameter => ({ parameter: 'metrics', key: 'param.metrics', attribute })

/** The stages of an evaluation as actions: the handlers of the types `eval.*`, with parameters instead of attributes. */
export const EVALUATION_ACTIONS: readonly (readonly [string, Action])[] = [
  ['eval_pipeline_load_dataset', evaluationAction(evalDataset.run)],
  ['eval_pipeline_run_eval', evaluationAction(evalRun.run, { parameter: 'dataset', key: 'eval.dataset' })],
  ['eval_pipeline_aggregate', evaluationAction(evalAggregate.run, results('source'))],
  ['eval_pipeline_persist', evaluationAction(evalPersist.run, results('results_key'), metrics('metrics_key'))],
  ['eval_pipeline_report', evaluationAction(evalReport.run, results('source'), metrics('metrics_source'))],
]

/** Wraps a handler as an action: it writes the keys of its type, and its fields fill `exec.<id>.*` and `output_prefix`. */
function evaluationAction(handler: Handler, ...valueParameters: readonly ValueParameter[]): Action {
  return (context, params) => {
    const started = handler(contextWith(context, params, valueParameters))
    return 'next' in started ? finish(context, started) : actionResultOf(context, started)
  }
}

function* finish(context: NodeContext, started: Exclude<ReturnType<Handler>, Outcome>): ActionSteps {
  return actionResultOf(context, yield* started)
}

function actionResultOf({ node }: NodeContext, outcome: Outcome): ActionResult {
  const updates = outcome.context_updates ?? {}
  if (outcome.status === 'success') return { result: fieldsOf(updates, node.id), updates }
  const problem = reasonOf(outcome).replace(`${node.rawType} ${node.id}: `, '').replace(`${node.id}: `, '')
  return { problem, updates, ...(outcome.retryable === false ? {} : { transient: true }) }
}

/** Returns keys of the context as fields: `eval.dataset.count` becomes `count`, `eval.results.<id>` becomes `results`. */
function fieldsOf(updates: JsonObject, id: string): JsonObject {
  return Object.fromEntries(Object.entries(updates).map(([key, value]) => [fieldOf(key, id), value]))
}

const NODE_RESULTS = ['results', 'metrics', 'report']

function fieldOf(key: string, id: string): string {
  const name = NODE_RESULTS.find((one) => key.startsWith(`eval.${one}.${id}`))
  const rest = name === undefined ? key : key.slice(`eval.${name}.${id}`.length)
  return rest === '' ? (name ?? key) : (rest.split('.').at(-1) ?? rest)
}

/** Returns the context of the handler: parameters win over attributes, and passed values over the context. */
function contextWith(context: NodeContext, params: ParameterValues, valueParameters: readonly ValueParameter[]): NodeContext {
  const values = new Map(
    valueParameters.flatMap(({ parameter, key }) => (params[parameter] === undefined ? [] : [[key, parseText(params[parameter])]])),
  )
  const get = (key: string): Json | undefined => values.get(key) ?? context.get(key)
  const { node, typed, injected, permissions, folder, attempt, isBranch, visit, now, kept, previous, fidelity } = context
  return {
    node,
    typed,
    injected,
    permissions,
    folder,
    attempt,
    isBranch,
    visit,
    now,
    kept,
    previous,
    fidelity,
    attributes: attributesOf(context, params, valueParameters),
    get,
    text: (key) => renderText(get(key)),
    isHostile: (key) => context.isHostile(key),
    label: (key) => context.label(key),
    keys: () => context.keys(),
    outcome: (id) => context.outcome(id),
    stages: () => context.stages(),
    conversation: (thread) => context.conversation(thread),
    random: () => context.random(),
    note: (type, payload) => context.note(type, payload),
  }
}

/** Parses a text as JSON if possible; returns other values unchanged. */
function parseText(value: Json): Json {
  return typeof value === 'string' ? (parseJson(value) ?? value) : value
}

function attributesOf({ attributes }: NodeContext, params: ParameterValues, valueParameters: readonly ValueParameter[]): Attributes {
  const valueNames = new Set(valueParameters.map(({ parameter }) => parameter))
  const stated = Object.entries(params).flatMap(([name, value]) => (valueNames.has(name) ? [] : [[name, attributeValue(value)] as const]))
  const named = valueParameters.flatMap(({ parameter, key, attribute }) =>
    attribute === undefined || params[parameter] === undefined ? [] : [[attribute, key] as const],
  )
  const authored = [...stated, ...named].map(([name, value]): [string, Attribute] => [name, { value, provenance: 'own' }])
  return new Map([...attributes, ...authored])
}

function attributeValue(value: Json): AttributeValue {
  if (isList(value)) return value.map((one) => renderText(one)).join(',')
  return value === null || isObject(value) ? renderText(value) : value
}
