import { type Fault, type FaultData, faultData, isFault, type StepContext } from '../../../kernel/index.ts'
import type { LaidNode } from '../compile/layout.ts'
import { type Failure, failureTrace } from './failures.ts'
import { HAS_FAILED } from './states.ts'
import type { TreeState } from './tree-state.ts'

/** The last failure of a node, with its code if it has one. */
export interface KnownFailure {
  readonly reason: string
  readonly code?: string | undefined
}

/** The reasons of failures in one tick. */
export class Reasons {
  /** The failures to record: a node that becomes FAILURE, not one that stays so from tick to tick. */
  readonly failures: Failure[] = []
  /** With those of nodes that had failed before. */
  readonly all: Failure[] = []
  readonly #x: StepContext
  readonly #state: TreeState
  #known: Map<number, Failure> | undefined
  #ended: Set<number> | undefined

  constructor(x: StepContext, state: TreeState) {
    this.#x = x
    this.#state = state
  }

  forget({ index }: LaidNode): void {
    this.#known?.delete(index)
  }

  note(node: LaidNode, reason: string | Fault | FaultData): void {
    if (typeof reason === 'string') {
      this.#learn({ node, reason })
      return
    }
    const fault = isFault(reason) ? faultData(reason) : reason
    this.#learn({ node, reason: fault.message, fault })
  }

  #learn(failure: Failure): void {
    ;(this.#known ??= new Map()).set(failure.node.index, failure)
  }

  failed(node: LaidNode): void {
    const stays = this.#state.recorded(node.index) === HAS_FAILED && this.#ended?.has(node.index) !== true
    ;(this.#ended ??= new Set()).add(node.index)
    const failure = this.#known?.get(node.index) ?? { node, reason: this.#inherited(node) }
    this.#learn(failure)
    this.all.push(failure)
    if (!stays) this.failures.push(failure)
  }

  #inherited(node: LaidNode): string {
    const child = node.children.findLast((each) => this.#state.state(each) === HAS_FAILED)
    return child === undefined ? `${node.manifest.type} ${node.id} failed` : `child ${child.id} failed: ${this.of(child).reason}`
  }

  /** Returns the last failure of a node, of this tick or an earlier one. */
  of(node: LaidNode): KnownFailure {
    const known = this.#known?.get(node.index)
    if (known !== undefined) return { reason: known.reason, code: known.fault?.rule ?? known.fault?.code }
    const { entries } = failureTrace((key) => this.#x.get(key))
    const entry = entries.findLast(({ node_path }) => node_path === node.path)
    return { reason: entry?.reason ?? `${node.id} failed`, code: typeof entry?.error_code === 'string' ? entry.error_code : undefined }
  }
}
