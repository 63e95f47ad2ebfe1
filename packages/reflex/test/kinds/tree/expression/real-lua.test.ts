import * as fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { compileCondition, compileExpression, type Environment } from '../../../../src/kinds/tree/lua/expression/compile.ts'
import { isNode, partsOf, type Expression } from '../../../../src/kinds/tree/lua/expression/forms.ts'
import { toNumber } from '../../../../src/kinds/tree/lua/expression/functions.ts'
import { parseExpression } from '../../../../src/kinds/tree/lua/expression/parse.ts'
import { text } from '../../../../src/kinds/tree/lua/expression/print.ts'
import { LuaError, type LuaValue } from '../../../../src/kinds/tree/lua/expression/values.ts'
import { expressions, scenes } from './random.ts'
import { describeOutcome, environmentOf, startLua, type RealLua } from './real-lua.ts'

let lua: RealLua

beforeAll(async () => {
  lua = await startLua()
})

const RUNS = Number(process.env['EXPRESSION_RUNS'] ?? 300)

test('random expressions over random boards give what real Lua gives', () => {
  const compare = (scene: Parameters<typeof environmentOf>[0], list: readonly Expression[]): void => {
    lua.enter(scene)
    const environment = environmentOf(scene)
    for (const expression of list) {
      if (showsWhatDiffers(expression, environment)) continue
      const ours = describeOutcome(() => compileExpression(expression)(environment))
      const theirs = lua.describe(text(expression))
      expect(`${text(expression)} => ${withoutName(expression, ours)}`).toBe(`${text(expression)} => ${withoutName(expression, theirs)}`)
      expect(describeOutcome(() => compileCondition(expression)(environment))).toBe(truth(ours))
    }
  }
  fc.assert(fc.property(scenes, fc.array(expressions, { minLength: 1, maxLength: 8 }), compare), { numRuns: RUNS })
})

test('printed expressions are parsed to the same expression', () => {
  fc.assert(
    fc.property(expressions, (expression) => {
      const parsed = parseExpression(text(expression))
      expect(parsed).toEqual({ expression })
      expect(JSON.parse(JSON.stringify(expression))).toEqual(expression)
    }),
    { numRuns: RUNS },
  )
})

/** Returns the truth of a described value; an error stays. */
function truth(described: string): string {
  return described.startsWith('error ') ? described : `boolean ${described !== 'nil nil' && described !== 'boolean false'}`
}

/**
 * Lua folds constants before it names operands, so names of operands behind a constant are left out of the comparison; we fold the fields of
 * `math`, so theirs are.
 */
function withoutName(expression: Expression, found: string): string {
  const described = found.replace(/ \(field '(huge|mininteger)'\)$/, '')
  return hasForm(expression, ['and', 'or', 'index']) ? described.replace(/ \((field|method|constant) '[^]*'\)$/, '') : described
}

function hasForm(expression: Expression, forms: readonly string[]): boolean {
  return isNode(expression) && (forms.includes(expression[0]) || partsOf(expression).some((part) => hasForm(part, forms)))
}

/**
 * True for an expression that prints a NaN, whose sign depends on the machine, or a table, whose address does, or that takes a part of a string
 * from beyond 2^31: there the engine, which has 32 bits, reads outside of the string.
 */
function showsWhatDiffers(expression: Expression, environment: Environment): boolean {
  const parts = partsOf(expression)
  if (parts.some((part) => showsWhatDiffers(part, environment))) return true
  if (!isNode(expression) || !['..', 'call', 'method'].includes(expression[0])) return false
  return parts.some((part, place) => {
    const value = valueOf(part, environment)
    if (place === 1 && String(expression[1]).endsWith('sub') && Number(toNumber(value) ?? 0) > 2 ** 31) return true
    return Number.isNaN(value) || (typeof value === 'object' && expression[1] === 'tostring')
  })
}

function valueOf(expression: Expression, environment: Environment): LuaValue {
  try {
    return compileExpression(expression)(environment)
  } catch (error) {
    if (error instanceof LuaError) return undefined
    throw error
  }
}
