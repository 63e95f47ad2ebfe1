import { type Fault } from '../../../kernel/index.ts'
import { programName } from '../nodes/call.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { AnswersOf } from './answers.ts'
import { Conditions } from './conditions.ts'
import { EntryValues } from './entry.ts'
import { Findings, type Locate } from './finding.ts'
import { Flow } from './flow.ts'
import { LeafFlow } from './leaf-flow.ts'
import { checkLimits } from './limits.ts'
import { checkMerges } from './merges.ts'
import { checkModelCalls } from './model-calls.ts'
import { Reads } from './reads.ts'
import { checkReferences, type KnownNames } from './references.ts'
import { checkShape } from './shape.ts'
import { type CheckedNode, nodesOf } from './subject.ts'
import { ValuesAt } from './values-at.ts'
import { type TreeOf, type Writes, writersIn, writesOf } from './writes.ts'

/** The surroundings of a tree. What is absent is not checked. */
export interface CheckOptions extends KnownNames {
  /** Returns the place of a part of the source in its file. */
  readonly locate?: Locate | undefined
  /** `errors`: only names that a run cannot do without. Default: everything. */
  readonly depth?: 'all' | 'alone' | 'errors' | undefined
}

/**
 * Returns what is wrong with a tree, in the order of its nodes: errors where no run does what the node says, warnings for what some runs meet,
 * and facts as info. Nothing is run. The time is linear in the nodes; of each code at most 20 findings are listed, and the others counted.
 */
export function checkTree(tree: CompiledTree, options: CheckOptions = {}): Fault[] {
  const { depth = 'all', lookup } = options
  const nodes = nodesOf(tree)
  const findings = new Findings(tree, options.locate)
  const calls = depth === 'all' ? {} : { lookup: undefined }
  // Only `validate` checks tools: a run may be simulated or replayed from recordings.
  const tools = depth === 'errors' ? { tools: undefined } : {}
  checkReferences(tree, nodes, { ...options, ...calls, ...tools }, findings)
  if (depth !== 'errors') prove(tree, nodes, depth === 'all' ? treesOf(lookup) : () => undefined, findings)
  return findings.faults()
}

/** Returns the names in a tree that mean nothing, and the circle of references in which it stands. */
export function checkNames(tree: CompiledTree, known: KnownNames): Fault[] {
  const findings = new Findings(tree, undefined)
  checkReferences(tree, nodesOf(tree), known, findings)
  return findings.faults()
}

function treesOf(lookup: KnownNames['lookup']): TreeOf {
  return (name) => {
    const program = lookup?.(programName(name))
    return program?.kind === 'tree' ? (program.def as CompiledTree) : undefined
  }
}

function prove(tree: CompiledTree, nodes: readonly [CheckedNode, ...CheckedNode[]], treeOf: TreeOf, findings: Findings): void {
  const writes = writesOf(nodes, treeOf)
  const answers = new AnswersOf(treeOf).all(tree, nodes)
  checkShape(nodes, { tree, answers, writes, findings })
  checkMerges(nodes, { tree, answers, writes, treeOf, findings })
  checkLimits(nodes, { tree, answers, findings })
  checkModelCalls(nodes, treeOf, findings)
  const whole = writes[0] ?? { keys: new Set<string>(), isOpaque: false }
  checkOutputs(tree, whole, findings)
  const values = new ValuesAt(new EntryValues(tree, whole))
  const reads = new Reads({ tree, values, writes, findings, writersOf: writersIn(nodes, treeOf) })
  const conditions = new Conditions(tree, values, reads, findings)
  const leaves = new LeafFlow({ tree, values, conditions, reads, findings, treeOf })
  new Flow({ values, conditions, leaves, writes }).visit(nodes[0])
}

/** Reports outputs of the contract that nothing writes. */
function checkOutputs({ id, source, defaults }: CompiledTree, writes: Writes, findings: Findings): void {
  if (writes.isOpaque) return
  for (const key of Object.keys(source.contract?.outputs ?? {})) {
    if (writes.keys.has(key) || defaults[key] !== undefined || source.board?.[key]?.global === true) continue
    findings.add('R1287', undefined, key, () => ({
      at: ['contract', 'outputs', key],
      message: `${id} declares the output ${key}, and nothing in it writes ${key}`,
      note: 'never written',
      fix: `write ${key}, or remove it from contract.outputs`,
      data: { key },
    }))
  }
}
