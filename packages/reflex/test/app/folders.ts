import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ReflexOptions } from '../../src/app/options.ts'
import { Reflex } from '../../src/app/reflex.ts'

/** A folder of its own for a test. */
export function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-replay-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** One more life of a process over the store of a folder, or over one that is given. */
export function lifeIn(folder: string, options: ReflexOptions = {}): Reflex {
  const reflex = new Reflex({ workdir: folder, store: join(folder, 'reflex.db'), ...options })
  onTestFinished(() => reflex.close())
  return reflex
}

/** A workflow of nodes, each with its spec, and edges `from to [event]`. */
export function workflow(
  id: string,
  nodes: Readonly<Record<string, object>>,
  edges: readonly (readonly [string, string, string, object?])[],
): object {
  return {
    id,
    entry: Object.keys(nodes)[0] ?? '',
    nodes: Object.fromEntries(
      Object.entries(nodes).map(([name, node]) => [name, { id: name, ...('invokes' in node ? { spec: {}, ...node } : { spec: node }) }]),
    ),
    edges: edges.map(([name, from, to, guard]) => ({
      id: name,
      from,
      to,
      event: name.toUpperCase(),
      ...(guard === undefined ? {} : { guard }),
    })),
  }
}

/** A workflow of so many nodes in a row, each of which writes a little. */
export function chain(length: number): object {
  const names = Array.from({ length }, (_, i) => `n${i}`)
  const nodes = names.map((name, i) => [name, { writes: { [`key ${i % 50}`]: `value ${i} of a chain of ${length}` } }] as const)
  return workflow(
    'chain',
    Object.fromEntries(nodes),
    names.slice(1).map((name, i) => [`e${i}`, `n${i}`, name] as const),
  )
}
