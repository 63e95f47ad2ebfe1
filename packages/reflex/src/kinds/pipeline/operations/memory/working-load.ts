import type { Handler } from '../../contract/handler.ts'
import { askMemory } from '../data/memory-handlers.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { uri } from '../../model/capability-uris.ts'
import { context, writes } from '../../model/operation-ports.ts'

/** Reads the working memory of the agent. */
const run: Handler = (context) => askMemory(context, 'working_load', {}, (value) => ({ 'memory.working_memory': value }))

export const memoryWorkingLoad = defineOperation({
  name: 'memory.working_load',
  does: 'Reads the working memory of the agent.',
  dispatch: [{ type: 'read', by: { source: 'memory', op: 'working_load' } }],
  parameters: {},
  reads: [context('session.agent_id', 'control')],
  writes: writes('derived', 'memory.working_memory'),
  repeat: 'read_only',
  needs: () => [uri('memory', 'working_load')],
  run,
})
