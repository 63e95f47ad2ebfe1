import { type Fault, isFault, type Json, type JsonObject } from '../../../kernel/index.ts'
import { readJson, suggest } from '../../../text/index.ts'
import type { RunOptionValues } from '../../../programs/run-options.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { Layout } from '../compile/layout.ts'
import { readSubstitutes, StandIns, type Substitutes } from '../compile/substitutes.ts'
import { faults } from '../model/faults.ts'
import { findNode } from '../tick/find-node.ts'
import { readCommand } from '../tick/read-command.ts'
import type { TREE_RUN_OPTIONS } from './run-options.ts'

/** Returns what a run of a tree is told by its options. Throws `R1216` for a breakpoint that cannot be set, and for substitutes of no node. */
export function startArgs(
  def: CompiledTree,
  { stays, break: place, step, substitute }: RunOptionValues<typeof TREE_RUN_OPTIONS>,
): JsonObject {
  const command = place === undefined ? undefined : `break ${place}`
  if (command !== undefined) checkBreak(def, command)
  const debug = [...(command === undefined ? [] : [command]), ...(step === true ? ['step'] : [])]
  return {
    ...(stays === true ? { _stays: true } : {}),
    ...(debug.length === 0 ? {} : { _debug: debug }),
    ...(substitute === undefined ? {} : { _substitute: substitutesOf(def, substitute) }),
  }
}

/** A node of a tree to which this one refers is checked when the run begins. */
function checkBreak(def: CompiledTree, text: string): void {
  const read = readCommand(text)
  if (isFault(read)) throw read
  if (!('node' in read) || read.node.includes('/')) return
  const { nodes } = new Layout(def, () => undefined, { isAlone: true })
  const node = def.refs.length + def.lazyRefs.length > 0 ? undefined : findNode(nodes, read.node)
  if (isFault(node)) throw node
}

/** The nodes of a tree to which this one refers are not looked for. */
function substitutesOf(def: CompiledTree, text: string): Substitutes {
  const read = readSubstitutes(text.trimStart().startsWith('{') ? jsonOf(text) : wordsOf(text))
  if ('mistake' in read) throw wrongSubstitutes(read.mistake)
  const { substitutes } = read
  const { nodes } = new Layout(def, () => undefined, { isAlone: true })
  const paths = nodes.map(({ path }) => path)
  const unused = def.refs.length + def.lazyRefs.length > 0 ? undefined : new StandIns(substitutes).unused(paths)
  if (unused === undefined) return substitutes
  const guess = suggest(unused, paths)
  throw wrongSubstitutes(`${unused}: the tree has no such node`, guess === undefined ? 'write the path of a node' : `write ${guess}`)
}

function jsonOf(text: string): Json {
  const { value, findings } = readJson(text)
  if (value === undefined) throw wrongSubstitutes(findings[0]?.message ?? 'it is not JSON')
  return value
}

/** Returns `a=success,b=failure` as an object. */
function wordsOf(text: string): JsonObject {
  return Object.fromEntries(
    text.split(',').map((part): [string, Json] => {
      const at = part.lastIndexOf('=')
      return [part.slice(0, Math.max(0, at)).trim(), part.slice(at + 1).trim()]
    }),
  )
}

function wrongSubstitutes(why: string, fix = 'write NODE=success, NODE=failure or NODE=running, or an object as JSON'): Fault {
  return faults.make('R1216', `the substitutes of the run cannot be used: ${why}`, { fix })
}
