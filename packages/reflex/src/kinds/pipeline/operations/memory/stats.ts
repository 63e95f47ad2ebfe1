import type { Handler } from '../../contract/handler.ts'
import { askMemory } from '../data/memory-handlers.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { uri } from '../../model/capability-uris.ts'
import { context, writes } from '../../model/operation-ports.ts'

/** Counts the memories of the agent. */
const run: Handler = (context) => askMemory(context, 'stats', {}, (value) => ({ 'memory.stats': value }))

export const memoryStats = defineOperation({
  name: 'memory.stats',
  does: 'Counts the memories of the agent.',
  dispatch: [{ type: 'read', by: { source: 'memory', op: 'stats' } }],
  parameters: {},
  reads: [context('session.agent_id', 'control')],
  writes: writes('derived', 'memory.stats'),
  repeat: 'read_only',
  needs: () => [uri('memory', 'stats')],
  run,
})
