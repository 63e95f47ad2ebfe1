import type { BinaryOperator, Expression } from '../../lua/expression/forms.ts'
import { MOST_DEPTH, MOST_NODES } from '../../lua/expression/forms.ts'
import { build } from '../../lua/expression/build.ts'
import { ScriptMistake, type ScriptToken, scriptTokens } from './script-tokens.ts'

/** A statement of a script: an assignment, or a value. */
export interface ScriptStatement {
  /** The key that is written; undefined for a value. */
  readonly key?: string
  readonly expression: Expression
}

/** Returns true for a name in capital letters that is a key; every other one is the name of an enum, which has no value here. */
export type IsKey = (name: string) => boolean

/** The operators with their values in Lua, by strength. `&&` and `||` are equally strong, and so bind from the left. */
const LOGIC: Operators = new Map([
  ['&&', 'and'],
  ['||', 'or'],
])
const COMPARISONS: Operators = new Map([
  ['==', '=='],
  ['!=', '~='],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
])
const SUMS: Operators = new Map([
  ['+', '+'],
  ['-', '-'],
  ['..', '..'],
])
const PRODUCTS: Operators = new Map([
  ['*', '*'],
  ['/', '/'],
])
const ASSIGNMENTS: ReadonlyMap<string, BinaryOperator | undefined> = new Map([
  [':=', undefined],
  ['=', undefined],
  ['+=', '+'],
  ['-=', '-'],
  ['*=', '*'],
  ['/=', '/'],
])
const BITWISE = new Set(['&', '|', '^', '~'])

type Operators = ReadonlyMap<string, BinaryOperator>

/** Reads a script of BehaviorTree.CPP as expressions of Lua. Throws a ScriptMistake. */
export function readScript(text: string, isKey: IsKey): ScriptStatement[] {
  const parser = new ScriptParser(scriptTokens(text), isKey)
  return parser.statements()
}

/** Reads a script that is one condition: its truth is that of BehaviorTree.CPP, where 0 is false. Throws a ScriptMistake. */
export function readCondition(text: string, isKey: IsKey): Expression {
  const tokens = scriptTokens(text)
  const statements = new ScriptParser(tokens, isKey).statements()
  const [only] = statements
  const [first] = tokens
  if (first === undefined || only === undefined || statements.length > 1 || only.key !== undefined) {
    const at = first ?? { type: 'end', text: '', offset: 0 }
    throw new ScriptMistake('a condition must be one expression that writes nothing', at, 'write == to compare')
  }
  return truth(only.expression)
}

class ScriptParser {
  readonly #tokens: readonly ScriptToken[]
  readonly #isKey: IsKey
  #at = 0
  #depth = 0
  /** The operands of the statement so far. */
  #operands = 0

  constructor(tokens: readonly ScriptToken[], isKey: IsKey) {
    this.#tokens = tokens
    this.#isKey = isKey
  }

  statements(): ScriptStatement[] {
    const made: ScriptStatement[] = []
    while (!this.#isAtEnd()) {
      if (this.#skip(';')) continue
      made.push(this.#statement())
      if (!this.#isAtEnd() && !this.#isAt(';')) throw this.#unexpected()
    }
    return made
  }

  get #token(): ScriptToken {
    return this.#tokens[this.#at] ?? { type: 'end', text: '', offset: 0 }
  }

  #statement(): ScriptStatement {
    const name = this.#token
    this.#operands = 0
    const statement = this.#assignment(name)
    // A choice states its test twice, so a text can be much shorter than its expression.
    if (sizeOf(statement.expression, new Map()) > MOST_NODES) throw this.#tooLarge(name)
    return statement
  }

  #assignment(name: ScriptToken): ScriptStatement {
    const next = this.#tokens[this.#at + 1]
    if (name.type !== 'name' || next?.type !== 'symbol' || !ASSIGNMENTS.has(next.text)) return { expression: this.#expression() }
    this.#at += 2
    const value = this.#expression()
    const operator = ASSIGNMENTS.get(next.text)
    return { key: name.text, expression: operator === undefined ? value : joined(operator, build.key(name.text), value) }
  }

  /** A value, or a choice: `condition ? value : other`. */
  #expression(): Expression {
    if (++this.#depth > MOST_DEPTH) throw new ScriptMistake(`the script is nested more than ${MOST_DEPTH} levels deep`, this.#token)
    const test = this.#logic()
    let made = test
    if (this.#skip('?')) {
      const value = this.#expression()
      if (!this.#skip(':')) throw new ScriptMistake('a choice has no :', this.#token, 'write condition ? value : other')
      made = choice(truth(test), value, this.#expression())
    }
    this.#depth--
    return made
  }

  #logic(): Expression {
    let left = this.#comparison()
    for (let operator = this.#take(LOGIC); operator !== undefined; operator = this.#take(LOGIC)) {
      left = [operator, truth(left), truth(this.#comparison())] as Expression
    }
    return left
  }

  /** One comparison, or a chain: `a < b < c` is `a < b && b < c`. */
  #comparison(): Expression {
    let left = this.#sum()
    let chain: Expression | undefined
    for (let operator = this.#take(COMPARISONS); operator !== undefined; operator = this.#take(COMPARISONS)) {
      const right = this.#sum()
      const link: Expression = build.binary(operator, left, right)
      chain = chain === undefined ? link : build.binary('and', chain, link)
      left = right
    }
    return chain ?? left
  }

  #sum(): Expression {
    let left = this.#product()
    for (let operator = this.#take(SUMS); operator !== undefined; operator = this.#take(SUMS))
      left = joined(operator, left, this.#product())
    return left
  }

  #product(): Expression {
    let left = this.#operand()
    for (let operator = this.#take(PRODUCTS); operator !== undefined; operator = this.#take(PRODUCTS)) {
      left = joined(operator, left, this.#operand())
    }
    return left
  }

  #operand(): Expression {
    const token = this.#token
    if (++this.#operands > MOST_NODES) throw this.#tooLarge(token)
    this.#at++
    if (token.type === 'number') return build.value(numberOf(token))
    if (token.type === 'string') return build.value(token.text)
    if (token.type === 'name') return this.#name(token)
    if (token.text === '-') return build.negate(this.#operand())
    if (token.text === '!') return build.not(truth(this.#operand()))
    if (token.text === '(') {
      const inner = this.#expression()
      if (!this.#skip(')')) throw new ScriptMistake('a bracket is never closed', token, 'write ) where it ends')
      return inner
    }
    this.#at--
    throw this.#unexpected()
  }

  #name(token: ScriptToken): Expression {
    const { text } = token
    if (text === 'true' || text === 'false') return text === 'true'
    if (/^\p{Lu}[\p{Lu}\p{N}_]+$/u.test(text) && !this.#isKey(text)) {
      throw new ScriptMistake(`${text} is the name of an enum, and enums are declared in C++`, token, 'write its number, or a text')
    }
    return build.key(text)
  }

  #tooLarge(at: ScriptToken): ScriptMistake {
    return new ScriptMistake(`the statement has more than ${MOST_NODES} parts`, at, 'write several statements')
  }

  #unexpected(): ScriptMistake {
    const token = this.#token
    if (BITWISE.has(token.text)) {
      return new ScriptMistake(`conditions of trees have no bitwise operator ${token.text}`, token, 'compute it in an action')
    }
    if (ASSIGNMENTS.has(token.text)) return new ScriptMistake('an assignment must be a statement of its own', token, 'write == to compare')
    const what = token.type === 'end' ? 'the script ends where a value is expected' : `${token.text} is unexpected here`
    return new ScriptMistake(what, token)
  }

  #isAtEnd(): boolean {
    return this.#token.type === 'end'
  }

  #isAt(text: string): boolean {
    return this.#token.type === 'symbol' && this.#token.text === text
  }

  #skip(text: string): boolean {
    const found = this.#isAt(text)
    if (found) this.#at++
    return found
  }

  #take(operators: Operators): BinaryOperator | undefined {
    const operator = this.#token.type === 'symbol' ? operators.get(this.#token.text) : undefined
    if (operator !== undefined) this.#at++
    return operator
  }
}

/** Returns the number of parts of an expression, of which some can be one object in several places. */
function sizeOf(expression: Expression, known: Map<Expression, number>): number {
  if (!Array.isArray(expression)) return 1
  let size = known.get(expression)
  if (size !== undefined) return size
  size = 1
  for (const part of expression.slice(1) as readonly Expression[]) size += sizeOf(part, known)
  known.set(expression, size)
  return size
}

function numberOf(token: ScriptToken): bigint | number {
  if (/^(0[xX])|^\d+$/.test(token.text)) {
    const value = BigInt(token.text)
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new ScriptMistake(`${token.text} is too large for a whole number`, token)
    return value
  }
  return Number(token.text)
}

/** Joins two values. A sum with a text is a longer text. */
function joined(operator: BinaryOperator, left: Expression, right: Expression): Expression {
  const isText = operator === '+' && (typeof left === 'string' || typeof right === 'string')
  return build.binary(isText ? '..' : operator, left, right)
}

const NUMBERS = new Set(['+', '-', '*', '/', 'neg'])

/** Returns a condition with the truth of BehaviorTree.CPP: 0 is false. In Lua it is true. */
export function truth(expression: Expression): Expression {
  if (typeof expression === 'number') return expression !== 0
  return Array.isArray(expression) && NUMBERS.has(String(expression[0])) ? build.binary('~=', expression, 0) : expression
}

/** True for a value that is neither nil nor false. */
export function isSurelyTrue(expression: Expression): boolean {
  if (!Array.isArray(expression)) return expression !== null && expression !== false
  return expression[0] === '..' || expression[0] === 'float' || NUMBERS.has(String(expression[0]))
}

/** `test ? value : other`. If the value may be false, the other one must not stand for it. */
function choice(test: Expression, value: Expression, other: Expression): Expression {
  const first = build.binary('and', test, value)
  return build.binary('or', first, isSurelyTrue(value) ? other : build.binary('and', build.not(test), other))
}
