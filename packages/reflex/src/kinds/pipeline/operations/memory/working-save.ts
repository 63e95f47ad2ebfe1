import { defineOperation } from '../../contract/define-operation.ts'
import { uri } from '../../model/capability-uris.ts'
import { context, writes } from '../../model/operation-ports.ts'
import { memoryWorkingSave as run } from '../data/memory-handlers.ts'

export const memoryWorkingSave = defineOperation({
  name: 'memory.working_save',
  does: 'Writes the working memory of the agent.',
  dispatch: [{ type: 'write', by: { target: 'memory', op: 'working_save' } }],
  parameters: {},
  reads: [context('session.agent_id', 'control'), context('memory.working_memory')],
  writes: writes('engine', 'memory.saved'),
  repeat: 'side_effecting',
  needs: () => [uri('memory', 'working_save')],
  run,
})
