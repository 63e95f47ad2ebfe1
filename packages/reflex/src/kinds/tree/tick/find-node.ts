import type { Fault } from '../../../kernel/index.ts'
import { quote, suggest } from '../../../text/index.ts'
import type { LaidNode } from '../compile/layout.ts'
import { faults } from '../model/faults.ts'

/** Returns a node by its path, or by its id if no other has it. Returns `R1216` if there is none. */
export function findNode(nodes: readonly LaidNode[], name: string): LaidNode | Fault {
  const exact = nodes.find(({ path }) => path === name)
  const named = nodes.filter(({ id }) => id === name)
  const [only, second] = named
  if (exact !== undefined) return exact
  if (only !== undefined && second === undefined) return only
  const guess = suggest(
    name,
    nodes.map(({ path }) => path),
  )
  const why = only === undefined ? 'the tree has no such node' : `several nodes have this id: ${named.map(({ path }) => path).join(', ')}`
  return faults.make('R1216', `${quote(name)}: ${why}`, { fix: guess === undefined ? 'write the path of a node' : `write ${guess}` })
}
