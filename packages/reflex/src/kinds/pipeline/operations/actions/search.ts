import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { askService } from '../models/session-values.ts'
import { type Action, problemOf } from './action.ts'

/** The names of the actions that search the web. */
export const SEARCHES: readonly string[] = ['web_search', 'exa_search', 'tinyfish_search', 'brave_search']

export const NO_SEARCH = 'no search is connected: give the host a search service, or register an action of this name'

/** Searches with the host's search service; `provider` is the one that the pipeline names. Without a service the action fails. */
export const searchWith = (provider: string): Action =>
  function* (context, params) {
    const answered = yield* askService(context, 'search', 'search', { ...params, provider })
    if ('error' in answered) return problemOf(answered.error)
    if ('nothing' in answered) return { problem: NO_SEARCH }
    const { value } = answered
    const list = isObject(value) ? value['results'] : value
    const results = (isList(list) ? list : []).map(resultOf)
    return { result: { results, count: results.length, query: params['query'] ?? '' } }
  }

function resultOf(value: Json, i: number): JsonObject {
  const found = isObject(value) ? value : { title: value }
  return { rank: i + 1, title: '', url: '', snippet: '', age: null, ...found }
}
