import { isAbsolute, join } from 'node:path'
import { isObject, type Json } from '../../../../kernel/journal/json.ts'
import { textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { Handler, Scene, Steps } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { REPORTS } from './eval-report-text.ts'
import { nearestUpstream, resultsAt } from './eval-results.ts'
import { effectFailed, onResume, placeOf } from '../commands/requirements.ts'

/** Tells what an evaluation came to: for a terminal, as JSON or Markdown, into the context and where `output` says (reference pipeline 4.8). */
export const evalReport: Handler = (scene) => {
  const { attributes, node, typed } = scene
  const format = textOf(attributes, 'format')?.trim() || 'terminal'
  const write = REPORTS.get(format)
  if (write === undefined) return refusal(`${node.id}: a report is ${[...REPORTS.keys()].join(', ')}, not ${JSON.stringify(format)}`)
  const source = named(scene, 'source') ?? nearestUpstream(scene, 'eval.results.')
  const results = source === undefined ? [] : resultsAt(scene, source)
  const metrics = metricsOf(scene)
  if (results.length === 0 && metrics === undefined) return refusal(`${node.rawType} ${node.id}: there are no results`)
  const text = write({
    title: textOf(typed.graph.attributes, 'label') ?? typed.graph.id,
    model: scene.text('eval.model'),
    provider: scene.text('eval.provider'),
    results,
    metrics: metrics ?? {},
  })
  const output = textOf(attributes, 'output')?.trim() ?? ''
  return output === '' ? reported(scene, text, format, null) : writes(scene, text, format, output)
}

function* writes(scene: Scene, text: string, format: string, output: string): Steps {
  const settled = yield* callTool('file.write', { path: placeOf(scene, output), text, in: 'work' }, onResume(scene))
  if (settled.error !== undefined) return effectFailed(scene, settled.error)
  const path = isObject(settled.ok) ? renderText(settled.ok['path']) : output
  return reported(scene, text, format, isAbsolute(path) ? path : join(scene.charter.workdir, path))
}

function reported({ node }: Scene, text: string, format: string, path: string | null) {
  const own = `eval.report.${node.id}`
  return success({ [own]: text, [`${own}.path`]: path, [`${own}.format`]: format })
}

/** The metrics of the node or key that is named, else of the nearest node upstream that computed some. */
function metricsOf(scene: Scene): Json | undefined {
  const name = named(scene, 'metrics_source') ?? nearestUpstream(scene, 'eval.metrics.')
  return name === undefined ? undefined : (scene.get(`eval.metrics.${name}`) ?? scene.get(name))
}

/** What an attribute names; `auto` leaves it to the graph. */
function named({ attributes }: Scene, key: string): string | undefined {
  const name = textOf(attributes, key)?.trim() ?? ''
  return name === '' || name === 'auto' ? undefined : name
}
