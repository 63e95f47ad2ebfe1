import { Annotation, END, START, StateGraph } from '@langchain/langgraph'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import Database from 'better-sqlite3'

/** `sync`: a step is in the store before the next begins. `async`, its default: while the next is under way. */
type Durability = 'sync' | 'async'
type Graph = ReturnType<StateGraph<never>['compile']>

/** The peer, with its SQLite saver in one file, at the settings of our store. */
export class LangGraph {
  readonly #db: Database.Database
  readonly #saver: SqliteSaver
  #threads = 0

  constructor(file: string) {
    this.#db = new Database(file)
    this.#db.pragma('journal_mode = WAL')
    this.#db.pragma('synchronous = FULL')
    this.#saver = new SqliteSaver(this.#db)
  }

  /** So many nodes in a row; each writes one number. Every call is a run of its own. */
  line(size: number, durability: Durability): () => Promise<void> {
    const state = Annotation.Root({ value: Annotation<number> })
    const graph = new StateGraph(state)
    const names = Array.from({ length: size }, (_, i) => `n${i}`)
    for (const name of names) graph.addNode(name, async ({ value }: { value: number }) => ({ value: value + 1 }))
    for (const [i, name] of names.entries()) graph.addEdge((names[i - 1] ?? START) as never, name as never)
    graph.addEdge(names.at(-1) as never, END)
    return this.#runs(graph.compile({ checkpointer: this.#saver }) as never, { value: 0 }, size, durability)
  }

  /** One node that goes round so many times and adds an entry each time. */
  growing(steps: number, entry: string): () => Promise<void> {
    const state = Annotation.Root({
      entries: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
    })
    const graph = new StateGraph(state)
      .addNode('add', async () => ({ entries: [entry] }))
      .addEdge(START, 'add')
      .addConditionalEdges('add', ({ entries }) => (entries.length < steps ? 'add' : END))
    return this.#runs(graph.compile({ checkpointer: this.#saver }) as never, { entries: [] }, steps, 'sync')
  }

  #runs(graph: Graph, input: unknown, steps: number, durability: Durability): () => Promise<void> {
    return async () => {
      const configurable = { thread_id: String(++this.#threads) }
      await graph.invoke(input as never, { configurable, durability, recursionLimit: steps + 2 })
    }
  }

  close(): void {
    this.#db.close()
  }
}
