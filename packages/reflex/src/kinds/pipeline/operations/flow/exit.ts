import type { Handler } from '../../contract/handler.ts'
import { success } from '../../contract/outcome.ts'
import { defineOperation } from '../../contract/define-operation.ts'

/** Succeeds: the engine has already checked the goal gates (reference pipeline 3.2, step 3). */
const run: Handler = () => success(undefined, { notes: 'Pipeline completed' })

export const exit = defineOperation({
  name: 'exit',
  does: 'Ends the pipeline.',
  types: [],
  shape: 'Msquare',
  dispatch: [{ type: 'exit' }],
  parameters: {},
  repeat: 'idempotent',
  run,
})
