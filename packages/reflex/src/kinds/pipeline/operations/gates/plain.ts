import type { Handler } from '../../contract/handler.ts'
import { success } from '../../contract/outcome.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { writes } from '../../model/operation-ports.ts'
import { GATE } from '../parameters.ts'

/** Passes always and warns: the gate has no condition. */
const run: Handler = (context) => {
  const { id } = context.node
  context.note('stage_warning', { node_id: id, warning: 'the gate always passes: write predicate, expression or condition_key' })
  return success(undefined, { notes: `${id} has no predicate` })
}

export const gatePlain = defineOperation({
  name: 'gate',
  does: 'Always passes, with a warning.',
  types: [],
  dispatch: [{ type: 'gate' }],
  usual: [],
  parameters: {
    ...GATE,
  },
  writes: writes('engine', 'gate.<id>.passed'),
  repeat: 'read_only',
  run,
})
