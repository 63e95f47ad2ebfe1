import { quote } from '../../../../text/index.ts'
import { isNode, MOST_DEPTH, MOST_NODES, type BinaryOperator, type ContextField, type Expression, type UnaryOperator } from './forms.ts'
import { functionNamed, methodNamed } from './functions.ts'
import { CONSTANTS, literalOf, negated, powerOf } from './literals.ts'
import { Mistake, Outside } from './mistake.ts'
import { BOARD_FUNCTIONS, STRENGTH, UNARY_STRENGTH } from './print.ts'
import type { Token } from './tokens.ts'

const UNARY: Readonly<Record<string, UnaryOperator>> = { not: 'not', '-': 'neg', '#': 'len' }
const BITWISE = new Set(['&', '|', '~', '<<', '>>'])
const CONTEXT: readonly ContextField[] = ['tick_count', 'node_id', 'tree_id', 'event']
const BOARDS = new Set(['bb', 'blackboard'])

/** A recursive descent over tokens. Throws a Mistake for what is certainly not Lua, and Outside for what the subset does not have. */
export class Parser {
  readonly #tokens: readonly Token[]
  #at: number
  #depth = 0
  #nodes = 0

  constructor(tokens: readonly Token[], at: number) {
    this.#tokens = tokens
    this.#at = at
  }

  /** The current token; the last one is the end. */
  get token(): Token {
    const token = this.#tokens[this.#at]
    if (token === undefined) throw new TypeError('the tokens have no end')
    return token
  }

  isAtEnd(): boolean {
    return this.token.type === 'end'
  }

  /** True at a symbol or a keyword. */
  isAt(text: string): boolean {
    const { token } = this
    return token.text === text && (token.type === 'symbol' || token.type === 'keyword')
  }

  /** Goes behind a symbol or a keyword if it is the current token. */
  skip(text: string): boolean {
    const found = this.isAt(text)
    if (found) this.#at++
    return found
  }

  /** Parses an expression whose binary operators are stronger than a limit. */
  parseExpression(limit = 0): Expression {
    if (++this.#depth > MOST_DEPTH) throw new Outside(`is nested deeper than ${MOST_DEPTH} levels`)
    let left = this.#operand()
    for (;;) {
      const operator = this.#binaryOperator()
      if (operator === undefined || STRENGTH[operator][0] <= limit) break
      this.#at++
      left = this.#joined(operator, left, this.parseExpression(STRENGTH[operator][1]))
    }
    this.#depth--
    return left
  }

  #binaryOperator(): BinaryOperator | '^' | undefined {
    const { token } = this
    if (token.type !== 'symbol' && token.type !== 'keyword') return undefined
    if (BITWISE.has(token.text)) throw new Outside(`uses the operator ${token.text}`)
    return Object.hasOwn(STRENGTH, token.text) ? (token.text as BinaryOperator | '^') : undefined
  }

  #joined(operator: BinaryOperator | '^', left: Expression, right: Expression): Expression {
    if (operator !== '^') return this.#counted([operator, left, right])
    const power = powerOf(left, right)
    if (power === undefined) throw new Outside('has a power whose last digit depends on the machine')
    return this.#counted(power)
  }

  #operand(): Expression {
    const { token } = this
    const unary = token.type === 'symbol' || token.type === 'keyword' ? UNARY[token.text] : undefined
    if (unary === undefined) return this.#simple(token)
    this.#at++
    const operand = this.parseExpression(UNARY_STRENGTH)
    return unary === 'neg' ? this.#counted(negated(operand)) : this.#counted([unary, operand])
  }

  #simple(token: Token): Expression {
    this.#at++
    if (token.type === 'number' || token.type === 'string') return this.#counted(literalOf(token.value))
    if (token.type === 'name') return this.#suffixed(this.#root(token))
    switch (token.text) {
      case 'nil':
        return this.#counted(null)
      case 'true':
      case 'false':
        return this.#counted(token.text === 'true')
      case '(': {
        const inner = this.parseExpression()
        this.#expect(')', token)
        return this.#suffixed(inner)
      }
      case '{':
        throw new Outside('makes a table')
      case 'function':
        throw new Outside('has a function')
      case '...':
        throw new Outside('uses ...')
      case '~':
        throw new Outside('uses the operator ~')
      default:
        throw this.#missingValue(token)
    }
  }

  #missingValue({ start, end, text, type }: Token): Mistake {
    const fix = 'write a value, such as bb.key'
    if (type !== 'end') return new Mistake(start, end, `a value must stand here, not ${quote(text)}`, fix)
    const before = this.#tokens[this.#at - 2]
    if (before === undefined) return new Mistake(0, 0, 'it is empty', fix)
    return new Mistake(before.start, before.end, `a value must follow ${quote(before.text)}`, fix)
  }

  /** Parses what begins with a name: the board, the context, or a function. */
  #root({ text }: Token): Expression {
    if (BOARDS.has(text)) return this.#board(text)
    if (text === 'ctx') return this.#context()
    const module = text === 'math' || text === 'string' ? `${text}.${this.#fieldName(text)}` : text
    const constant = CONSTANTS.get(module)
    if (constant !== undefined) return this.#counted(constant)
    const known = functionNamed(module)
    if (known === undefined)
      throw new Outside(this.#isAtCall() ? `calls ${module}, which is not one of the functions of conditions` : `reads ${module}`)
    if (!this.#isAtCall()) throw new Outside(`uses the function ${module} as a value`)
    return this.#counted(['call', known.name, ...this.#parts(module, known.most)])
  }

  #board(name: string): Expression {
    const key = this.#fieldName(name)
    if (!BOARD_FUNCTIONS.has(key)) return this.#counted(['bb', key])
    if (key !== 'get' && key !== 'has') throw new Outside(`uses ${name}.${key}`)
    if (!this.#isAtCall()) throw new Outside(`uses the function ${name}.${key} as a value`)
    const [given] = this.#parts(`${name}.${key}`, 1)
    if (typeof given !== 'string') throw new Outside(`calls ${name}.${key} with a key that is not a literal text`)
    return this.#counted([key, given])
  }

  #context(): Expression {
    const name = this.#fieldName('ctx')
    if (name === 'bb') return this.#board('ctx.bb')
    const field = CONTEXT.find((each) => each === name)
    if (field === undefined) throw new Outside(`reads ctx.${name}`)
    return this.#counted(['ctx', field])
  }

  /** Parses the field of a table that is no value by itself: `.name` or `["name"]`. */
  #fieldName(table: string): string {
    if (this.skip('.')) return this.#name()
    const opening = this.token
    if (!this.skip('[')) throw new Outside(`uses ${table} as a value`)
    const key = this.parseExpression()
    this.#expect(']', opening)
    if (typeof key !== 'string') throw new Outside(`reads ${table} with a key that is not a literal text`)
    return key
  }

  #suffixed(start: Expression): Expression {
    let value = start
    for (;;) {
      const opening = this.token
      if (this.skip('.')) value = this.#counted(['index', value, this.#counted(this.#name())])
      else if (this.skip('[')) {
        value = this.#counted(['index', value, this.parseExpression()])
        this.#expect(']', opening)
      } else if (this.skip(':')) value = this.#method(value)
      else if (this.#isAtCall()) throw new Outside('calls a value')
      else return value
    }
  }

  #method(of: Expression): Expression {
    const name = this.#name()
    const known = methodNamed(name)
    if (known === undefined) throw new Outside(`calls the method ${name}, which is not one of the functions of conditions`)
    if (!this.#isAtCall()) throw this.#expected('(', 'call the method')
    return this.#counted(['method', known.name, of, ...this.#parts(name, known.most)])
  }

  #isAtCall(): boolean {
    return this.isAt('(') || this.isAt('{') || this.token.type === 'string'
  }

  /** Parses the arguments of a call. */
  #parts(name: string, most: number): Expression[] {
    const { token } = this
    if (token.type === 'string' || this.isAt('{')) return [this.#simple(token)]
    this.skip('(')
    if (this.skip(')')) return []
    const parts = [this.parseExpression()]
    while (this.skip(',')) parts.push(this.parseExpression())
    this.#expect(')', token)
    if (parts.length > most) throw new Outside(`calls ${name} with ${parts.length} arguments; it takes at most ${most}`)
    return parts
  }

  #name(): string {
    const { token } = this
    if (token.type !== 'name') throw this.#expected('a name', token.type === 'keyword' ? `write ["${token.text}"]` : 'write a name')
    this.#at++
    return token.text
  }

  #expect(closing: string, opening: Token): void {
    const fix = this.isAt('=') ? 'write == to compare' : `close ${quote(opening.text)}, or put an operator before this`
    if (!this.skip(closing)) throw this.#expected(quote(closing), fix)
  }

  #expected(what: string, fix: string): Mistake {
    const { start, end, text, type } = this.token
    return new Mistake(start, end, `${what} must stand here, not ${type === 'end' ? 'the end' : quote(text)}`, fix)
  }

  #counted(expression: Expression): Expression {
    if (++this.#nodes > MOST_NODES) throw new Outside(`has more than ${MOST_NODES} parts`)
    return expression
  }
}

/** True for an expression that an assignment can change. */
export function isVariable(expression: Expression): boolean {
  return isNode(expression) && (expression[0] === 'bb' || expression[0] === 'ctx' || expression[0] === 'index')
}

/** True for an expression that is a statement by itself. */
export function isCall(expression: Expression): boolean {
  return isNode(expression) && ['call', 'method', 'get', 'has'].includes(expression[0])
}
