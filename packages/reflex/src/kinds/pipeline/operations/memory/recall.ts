import { defineOperation } from '../../contract/define-operation.ts'
import { uri } from '../../model/capability-uris.ts'
import { context, key, writes } from '../../model/operation-ports.ts'
import { LIMIT } from '../parameters.ts'
import { memoryRecall as run } from '../data/memory-handlers.ts'

export const memoryRecall = defineOperation({
  name: 'memory.recall',
  does: 'Recalls memories of the agent that fit a value of the context.',
  dispatch: [
    { type: 'read', by: { source: 'memory', op: 'recall' } },
    { type: 'read', by: { source: 'memory' } },
  ],
  usual: [],
  parameters: {
    ...LIMIT,
  },
  reads: [context('session.agent_id', 'control'), key('source_key', 'session.input')],
  writes: writes('derived', 'memory.recalled', 'memory.recall_count'),
  repeat: 'read_only',
  needs: () => [uri('memory', 'recall')],
  run,
})
