import { isFault, type JsonObject } from '../../../kernel/index.ts'
import type { RunOptionValues } from '../../../programs/run-options.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { Layout } from '../compile/layout.ts'
import { findNode } from '../tick/find-node.ts'
import { readCommand } from '../tick/read-command.ts'
import type { TREE_RUN_OPTIONS } from './run-options.ts'

/** Returns what a run of a tree is told by its options. Throws `R1216` for a breakpoint that cannot be set. */
export function startArgs(def: CompiledTree, { stays, break: place, step }: RunOptionValues<typeof TREE_RUN_OPTIONS>): JsonObject {
  const command = place === undefined ? undefined : `break ${place}`
  if (command !== undefined) checkBreak(def, command)
  const debug = [...(command === undefined ? [] : [command]), ...(step === true ? ['step'] : [])]
  return { ...(stays === true ? { _stays: true } : {}), ...(debug.length === 0 ? {} : { _debug: debug }) }
}

/** A node of a tree to which this one refers is checked when the run begins. */
function checkBreak(def: CompiledTree, text: string): void {
  const read = readCommand(text)
  if (isFault(read)) throw read
  if (!('node' in read) || read.node.includes('/')) return
  const { nodes } = new Layout(def, () => undefined, 'alone')
  const node = def.refs.length + def.lazyRefs.length > 0 ? undefined : findNode(nodes, read.node)
  if (isFault(node)) throw node
}
