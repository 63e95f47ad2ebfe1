import type { CompiledTree } from '../compile/compiled.ts'
import type { ExpressionCode } from '../compile/code.ts'
import type { Expression } from '../lua/expression/index.ts'
import { canBeFalse, canBeTrue, type Domain, EVERYTHING } from './domain.ts'
import type { Findings } from './finding.ts'
import type { Reads } from './reads.ts'
import type { CheckedNode } from './subject.ts'
import { Truth } from './truth.ts'
import type { ValuesAt } from './values-at.ts'

/** What a condition can be at a place, and what follows from each. */
export interface Judged {
  readonly canBeTrue: boolean
  readonly canBeFalse: boolean
  /** Restricts the keys to the values with which the condition is true or false. Returns false if there are none. */
  assume(truth: boolean): boolean
}

const UNKNOWN: Judged = { canBeTrue: true, canBeFalse: true, assume: () => true }
/** Reads of keys in Lua that is not data. */
const SCRIPT_READ = /\b(?:bb|blackboard)\s*(?:\.\s*(?!get\b|set\b|has\b|delete\b)([A-Za-z_]\w*)|[.:]\s*get\s*\(\s*(["'])([\w-]+)\2)/g
const MESSAGES = {
  condition: ['is always true here', 'is never true here'],
  leaves: ['is always true here, so the node is never ticked', 'is never true here'],
  stays: ['is always true here', 'is never true here, so the node is never ticked'],
} as const

/** Judges conditions with what is known where they stand, and finds those that are constant or cannot be evaluated. */
export class Conditions {
  readonly #tree: CompiledTree
  readonly #values: ValuesAt
  readonly #reads: Reads
  readonly #findings: Findings

  constructor(tree: CompiledTree, values: ValuesAt, reads: Reads, findings: Findings) {
    this.#tree = tree
    this.#values = values
    this.#reads = reads
    this.#findings = findings
  }

  inChild<Result>(child: CheckedNode, visit: () => Result): Result {
    return this.#reads.inChild(child, visit)
  }

  /** Judges the parameter `condition` of a node. */
  judgeParameter(checked: CheckedNode): Judged {
    const code = this.#tree.code.get(JSON.stringify(checked.node.params.condition ?? null))
    if (code?.is === 'script') this.readScript(checked, code.text, 'condition')
    return code?.is === 'expression' ? this.judge(checked, 'condition', code, 'condition') : UNKNOWN
  }

  /** Reports keys that a script reads and nothing declares. */
  readScript(checked: CheckedNode, code: string, parameter: string): void {
    for (const [, field, , key = ''] of code.matchAll(SCRIPT_READ)) this.#reads.read(checked, field ?? key, 'test', parameter)
  }

  judge(checked: CheckedNode, parameter: string, { expression, text }: ExpressionCode, kind: keyof typeof MESSAGES): Judged {
    const { value, canFail, hasFinding, truth } = this.#evaluate(checked, parameter, expression)
    const [isTrue, isFalse] = [canBeTrue(value), canBeFalse(value) || canFail]
    if (!hasFinding && isTrue !== isFalse) {
      const what = MESSAGES[kind][isTrue ? 0 : 1]
      this.#findings.add('R1293', checked, parameter, () => ({
        message: `${parameter === 'condition' ? 'the condition' : parameter} of ${checked.node.source.id} ${what}: ${text}`,
        note: isTrue ? 'always true' : 'never true',
        parameter,
        fix: 'correct the condition, or remove it',
        data: { condition: text, value: isTrue },
      }))
    }
    return {
      canBeTrue: isTrue || hasFinding,
      canBeFalse: isFalse || hasFinding,
      assume: (wanted) => truth.assume(expression, wanted) || hasFinding,
    }
  }

  /** Returns the values of an expression that is written to a key. */
  value(checked: CheckedNode, parameter: string, { expression }: ExpressionCode): { readonly value: Domain; readonly canFail: boolean } {
    const { value, canFail, hasFinding } = this.#evaluate(checked, parameter, expression)
    return { value: hasFinding ? EVERYTHING : value, canFail: canFail || hasFinding }
  }

  #evaluate(checked: CheckedNode, parameter: string, expression: Expression) {
    let hasFinding = false
    const truth = new Truth(this.#values, {
      read: (key, use) => {
        if (this.#reads.read(checked, key, use, parameter)) hasFinding = true
      },
      mismatch: (operator, left, right) => {
        hasFinding = true
        const isOrder = operator !== '==' && operator !== '~='
        const [a, b] = [left.join(' or '), right.join(' or ')]
        this.#findings.add('R1294', checked, parameter, () => ({
          message: `${checked.node.source.id} compares ${a} with ${b}${isOrder ? ', which is an error of Lua' : ''}`,
          note: `${a} ${operator} ${b}`,
          parameter,
          severity: isOrder ? 'error' : 'warning',
          fix: 'compare with a value of the type of the key',
        }))
      },
    })
    const value = truth.value(expression)
    return { value, canFail: truth.canFail, hasFinding, truth }
  }
}
