import { SUCCESS } from '../manifest/behaviour.ts'
import { defineNode, MANY } from '../manifest/manifest.ts'
import { withMemory } from './with-memory.ts'
import { ofSequence } from './outcomes.ts'

export const sequenceWithMemory = defineNode({
  type: 'sequence_with_memory',
  role: 'composite',
  children: [1, MANY],
  lua: {
    shapes: [['children'], ['children', 'config']],
  },
  xml: { SequenceWithMemory: {} },
  parameters: [],
  propagates: 'any',
  outcomes: ofSequence,
  doc: 'A sequence that, after a failure, begins at the child that failed. After a success it begins at the first.',
  example: 'BT.sequence_with_memory({ BT.action("fill", { fn = "pump.fill" }), BT.action("drive", { fn = "truck.drive" }) })',
  behaviour: withMemory(SUCCESS),
})
