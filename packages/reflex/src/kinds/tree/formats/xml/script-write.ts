import { equalJson } from '../../../../kernel/index.ts'
import { parseExpression } from '../../lua/expression/parse.ts'
import type { Expression } from '../../lua/expression/forms.ts'
import { isSurelyTrue, truth } from './script-read.ts'

/** A part of Lua that scripts of BehaviorTree.CPP do not have. */
export class Unsayable extends Error {}

/** The strength of what a script has, from the weakest on. An operand that is weaker stands in brackets. */
const [CHOICE, LOGIC, COMPARISON, SUM, PRODUCT, PREFIX, ATOM] = [0, 1, 2, 3, 4, 5, 6]

type Printed = readonly [text: string, strength: number]

const COMPARISONS: ReadonlyMap<string, string> = new Map([
  ['==', '=='],
  ['~=', '!='],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
])

/** Returns a condition in Lua as a script of BehaviorTree.CPP. Throws Unsayable. */
export function conditionOf(lua: string): string {
  return test(parsed(lua), CHOICE)
}

/** Returns an expression of Lua as a script of BehaviorTree.CPP. Throws Unsayable. */
export function scriptOf(lua: string): string {
  return printed(parsed(lua))[0]
}

function parsed(lua: string): Expression {
  const found = parseExpression(lua)
  if ('expression' in found) return found.expression
  throw new Unsayable('outside' in found ? `it ${found.outside}` : found.fault.message)
}

/** Returns an assignment as a statement of a script. Throws Unsayable. */
export function assignmentOf(key: string, lua: string): string {
  return `${identifier(key)} := ${scriptOf(lua)}`
}

function identifier(key: string): string {
  if (/^@?[\p{L}_][\p{L}\p{N}_]*$/u.test(key) && key !== 'true' && key !== 'false') return key
  throw new Unsayable(`a script cannot name the key ${JSON.stringify(key)}`)
}

function printed(expression: Expression): Printed {
  if (typeof expression === 'boolean') return [String(expression), ATOM]
  if (typeof expression === 'number') return number(expression)
  if (typeof expression === 'string') return text(expression)
  if (expression === null) throw new Unsayable('a script has no nil')
  switch (expression[0]) {
    case 'bb':
    case 'get':
      return [identifier(expression[1]), ATOM]
    case 'float':
      if (typeof expression[1] === 'number') return number(expression[1], '.0')
      break
    case 'not':
      return [`!${test(expression[1], ATOM)}`, PREFIX]
    case 'neg':
      return [`-${within(expression[1], ATOM)}`, PREFIX]
    case 'and':
    case 'or':
      return choice(expression) ?? logic(expression[0], expression[1], expression[2])
    case '+':
    case '-':
      return [`${within(expression[1], SUM)} ${expression[0]} ${within(expression[2], PRODUCT)}`, SUM]
    case '*':
    case '/':
      return [`${within(expression[1], PRODUCT)} ${expression[0]} ${within(expression[2], PREFIX)}`, PRODUCT]
    case '..':
      // Sums and joined texts cannot stand beside each other without brackets.
      return [`${within(expression[1], ATOM)} .. ${within(expression[2], ATOM)}`, SUM]
    default:
  }
  const operator = COMPARISONS.get(expression[0])
  if (operator === undefined) throw new Unsayable(`a script has no ${WORDS[expression[0]] ?? expression[0]}`)
  const [, left, right] = expression as readonly [string, Expression, Expression]
  return [`${within(left, SUM)} ${operator} ${within(right, SUM)}`, COMPARISON]
}

const WORDS: Readonly<Record<string, string>> = {
  has: 'bb.has',
  ctx: 'ctx',
  index: 'fields of values',
  call: 'functions',
  method: 'functions',
  len: 'length operator',
}

function number(value: number, end = ''): Printed {
  if (!Number.isFinite(value) || /e/.test(String(value))) throw new Unsayable(`a script has no number ${value}`)
  return [`${value}${end}`, value < 0 ? PREFIX : ATOM]
}

function text(value: string): Printed {
  if (/['\n\r]/.test(value)) throw new Unsayable("a text of a script has no ' and no line breaks")
  return [`'${value}'`, ATOM]
}

function logic(operator: 'and' | 'or', left: Expression, right: Expression): Printed {
  // Both operators are equally strong, so that brackets show which is meant.
  const isSame = Array.isArray(left) && left[0] === operator && choice(left) === undefined
  return [`${test(left, isSame ? LOGIC : COMPARISON)} ${operator === 'and' ? '&&' : '||'} ${test(right, COMPARISON)}`, LOGIC]
}

/** Returns a choice, `test ? value : other`, if an expression has one of the two forms in which choices are read. */
function choice(expression: Expression): Printed | undefined {
  if (!isPair(expression, 'or') || !isPair(expression[1], 'and')) return undefined
  const [, [, test, value], rest] = expression
  if (isSurelyTrue(value)) return chosen(test, value, rest)
  if (!isPair(rest, 'and')) return undefined
  const [, negated, other] = rest
  const isNegation = Array.isArray(negated) && negated[0] === 'not' && equalJson(negated[1], test)
  return isNegation ? chosen(test, value, other) : undefined
}

function chosen(first: Expression, value: Expression, other: Expression): Printed {
  return [`${test(first, LOGIC)} ? ${within(value, LOGIC)} : ${within(other, LOGIC)}`, CHOICE]
}

function isPair<Word extends 'and' | 'or'>(of: Expression, word: Word): of is readonly [Word, Expression, Expression] {
  return Array.isArray(of) && of[0] === word
}

/** Returns an operand of which only the truth counts. A number is true in Lua, and 0 is false in a script. */
function test(expression: Expression, strength: number): string {
  if (truth(expression) !== expression) throw new Unsayable('a number that is tested for its truth means something else in a script')
  return within(expression, strength)
}

function within(expression: Expression, strength: number): string {
  const [inner, own] = printed(expression)
  return own >= strength ? inner : `(${inner})`
}
