import { textOf } from '../../dot/graph.ts'
import type { Handler } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { requiredText, requiredValue } from './requirements.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { key, writesAt } from '../../model/operation-ports.ts'
import { CONTENT } from '../parameters.ts'

/** Writes a value of the context, or a value of the author, under another key (reference pipeline 4.8). */
const run: Handler = (context) => {
  const output = requiredText(context, 'output_key')
  if (typeof output !== 'string') return output
  const key = textOf(context.attributes, 'content_key')?.trim() ?? ''
  const written = context.attributes.get('value')?.value
  if (key === '')
    return written === undefined
      ? refusal(`${context.node.rawType} ${context.node.id}: no content_key or value`)
      : success({ [output]: written })
  const found = requiredValue(context, key)
  return 'status' in found ? found : success({ [output]: found.value })
}

export const writeContext = defineOperation({
  name: 'write.context',
  does: 'Writes a value under another key of the context.',
  types: [],
  dispatch: [{ type: 'write', by: { target: 'context' } }],
  usual: ['output_key'],
  parameters: {
    ...CONTENT,
    value: attribute('text', 'The value to write, instead of a context value.'),
  },
  requires: ['output_key'],
  reads: [key('content_key')],
  writes: [writesAt('inputs', 'output_key')],
  repeat: 'idempotent',
  run,
})
