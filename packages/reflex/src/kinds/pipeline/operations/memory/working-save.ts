import type { Handler } from '../../contract/handler.ts'
import { requiredValue } from '../commands/requirements.ts'
import { askMemory } from '../data/memory-handlers.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { uri } from '../../model/capability-uris.ts'
import { context, writes } from '../../model/operation-ports.ts'

/** Writes the working memory of the agent. */
const run: Handler = (context) => {
  const found = requiredValue(context, 'memory.working_memory')
  if ('status' in found) return found
  return askMemory(context, 'working_save', { working_memory: found.value }, (value) => ({ 'memory.saved': value }))
}

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
