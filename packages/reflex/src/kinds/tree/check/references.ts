import { isObject, type Program } from '../../../kernel/index.ts'
import { cyclesOf, shortestCycle } from '../../../programs/cycles.ts'
import { didYouMean, quote, quoteAll, suggest } from '../../../text/index.ts'
import { programName } from '../nodes/call.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { textOf } from '../model/text-of.ts'
import type { Findings } from './finding.ts'
import type { CheckedNode } from './subject.ts'

/** What a host knows, and the programs around a tree. What is absent is not checked. */
export interface KnownNames {
  /** Finds a program by `kind:id`. */
  readonly lookup?: ((reference: string) => Pick<Program, 'kind' | 'def'> | undefined) | undefined
  /** The names of the programs of a kind, for suggestions. */
  readonly names?: ((kind: string) => Iterable<string>) | undefined
  /** The names of the functions of the host. */
  readonly functions?: readonly string[] | undefined
  readonly tools?: readonly string[] | undefined
}

const MOST_NAMES = 10

/** Checks the names of functions, tools, trees and programs, and that no tree contains itself. */
export function checkReferences(tree: CompiledTree, nodes: readonly CheckedNode[], known: KnownNames, findings: Findings): void {
  for (const checked of nodes) {
    const { params, manifest } = checked.node
    if (manifest.tool !== undefined) missingName(checked, undefined, manifest.tool, 'tool', known.tools, findings)
    for (const { name, type } of manifest.parameters) {
      const value = params[name]
      if (value === undefined) continue
      if (type === 'function') missingName(checked, name, textOf(value), 'function', known.functions, findings)
      if (type === 'condition' && isObject(value)) missingName(checked, name, textOf(value.fn), 'function', known.functions, findings)
      if (type === 'tool') missingName(checked, name, textOf(value), 'tool', known.tools, findings)
      if (type === 'tree' && params.lazy !== true) missingTree(tree, checked, name, textOf(value), known, findings)
      if (type === 'program') missingProgram(checked, name, programName(textOf(value)), known, findings)
    }
  }
  const { recovery_tree } = tree.source
  if (recovery_tree !== undefined) missingTree(tree, undefined, 'recovery_tree', recovery_tree, known, findings)
  checkCycles(tree, nodes, known, findings)
}

function missingName(
  checked: CheckedNode,
  parameter: string | undefined,
  name: string,
  what: 'function' | 'tool',
  known: readonly string[] | undefined,
  findings: Findings,
): void {
  if (known === undefined || known.includes(name)) return
  findings.add('R1203', checked, name, () => {
    const guess = suggest(name, known)
    const hint = didYouMean(guess)
    return {
      rule: 'E4003',
      message: `${checked.node.source.id} names the ${what} ${name}, which does not exist${hint === undefined ? '' : `; ${hint}`}`,
      note: hint ?? `no such ${what}`,
      ...(parameter === undefined ? {} : { parameter }),
      fix: guess === undefined ? fixOf(what, known) : `write ${quote(guess)}`,
      data: { fn_path: name, available_modules: known.slice(0, MOST_NAMES) },
    }
  })
}

/** How a host gets what a tree names. */
const REGISTER = {
  function: 'give the function to Reflex as tree.functions (the command has no functions of a host)',
  tool: 'name the module that exports it with --tools',
} as const

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : quoteAll(names, MOST_NAMES)
}

function fixOf(what: 'function' | 'tool', known: readonly string[]): string {
  return known.length === 0 ? REGISTER[what] : `${REGISTER[what]}, or name one of ${quoteAll(known, MOST_NAMES)}`
}

function missingTree(
  tree: CompiledTree,
  checked: CheckedNode | undefined,
  parameter: string,
  name: string,
  { lookup, names }: KnownNames,
  findings: Findings,
): void {
  // A recovery tree runs beside the tree, so it is a program of its own.
  const isInFile = checked !== undefined && tree.source.trees?.[name] !== undefined
  if (lookup === undefined || isInFile || lookup(programName(name)) !== undefined) return
  findings.add('R1204', checked, name, () => {
    const available = [...new Set([...Object.keys(tree.source.trees ?? {}), ...(names?.('tree') ?? [])])].toSorted()
    const hint = didYouMean(suggest(name, available))
    const line = checked?.node.source.line
    const where = `${tree.source.file ?? tree.id}${line === undefined ? '' : `:${line}`}`
    return {
      rule: 'E4004',
      message: `the tree ${name}, to which ${where} refers, is not found${hint === undefined ? '.' : `; ${hint}`} Known trees: ${listed(available)}`,
      note: hint ?? 'no such tree',
      ...(checked === undefined ? { at: [parameter] } : { parameter }),
      fix: 'correct the name, add the file, or write lazy = true if the tree is loaded later',
      data: { tree: name, available_trees: available.slice(0, MOST_NAMES) },
    }
  })
}

function missingProgram(checked: CheckedNode, parameter: string, name: string, { lookup, names }: KnownNames, findings: Findings): void {
  if (lookup === undefined || lookup(name) !== undefined) return
  findings.add('R1280', checked, name, () => {
    const colon = name.indexOf(':')
    const guess = suggest(name.slice(colon + 1), names?.(name.slice(0, colon)) ?? [])
    const hint = didYouMean(guess === undefined ? undefined : name.slice(0, colon + 1) + guess)
    return {
      message: `${checked.node.source.id} calls ${name}, which does not exist${hint === undefined ? '' : `; ${hint}`}`,
      note: hint ?? 'no such program',
      parameter,
      fix: guess === undefined ? 'correct the name, or add the file' : `write ${quote(name.slice(0, colon + 1) + guess)}`,
      data: { program: name },
    }
  })
}

/** Trees that refer to each other at once would never end: the strongly connected parts of the references. */
function checkCycles(tree: CompiledTree, nodes: readonly CheckedNode[], { lookup }: KnownNames, findings: Findings): void {
  const trees = new Map([[tree.id, tree]])
  const next = (name: string): readonly string[] => trees.get(name)?.refs ?? []
  collect(tree.id, trees, lookup)
  for (const members of cyclesOf([...trees.keys()], next)) {
    const cycle = shortestCycle(members, next)
    const checked = nodes.find(
      ({ node }) =>
        node.manifest.type === 'subtree_ref' && node.params.lazy !== true && leadsTo(textOf(node.params.tree_name), members, next),
    )
    findings.add('R1232', checked, cycle.join(), () => ({
      rule: 'E3002',
      message: `${cycle[0] ?? ''} contains itself: ${cycle.join(' → ')}`,
      note: cycle.join(' → '),
      parameter: 'tree_name',
      fix: 'break the cycle, for instance with BT.call, which runs the tree as a program of its own',
      data: { cycle },
    }))
  }
}

function collect(first: string, trees: Map<string, CompiledTree>, lookup: KnownNames['lookup']): void {
  const open = [first]
  for (const id of open) {
    for (const name of trees.get(id)?.refs ?? []) {
      const program = trees.has(name) ? undefined : lookup?.(programName(name))
      if (program?.kind !== 'tree') continue
      trees.set(name, program.def as CompiledTree)
      open.push(name)
    }
  }
}

function leadsTo(name: string, members: readonly string[], next: (name: string) => readonly string[]): boolean {
  const seen = new Set([name])
  for (const at of seen) {
    if (members.includes(at)) return true
    for (const to of next(at)) seen.add(to)
  }
  return false
}
