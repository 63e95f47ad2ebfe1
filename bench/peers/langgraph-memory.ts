import { Annotation, END, START, StateGraph } from '@langchain/langgraph'

/** So many nodes in a row, in memory and with nothing kept; each writes one number. */
export function langgraphLine(size: number): () => Promise<void> {
  const state = Annotation.Root({ value: Annotation<number> })
  const graph = new StateGraph(state)
  const names = Array.from({ length: size }, (_, i) => `n${i}`)
  for (const name of names) graph.addNode(name, ({ value }: { value: number }) => ({ value: value + 1 }))
  for (const [i, name] of names.entries()) graph.addEdge((names[i - 1] ?? START) as never, name as never)
  graph.addEdge(names.at(-1) as never, END)
  const compiled = graph.compile()
  return async () => void (await compiled.invoke({ value: 0 }, { recursionLimit: size + 2 }))
}

/** So many branches side by side, and a node that joins them. */
export function langgraphBranches(size: number): () => Promise<void> {
  const state = Annotation.Root({ values: Annotation<number[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }) })
  const graph = new StateGraph(state)
  graph.addNode('fork', () => ({}))
  graph.addNode('join', () => ({}))
  graph.addEdge(START, 'fork' as never)
  graph.addEdge('join' as never, END)
  for (let i = 0; i < size; i++) {
    graph.addNode(`b${i}`, () => ({ values: [i] }))
    graph.addEdge('fork' as never, `b${i}` as never)
  }
  graph.addEdge(Array.from({ length: size }, (_, i) => `b${i}`) as never, 'join' as never)
  const compiled = graph.compile()
  return async () => void (await compiled.invoke({ values: [] }, { recursionLimit: size + 5 }))
}
