import { isObject, type Json, type JsonObject } from '../../../../kernel/journal/json.ts'
import { textOf } from '../../dot/graph.ts'
import { callTool, perform } from '../../contract/asks.ts'
import type { Handler, Scene, Steps } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { timingOf } from './eval-metrics.ts'
import { allResults, resultsAt, type SampleResult } from './eval-results.ts'
import { effectFailed, required } from '../commands/requirements.ts'

/** A name that is a part of a path and leads nowhere. */
const DOMAIN = /^[A-Za-z0-9][\w.-]{0,99}$/

/**
 * Keeps what an evaluation came to (reference pipeline 4.8): as an entry of the ledger `eval/<domain>` of the store, where
 * later runs find it, and as a file `eval/<domain>/<run id>.json` in the run's own folder. Both are written under a key, so
 * that a crash repeats neither.
 */
export const evalPersist: Handler = (scene) => {
  const domain = required(scene, 'domain')
  if (typeof domain !== 'string') return domain
  if (!DOMAIN.test(domain.trim())) return refusal(`${scene.node.id}: ${JSON.stringify(domain)} cannot be the name of a domain`)
  const results = resultsOf(scene)
  if (results.length === 0) return refusal(`${scene.node.rawType} ${scene.node.id}: there are no results`)
  return persists(scene, domain.trim(), results)
}

function* persists(scene: Scene, domain: string, results: readonly SampleResult[]): Steps {
  const id = `${scene.charter.run}-${scene.node.id}-${Math.floor(scene.random() * 2 ** 32).toString(16)}`
  const record: JsonObject = {
    run_id: id,
    domain,
    timestamp: new Date(scene.now).toISOString(),
    pipeline: scene.typed.graph.id,
    run: scene.charter.run,
    model: scene.text('eval.model'),
    provider: scene.text('eval.provider'),
    sample_count: results.length,
    passed_count: results.filter(({ passed }) => passed).length,
    metrics: metricsOf(scene),
    timing: { ...timingOf(results) },
  }
  const kept = yield* perform('ledger', ['append', `eval/${domain}`, record])
  if (kept.error !== undefined) return effectFailed(scene, kept.error)
  const text = `${JSON.stringify(record, null, 2)}\n`
  const written = yield* callTool('file.write', { path: `eval/${domain}/${id}.json`, text, in: 'run' })
  if (written.error !== undefined) return effectFailed(scene, written.error)
  return success({ 'eval.persist.run_id': id, 'eval.persist.status': 'stored' })
}

function resultsOf(scene: Scene): readonly SampleResult[] {
  const key = textOf(scene.attributes, 'results_key')?.trim() ?? ''
  return key === '' ? [...allResults(scene).values()].flat() : resultsAt(scene, key)
}

/** The metrics of the key that is named, else all that the context holds, each under the name of its node. */
function metricsOf(scene: Scene): Json {
  const key = textOf(scene.attributes, 'metrics_key')?.trim() ?? ''
  if (key !== '') return scene.get(`eval.metrics.${key}`) ?? scene.get(key) ?? {}
  const found = scene.keys().filter((name) => name.startsWith('eval.metrics.') && isObject(scene.get(name)))
  return Object.fromEntries(found.map((name) => [name.slice('eval.metrics.'.length), scene.get(name) ?? {}]))
}
