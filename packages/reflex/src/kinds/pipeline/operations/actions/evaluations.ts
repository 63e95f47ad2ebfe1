import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/journal/json.ts'
import type { Attribute, Attributes, AttributeValue } from '../../dot/graph.ts'
import type { Handler, Scene } from '../../contract/handler.ts'
import { type Outcome, reasonOf } from '../../contract/outcome.ts'
import { evalAggregate } from '../evaluation/eval-aggregate.ts'
import { evalDataset } from '../evaluation/eval-dataset.ts'
import { evalPersist } from '../evaluation/eval-persist.ts'
import { evalReport } from '../evaluation/eval-report.ts'
import { evalRun } from '../evaluation/eval-run.ts'
import { jsonIn } from '../../language/json-in.ts'
import { renderText } from '../../language/render.ts'
import type { Acted, Acting, Action } from './action.ts'
import type { Given } from '../../model/action-parameters.ts'

/** A parameter that hands a value over: the key under which the handler finds it, and the attribute that names the key. */
interface Handing {
  readonly parameter: string
  readonly key: string
  readonly attribute?: string
}

const results = (attribute: string): Handing => ({ parameter: 'results', key: 'param.results', attribute })
const metrics = (attribute: string): Handing => ({ parameter: 'metrics', key: 'param.metrics', attribute })

/** The stages of an evaluation as actions: the handlers of the types `eval.*`, whose attributes are the parameters. */
export const EVALUATION_ACTIONS: readonly (readonly [string, Action])[] = [
  ['eval_pipeline_load_dataset', stage(evalDataset)],
  ['eval_pipeline_run_eval', stage(evalRun, { parameter: 'dataset', key: 'eval.dataset' })],
  ['eval_pipeline_aggregate', stage(evalAggregate, results('source'))],
  ['eval_pipeline_persist', stage(evalPersist, results('results_key'), metrics('metrics_key'))],
  ['eval_pipeline_report', stage(evalReport, results('source'), metrics('metrics_source'))],
]

/** A handler as an action: it writes the keys of its type, and its fields are what `exec.<id>.*` and `output_prefix` take. */
function stage(handler: Handler, ...handings: readonly Handing[]): Action {
  return (scene, given) => {
    const begun = handler(lent(scene, given, handings))
    return 'next' in begun ? finishes(scene, begun) : actedOf(scene, begun)
  }
}

function* finishes(scene: Scene, begun: Exclude<ReturnType<Handler>, Outcome>): Acting {
  return actedOf(scene, yield* begun)
}

function actedOf({ node }: Scene, outcome: Outcome): Acted {
  const updates = outcome.context_updates ?? {}
  if (outcome.status === 'success') return { result: fieldsOf(updates, node.id), updates }
  const problem = reasonOf(outcome).replace(`${node.rawType} ${node.id}: `, '').replace(`${node.id}: `, '')
  return { problem, updates, ...(outcome.retryable === false ? {} : { passes: true }) }
}

/** Keys of the context as fields: `eval.dataset.count` is `count`, `eval.results.<id>` is `results`. */
function fieldsOf(updates: JsonObject, id: string): JsonObject {
  return Object.fromEntries(Object.entries(updates).map(([key, value]) => [fieldOf(key, id), value]))
}

const OF_NODE = ['results', 'metrics', 'report']

function fieldOf(key: string, id: string): string {
  const name = OF_NODE.find((one) => key.startsWith(`eval.${one}.${id}`))
  const rest = name === undefined ? key : key.slice(`eval.${name}.${id}`.length)
  return rest === '' ? (name ?? key) : (rest.split('.').at(-1) ?? rest)
}

/** The same execution as the handler sees it: parameters go before attributes, and values that are handed over before the context. */
function lent(scene: Scene, given: Given, handings: readonly Handing[]): Scene {
  const values = new Map(
    handings.flatMap(({ parameter, key }) => (given[parameter] === undefined ? [] : [[key, parsed(given[parameter])]])),
  )
  const get = (key: string): Json | undefined => values.get(key) ?? scene.get(key)
  const { node, typed, injected, charter, folder, attempt, isBranch, visit, now, kept, previous, fidelity } = scene
  return {
    node,
    typed,
    injected,
    charter,
    folder,
    attempt,
    isBranch,
    visit,
    now,
    kept,
    previous,
    fidelity,
    attributes: attributesOf(scene, given, handings),
    get,
    text: (key) => renderText(get(key)),
    isHostile: (key) => scene.isHostile(key),
    label: (key) => scene.label(key),
    keys: () => scene.keys(),
    outcome: (id) => scene.outcome(id),
    stages: () => scene.stages(),
    conversation: (thread) => scene.conversation(thread),
    random: () => scene.random(),
    note: (type, payload) => scene.note(type, payload),
  }
}

/** A value as it is, or as the JSON that a text is. */
function parsed(value: Json): Json {
  return typeof value === 'string' ? (jsonIn(value) ?? value) : value
}

function attributesOf({ attributes }: Scene, given: Given, handings: readonly Handing[]): Attributes {
  const handed = new Set(handings.map(({ parameter }) => parameter))
  const said = Object.entries(given).flatMap(([name, value]) => (handed.has(name) ? [] : [[name, written(value)] as const]))
  const named = handings.flatMap(({ parameter, key, attribute }) =>
    attribute === undefined || given[parameter] === undefined ? [] : [[attribute, key] as const],
  )
  const own = [...said, ...named].map(([name, value]): [string, Attribute] => [name, { value, provenance: 'own' }])
  return new Map([...attributes, ...own])
}

function written(value: Json): AttributeValue {
  if (isList(value)) return value.map((one) => renderText(one)).join(',')
  return value === null || isObject(value) ? renderText(value) : value
}
