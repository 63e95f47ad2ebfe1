import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { uri } from '../../model/capability-uris.ts'
import { context, writes } from '../../model/operation-ports.ts'
import { memoryConsolidate as run } from '../data/memory-handlers.ts'

export const memoryConsolidate = defineOperation({
  name: 'memory.consolidate',
  does: 'Lets memories fade, drops faded ones, or both.',
  dispatch: [{ type: 'write', by: { target: 'memory', op: 'consolidate' } }],
  parameters: {
    strategy: attribute(['full', 'decay_only', 'prune_only'], 'How memories are consolidated.', { usual: 'full' }),
  },
  reads: [context('session.agent_id', 'control')],
  writes: writes('engine', 'memory.consolidation_result'),
  repeat: 'side_effecting',
  needs: () => [uri('memory', 'consolidate')],
  run,
})
