import type { CompiledNode, CompiledTree } from '../compile/compiled.ts'
import type { Outcomes } from '../manifest/manifest.ts'
import { textOf } from '../model/text-of.ts'
import { ANY } from '../nodes/outcomes.ts'
import type { CheckedNode } from './subject.ts'
import { nodesOf } from './subject.ts'
import type { TreeOf } from './writes.ts'

/** What is known of the answers of a node. */
export interface Answers extends Outcomes {
  /** Something in it can be RUNNING until time passes or an operation ends, so it does not use up the ticks. */
  readonly waits: boolean
}

const UNKNOWN: Answers = { ...ANY, waits: true }
const ALL: Outcomes = { success: true, failure: true, running: true }

/** Returns the possible answers of each node, in one pass upwards. Conditions count as both true and false. */
export class AnswersOf {
  readonly #treeOf: TreeOf
  readonly #trees = new Map<CompiledTree, Answers>()

  constructor(treeOf: TreeOf) {
    this.#treeOf = treeOf
  }

  all(tree: CompiledTree, nodes: readonly CheckedNode[]): readonly Answers[] {
    const answers: Answers[] = Array.from({ length: nodes.length })
    for (const checked of nodes.toReversed())
      answers[checked.index] = this.#answers(
        tree,
        checked.node,
        checked.children.map(({ index }) => answers[index] ?? UNKNOWN),
      )
    return answers
  }

  #tree(name: string): Answers {
    const tree = this.#treeOf(name)
    if (tree === undefined) return UNKNOWN
    const known = this.#trees.get(tree)
    if (known !== undefined) return known
    // A tree that contains itself is reported as such.
    this.#trees.set(tree, UNKNOWN)
    const [answers = UNKNOWN] = this.all(tree, nodesOf(tree))
    this.#trees.set(tree, answers)
    return answers
  }

  #answers(tree: CompiledTree, node: CompiledNode, children: readonly Answers[]): Answers {
    const { manifest, params, conditions, contract } = node
    const inner = manifest.type === 'subtree_ref' ? [this.#tree(textOf(params.tree_name))] : children
    const outcomes = isSureSet(tree, node) ? { ...ALL, failure: false, running: false } : manifest.outcomes(inner, params)
    const waits =
      manifest.type === 'delay' ||
      (manifest.type === 'retry' && Number(params.backoff_ms) > 0) ||
      (inner.length === 0 ? outcomes.running : inner.some((each) => each.waits))
    const isSkipped = conditions?.skipIf !== undefined || conditions?.while !== undefined
    const assigns = conditions?.onSuccess ?? conditions?.onFailure ?? conditions?.after
    return {
      // A sequence passes over a child that is skipped as after a success, a selector as after a failure.
      success: outcomes.success || isSkipped || conditions?.successIf !== undefined,
      failure:
        outcomes.failure ||
        isSkipped ||
        conditions?.failureIf !== undefined ||
        assigns !== undefined ||
        Object.keys({ ...contract?.inputs, ...contract?.inouts }).length > 0,
      running: outcomes.running,
      waits,
    }
  }
}

/** A value that its key accepts is always written. */
function isSureSet({ schemas }: CompiledTree, { manifest, params }: CompiledNode): boolean {
  if (manifest.type !== 'set' || params.value === undefined) return false
  return schemas.get(textOf(params.key))?.validate(params.value).issues === undefined
}
