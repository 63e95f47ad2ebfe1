import { textOf } from '../../dot/graph.ts'
import type { Handler } from '../../contract/handler.ts'
import { refusal } from '../../contract/outcome.ts'
import { askMemory } from '../data/memory-handlers.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { uri } from '../../model/capability-uris.ts'
import { context, writes } from '../../model/operation-ports.ts'

const STRATEGIES = ['full', 'decay_only', 'prune_only']

/** Weakens old memories, deletes expired ones, or both. */
const run: Handler = (context) => {
  const strategy = textOf(context.attributes, 'strategy')?.trim() || 'full'
  if (!STRATEGIES.includes(strategy))
    return refusal(`${context.node.id}: strategy must be one of ${STRATEGIES.join(', ')}, not ${JSON.stringify(strategy)}`)
  return askMemory(context, 'consolidate', { strategy }, (value) => ({ 'memory.consolidation_result': value }))
}

export const memoryConsolidate = defineOperation({
  name: 'memory.consolidate',
  does: 'Weakens old memories, deletes expired ones, or both.',
  dispatch: [{ type: 'write', by: { target: 'memory', op: 'consolidate' } }],
  parameters: {
    strategy: attribute(['full', 'decay_only', 'prune_only'], 'The steps to perform.', { usual: 'full' }),
  },
  reads: [context('session.agent_id', 'control')],
  writes: writes('engine', 'memory.consolidation_result'),
  repeat: 'side_effecting',
  needs: () => [uri('memory', 'consolidate')],
  run,
})
