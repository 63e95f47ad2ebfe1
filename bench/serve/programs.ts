import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Reflex } from '../../packages/reflex/src/app/reflex.ts'
import { defineTool } from '../../packages/reflex/src/tools/index.ts'

/** The number of nodes of the run that is read. */
const LONG = 100
/** The most beats of a run. */
const MOST_BEATS = 200

const TOTAL = {
  id: 'total',
  entry: 'add',
  board: { order: { type: 'string' }, total: { type: 'number' } },
  nodes: {
    add: {
      id: 'add',
      spec: { writes: { total: 84 } },
      inputs: [{ key: 'order', required: true, inherited: true }],
      outputs: [{ key: 'total', guaranteed: true }],
    },
  },
  edges: [],
}

type Spec = Readonly<Record<string, unknown>>

/** A workflow of nodes in a row. */
function row(id: string, specs: readonly Spec[]): { readonly id: string } & Spec {
  const nodes: Record<string, Spec> = {}
  for (const [i, spec] of specs.entries()) nodes[`n${i}`] = { id: `n${i}`, spec }
  const edges = specs.slice(1).map((_, i) => ({ id: `e${i}`, from: `n${i}`, to: `n${i + 1}`, event: 'NEXT' }))
  return { id, entry: 'n0', nodes, edges }
}

const CHAIN = row(
  'chain',
  Array.from({ length: LONG }, (_, i) => ({ writes: { [`key${i % 50}`]: `the value of node ${i}` } })),
)
const BEATS = row(
  'beats',
  Array.from({ length: MOST_BEATS }, () => ({ tool: 'beat', args: {}, writes: 'at' })),
)

const ASK =
  'digraph ask { goal="Release it"; start [shape=Mdiamond]; gate [shape=hexagon, label="Release?"]; exit [shape=Msquare]; start -> gate; gate -> exit [label="yes"]; gate -> exit [label="no"] }'

/** Writes the programs of the bench into a folder. */
export function writePrograms(folder: string): void {
  for (const program of [TOTAL, BEATS, CHAIN]) writeFileSync(join(folder, `${program.id}.workflow.json`), JSON.stringify(program))
  writeFileSync(join(folder, 'ask.dot'), ASK)
}

/** The input of the program `total`. */
export const INPUT = { order: 'A-1' } as const

/** Beats that runs wait for, by run. */
export class Beats {
  readonly #waiting = new Map<string, () => void>()

  /** A tool that returns at the next beat of its run. */
  readonly tool = defineTool({
    name: 'beat',
    description: 'Waits for the next beat.',
    leaves: true,
    repeat: 'free',
    run: async (_, { run = '', signal }) => {
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true })
        this.#waiting.set(run, resolve)
      })
      return 'beat'
    },
  })

  /** Returns false for a run that is not waiting yet. */
  strike(run: string): boolean {
    const resume = this.#waiting.get(run)
    this.#waiting.delete(run)
    resume?.()
    return resume !== undefined
  }
}

/** Opens Reflex over the programs of a folder and a SQLite file in it. */
export function reflexIn(folder: string, file: string, beats: Beats): Reflex {
  return new Reflex({ store: join(folder, file), workdir: folder, actor: 'bench', trust: 'trusted', tools: [beats.tool] })
}
