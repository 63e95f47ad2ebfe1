import { expect, it } from 'vitest'
import { locateInDefinition } from '../../../../src/kinds/dataflow/documents/locate.ts'

const TEXT = `{
  "id": "g", "version": "1.0.0",
  "nodes": {
    "tick": { "impl": "emit@1" },
    "once_a": { "cluster": "once@1" },
    "ack": { "impl": "ack@1" }
  },
  "edges": [
    "tick.event -> once_a.event",
    ["once_a.event", "ack.event"]
  ]
}`

it.each([
  [{ node: 'ack' }, 6],
  [{ node: 'once_a/gate' }, 5],
  [{ edge: 'once_a/gate.event -> ack.event' }, 10],
  [{ edge: 'tick.event -> once_a/gate.event' }, 9],
  [{ edge: 'once_a/not.result -> once_a/gate.condition' }, 5],
  [{ node: 'nobody' }, 1],
  [{ edge: 'x.y' }, 1],
  [{}, 1],
])('locates %j on line %i', (target, line) => {
  expect(locateInDefinition(TEXT, 'g.dataflow.json', target).line).toBe(line)
})

it('never throws for a text that is not a document', () => {
  for (const text of ['', '[]', '{"nodes":', '{"nodes": 1}'])
    expect(locateInDefinition(text, undefined, { node: 'a', edge: 'a.b -> c.d' })).toBeDefined()
})
