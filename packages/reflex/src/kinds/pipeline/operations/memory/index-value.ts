import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { uri } from '../../model/capability-uris.ts'
import { context, key, writes } from '../../model/operation-ports.ts'
import { memoryIndex as run } from '../data/memory-handlers.ts'

export const memoryIndex = defineOperation({
  name: 'memory.index',
  does: 'Remembers a value of the context.',
  dispatch: [
    { type: 'write', by: { target: 'memory', op: 'index' } },
    { type: 'write', by: { target: 'memory' } },
  ],
  usual: [],
  parameters: {
    metadata: attribute('json', 'What to remember with it, as an object.'),
  },
  reads: [context('session.agent_id', 'control'), key('source_key', 'llm.content')],
  writes: writes('engine', 'memory.indexed'),
  repeat: 'side_effecting',
  needs: () => [uri('memory', 'index')],
  run,
})
