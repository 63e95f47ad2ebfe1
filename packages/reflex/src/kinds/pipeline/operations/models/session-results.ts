import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { renderText } from '../../language/render.ts'
import { looseJson } from './loose-json.ts'
import type { SessionService } from './session-values.ts'

type ItemTest = (value: Json) => boolean

const isText: ItemTest = (value) => typeof value === 'string'
const DECISIONS: ReadonlySet<Json> = new Set(['accept', 'reject', 'defer'])

/** The lists in a model's answer, with tests for their valid items (reference pipeline 4.6.2). */
const LISTS: readonly (readonly [name: string, keeps: ItemTest])[] = [
  ['actions', (value) => isObject(value) && typeof value['type'] === 'string'],
  ['goal_updates', isObject],
  ['new_goals', isObject],
  ['decompositions', isObject],
  ['new_intents', isObject],
  ['identity_insights', isObject],
  ['memory_notes', isText],
  ['concerns', isText],
  ['curiosity', isText],
  [
    'proposal_decisions',
    (value) => isObject(value) && typeof value['proposal_id'] === 'string' && DECISIONS.has(value['decision'] ?? null),
  ],
]

/** Splits the answer of a model into ten lists. An answer that is not a JSON object results in ten empty lists and is not a failure. */
export const processResults: SessionService = (values) => {
  const text = renderText(values.get('llm.content')) || renderText(values.get('last_response'))
  const read = looseJson(text)
  return { updates: listsOf(isObject(read) ? read : {}) }
}

function listsOf(answer: JsonObject): JsonObject {
  const lists = LISTS.map(([name, isValid]): [string, Json] => {
    const list = answer[name]
    return [`session.${name}`, isList(list) ? list.filter(isValid) : []]
  })
  return Object.fromEntries(lists)
}
