import type { Json } from '../../../../kernel/index.ts'
import type { Handler } from '../../contract/handler.ts'
import { success } from '../../contract/outcome.ts'
import { defineOperation } from '../../contract/define-operation.ts'

/** Writes the values of its attributes `context.<key>` and `init.<key>` to the context (reference pipeline 4.2). */
const run: Handler = ({ attributes }) => {
  const values = [...attributes].flatMap(([key, { value }]): [string, Json][] => {
    const [prefix, name] = [key.slice(0, key.indexOf('.') + 1), key.slice(key.indexOf('.') + 1)]
    return prefix === 'context.' || prefix === 'init.' ? [[name, value]] : []
  })
  return success(values.length === 0 ? undefined : Object.fromEntries(values))
}

export const start = defineOperation({
  name: 'start',
  does: 'Starts the pipeline and writes the values of its attributes context.* and init.* to the context.',
  types: [],
  shape: 'Mdiamond',
  dispatch: [{ type: 'start' }],
  parameters: {},
  repeat: 'idempotent',
  run,
})
