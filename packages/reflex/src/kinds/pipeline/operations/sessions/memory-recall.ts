import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { uri } from '../../model/capability-uris.ts'
import { authored, context, writes } from '../../model/operation-ports.ts'
import { serves, session } from './serves.ts'
import { memoryRecall } from '../models/session-memory.ts'

/** The capability for each type of recalled values. */
const RECALLED_BY: ReadonlyMap<string, string> = new Map([
  ['goals', 'recall_goals'],
  ['intents', 'recall_intents'],
  ['beliefs', 'recall_beliefs'],
])

export const sessionMemoryRecall = defineOperation({
  name: 'session.memory_recall',
  does: 'Recalls goals, intents, beliefs or memories of the agent.',
  dispatch: [{ type: 'compose', by: { mode: 'session', op: 'memory_recall' }, injects: { mode: 'session' } }],
  parameters: {
    recall_type: attribute('text', 'The values to recall: goals, intents, beliefs or memories.'),
  },
  reads: [context('session.agent_id', 'control'), ...session('input'), authored('recall_type')],
  writes: writes('derived', 'session.goals', 'session.intents', 'session.beliefs', 'session.recalled_memories'),
  repeat: 'read_only',
  needs: (node) => [uri('memory', RECALLED_BY.get(node.text('recall_type') ?? '') ?? 'memory_recall')],
  takesPrompt: true,
  run: serves(memoryRecall),
})
