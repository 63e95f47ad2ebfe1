import { integerOf, textOf } from '../../dot/graph.ts'
import type { Handler } from '../../contract/handler.ts'
import { askMemory } from '../data/memory-handlers.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { uri } from '../../model/capability-uris.ts'
import { context, key, writes } from '../../model/operation-ports.ts'
import { LIMIT } from '../parameters.ts'

const RECALLED = 10

/** Recalls the best matches for a value of the context by full-text search (reference pipeline 4.7). */
const run: Handler = (context) => {
  const query = context.text(textOf(context.attributes, 'source_key')?.trim() || 'session.input')
  const limit = integerOf(context.attributes, 'limit') ?? RECALLED
  return askMemory(context, 'recall', { query, limit }, (value) => ({
    'memory.recalled': value,
    'memory.recall_count': Array.isArray(value) ? value.length : 0,
  }))
}

export const memoryRecall = defineOperation({
  name: 'memory.recall',
  does: 'Recalls memories of the agent that match a value of the context.',
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
