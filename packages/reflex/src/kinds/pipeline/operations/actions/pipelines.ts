import { isObject, type Json } from '../../../../kernel/index.ts'
import { quote } from '../../../../text/index.ts'
import { renderText } from '../../language/render.ts'
import { callSource } from '../../contract/asks.ts'
import { unfenced } from '../people/gate.ts'
import { isEngineKey } from '../../contract/inputs.ts'
import { readPipeline } from '../../check/read.ts'
import type { Action } from './action.ts'

/** Checks the text of a pipeline. Findings are a result, not a failure. */
export const validatePipeline: Action = (nodeContext, params) => {
  const { typed, findings } = readPipeline(unfenced(renderText(params['source'])), undefined, {
    operations: nodeContext.typed.operations,
    author: 'untrusted',
  })
  const diagnostics = findings.map(({ rule, severity, message }) => ({ rule: rule ?? '', severity, message }))
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length
  return { result: { valid: errors === 0, node_count: typed?.nodes.size ?? 0, error_count: errors, diagnostics } }
}

/** Runs the text of a pipeline with the lowest trust, and only with the given inputs. */
export const runPipeline: Action = function* (nodeContext, params) {
  const dot = unfenced(renderText(params['source']))
  const inputs = isObject(params['inputs']) ? params['inputs'] : {}
  const reserved = Object.keys(inputs).find(isEngineKey)
  if (reserved !== undefined) return { problem: `the engine keeps ${quote(reserved)} for itself` }
  const source = { dot, author: 'untrusted' }
  const { returned, value } = yield* callSource('pipeline', `${nodeContext.typed.graph.id}.${nodeContext.node.id}`, source, inputs)
  const object = isObject(value) ? value : {}
  if (returned !== 'done') return { problem: `the pipeline ${returned}: ${renderText(object['message']) || 'no reason'}` }
  const context = isObject(object['context']) ? object['context'] : object
  const shown = Object.entries(context).filter(([key]) => !/^(?:internal\.|graph\.|__|#)/.test(key))
  return { result: { status: object['status'] ?? 'success', context: Object.fromEntries(shown) as Json, steps: object['steps'] ?? 0 } }
}
