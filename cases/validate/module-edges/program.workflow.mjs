import { workflow } from 'reflex-runtime/workflow'

export const program = workflow({
  id: 'edges',
  entry: 'a',
  nodes: { a: {}, b: {}, c: {} },
  edges: [
    { from: 'a', to: 'b' },
    { from: 'a', to: 'c' },
  ],
})
