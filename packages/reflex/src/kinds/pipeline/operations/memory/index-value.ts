import { isObject } from '../../../../kernel/index.ts'
import { textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import type { Handler } from '../../contract/handler.ts'
import { refusal } from '../../contract/outcome.ts'
import { requiredValue } from '../commands/requirements.ts'
import { parseJson } from '../../language/parse-json.ts'
import { askMemory } from '../data/memory-handlers.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { uri } from '../../model/capability-uris.ts'
import { context, key, writes } from '../../model/operation-ports.ts'

/** Stores a value of the context in memory. */
const run: Handler = (context) => {
  const found = requiredValue(context, textOf(context.attributes, 'source_key')?.trim() || 'llm.content')
  if ('status' in found) return found
  const text = textOf(context.attributes, 'metadata')?.trim() ?? ''
  const metadata = text === '' ? {} : parseJson(text)
  if (!isObject(metadata)) return refusal(`${context.node.id}: metadata is not a JSON object`)
  return askMemory(context, 'index', { content: renderText(found.value), metadata }, (value) => ({ 'memory.indexed': value }))
}

export const memoryIndex = defineOperation({
  name: 'memory.index',
  does: 'Stores a value of the context in memory.',
  dispatch: [
    { type: 'write', by: { target: 'memory', op: 'index' } },
    { type: 'write', by: { target: 'memory' } },
  ],
  usual: [],
  parameters: {
    metadata: attribute('json', 'Metadata to store with it, as an object.'),
  },
  reads: [context('session.agent_id', 'control'), key('source_key', 'llm.content')],
  writes: writes('engine', 'memory.indexed'),
  repeat: 'side_effecting',
  needs: () => [uri('memory', 'index')],
  run,
})
