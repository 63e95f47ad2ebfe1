import { FAILURE } from '../manifest/behaviour.ts'
import { defineNode, MANY } from '../manifest/manifest.ts'
import { withMemory } from './with-memory.ts'
import { ofSelector } from './outcomes.ts'

export const selectorWithMemory = defineNode({
  type: 'selector_with_memory',
  role: 'composite',
  children: [1, MANY],
  lua: {
    aliases: ['fallback_with_memory'],
    shapes: [['children'], ['children', 'config']],
  },
  parameters: [],
  propagates: 'all',
  outcomes: ofSelector,
  doc: 'A selector that, after a success, begins at the child that succeeded. After a failure it begins at the first.',
  example: 'BT.selector_with_memory({ BT.action("cache", { fn = "read.cache" }), BT.action("origin", { fn = "read.origin" }) })',
  behaviour: withMemory(FAILURE),
})
