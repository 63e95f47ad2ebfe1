import { didYouMean, quote, type Suggester, suggester } from '../../../text/index.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import type { Findings } from './finding.ts'
import { around, type CheckedNode } from './subject.ts'
import type { Use } from './truth.ts'
import type { ValuesAt } from './values-at.ts'
import type { Writes } from './writes.ts'

/** What is known of the tree and of the place that the walk has reached. */
export interface ReadParts {
  readonly tree: CompiledTree
  readonly values: ValuesAt
  readonly writes: readonly Writes[]
  readonly findings: Findings
  /** The nodes that write a key themselves. */
  readonly writersOf: (key: string) => readonly CheckedNode[]
}

/** Finds reads of keys that have no value. */
export class Reads {
  readonly #tree: CompiledTree
  readonly #values: ValuesAt
  readonly #writes: readonly Writes[]
  readonly #findings: Findings
  readonly #writersOf: ReadParts['writersOf']
  /** The children of parallel nodes that the walk is in. */
  readonly #branches: CheckedNode[] = []
  #guess: Suggester | undefined

  constructor({ tree, values, writes, findings, writersOf }: ReadParts) {
    this.#tree = tree
    this.#values = values
    this.#writes = writes
    this.#findings = findings
    this.#writersOf = writersOf
  }

  /** Visits a child of a parallel node, which sees nothing of what its siblings write. */
  inChild<Result>(child: CheckedNode, visit: () => Result): Result {
    this.#branches.push(child)
    const result = visit()
    this.#branches.pop()
    return result
  }

  /** Reports a read if nothing gives the key a value before. Returns true if it did. */
  read(node: CheckedNode, key: string, use: Use, parameter: string | undefined): boolean {
    const { isMissing, isWritten, domain } = this.#values.known(key)
    if (!isMissing || key.startsWith('_')) return false
    const sibling = this.#siblingThatWrites(key)
    if (sibling !== undefined && use !== 'test') return this.#sibling(node, key, sibling, parameter)
    const isWrittenLater = this.#writes[0]?.keys.has(key) === true || this.#writes[0]?.isOpaque === true
    const isNeverThere = domain.nil && !isWritten && !isWrittenLater
    if (use === 'test' ? this.#isDeclared(key) : use === 'soft' && !isNeverThere) return false
    this.#findings.add('R1284', node, key, () => {
      const guess = this.#isDeclared(key) ? undefined : this.#similar(key)
      const why = this.#reason(key, isWritten)
      const hint = didYouMean(guess)
      return {
        message: `${node.node.source.id} reads ${key}, ${why}${hint === undefined ? '' : `; ${hint}`}`,
        note: hint ?? 'no value here',
        parameter,
        fix: guess === undefined ? `write ${key} before, give it a default, or declare it in contract.inputs` : `write ${quote(guess)}`,
        data: { key },
      }
    })
    return true
  }

  #reason(key: string, isWritten: boolean): string {
    if (isWritten) return 'which has no value on some way to it'
    if (!this.#isDeclared(key)) return `which ${this.#tree.id} neither declares nor writes`
    return this.#writes[0]?.keys.has(key) === true ? 'which is only written behind it' : 'which nothing writes'
  }

  #isDeclared(key: string): boolean {
    return this.#tree.schemas.has(key)
  }

  #similar(key: string): string | undefined {
    return (this.#guess ??= suggester(this.#tree.schemas.keys()))(key)
  }

  /** The sibling, in a parallel node around this place, that writes a key which nothing else in the tree writes. */
  #siblingThatWrites(key: string): CheckedNode | undefined {
    for (const child of this.#branches.toReversed()) {
      if (this.#writes[child.index]?.keys.has(key) === true) return undefined
      const sibling = child.parent?.children.find(({ index }) => this.#writes[index]?.keys.has(key) === true)
      if (sibling === undefined) continue
      const isElsewhere = this.#writersOf(key).some((writer) => ![...around(writer)].includes(child.parent ?? writer))
      return isElsewhere ? undefined : sibling
    }
    return undefined
  }

  #sibling(node: CheckedNode, key: string, sibling: CheckedNode, parameter: string | undefined): true {
    const id = sibling.node.source.id
    this.#findings.add('R1286', node, key, () => ({
      message: `${node.node.source.id} reads ${key}, which only its parallel sibling ${id} writes`,
      note: `${id} writes it for itself until both have ended`,
      parameter,
      fix: `put ${id} before the parallel node, or ${node.node.source.id} behind it`,
      data: { key, sibling: id },
    }))
    return true
  }
}
