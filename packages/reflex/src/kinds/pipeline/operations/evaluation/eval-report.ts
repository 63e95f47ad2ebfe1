import { isAbsolute, join } from 'node:path'
import { isObject, type Json } from '../../../../kernel/index.ts'
import { textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { REPORTS } from './eval-report-text.ts'
import { nearestUpstream, resultsAt } from './eval-results.ts'
import { effectFailed, onResume, resolvePath } from '../commands/requirements.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { uri, fileUri } from '../../model/capability-uris.ts'
import { authored, context, writes } from '../../model/operation-ports.ts'
import { OUTPUT, MEASURED } from '../parameters.ts'

/**
 * Writes a report of an evaluation, for a terminal, as JSON or as Markdown, to the context and to the file `output` (reference
 * pipeline 4.8).
 */
const run: Handler = (context) => {
  const { attributes, node, typed } = context
  const format = textOf(attributes, 'format')?.trim() || 'terminal'
  const write = REPORTS.get(format)
  if (write === undefined)
    return refusal(`${node.id}: the format of a report must be one of ${[...REPORTS.keys()].join(', ')}, not ${JSON.stringify(format)}`)
  const source = sourceName(context, 'source') ?? nearestUpstream(context, 'eval.results.')
  const results = source === undefined ? [] : resultsAt(context, source)
  const metrics = metricsOf(context)
  if (results.length === 0 && metrics === undefined) return refusal(`${node.rawType} ${node.id}: there are no results`)
  const text = write({
    title: textOf(typed.graph.attributes, 'label') ?? typed.graph.id,
    model: context.text('eval.model'),
    provider: context.text('eval.provider'),
    results,
    metrics: metrics ?? {},
  })
  const output = textOf(attributes, 'output')?.trim() ?? ''
  return output === '' ? reportOutcome(context, text, format, null) : writeReport(context, text, format, output)
}

function* writeReport(context: NodeContext, text: string, format: string, output: string): Steps {
  const settled = yield* callTool('file.write', { path: resolvePath(context, output), text, in: 'work' }, onResume(context))
  if (settled.error !== undefined) return effectFailed(context, settled.error)
  const path = isObject(settled.ok) ? renderText(settled.ok['path']) : output
  return reportOutcome(context, text, format, isAbsolute(path) ? path : join(context.permissions.workdir, path))
}

function reportOutcome({ node }: NodeContext, text: string, format: string, path: string | null) {
  const prefix = `eval.report.${node.id}`
  return success({ [prefix]: text, [`${prefix}.path`]: path, [`${prefix}.format`]: format })
}

/** Returns the metrics of the named node or key, else of the nearest node upstream that computed some. */
function metricsOf(context: NodeContext): Json | undefined {
  const name = sourceName(context, 'metrics_source') ?? nearestUpstream(context, 'eval.metrics.')
  return name === undefined ? undefined : (context.get(`eval.metrics.${name}`) ?? context.get(name))
}

/** Returns the name in an attribute; undefined for `auto` and for none. */
function sourceName({ attributes }: NodeContext, key: string): string | undefined {
  const name = textOf(attributes, key)?.trim() ?? ''
  return name === '' || name === 'auto' ? undefined : name
}

export const evalReport = defineOperation({
  name: 'eval.report',
  does: 'Writes a report of an evaluation.',
  dispatch: [{ type: 'write', by: { target: 'eval', op: 'report' } }],
  parameters: {
    ...OUTPUT,
    ...MEASURED,
    metrics_source: attribute('text', 'The node or key with the metrics.', { usual: 'auto' }),
  },
  reads: [authored('output', 'path_traversal'), context('eval.dataset')],
  writes: writes('derived', 'eval.report.<id>', 'eval.report.<id>.'),
  repeat: 'idempotent_with_key',
  needs: (node) => [uri('eval', 'report'), ...(node.text('output') === undefined ? [] : [fileUri('write', node.text('output'))])],
  run,
})
