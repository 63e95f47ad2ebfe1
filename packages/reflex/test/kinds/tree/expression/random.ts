import * as fc from 'fast-check'
import type { Json } from '../../../../src/kernel/index.ts'
import { build } from '../../../../src/kinds/tree/lua/expression/build.ts'
import type { BinaryOperator, Expression, FunctionName, MethodName } from '../../../../src/kinds/tree/lua/expression/forms.ts'
import { literalOf } from '../../../../src/kinds/tree/lua/expression/literals.ts'
import type { Scene } from './real-lua.ts'

const INTEGERS = [
  0n,
  1n,
  2n,
  3n,
  5n,
  10n,
  63n,
  255n,
  256n,
  -1n,
  -3n,
  2n ** 53n,
  2n ** 53n + 1n,
  -(2n ** 53n) - 1n,
  2n ** 63n - 1n,
  -(2n ** 63n),
]
const FLOATS = [
  0,
  -0,
  0.1,
  0.5,
  1,
  2,
  3,
  1.5,
  -2.5,
  -7,
  1e15,
  1e16,
  1e100,
  1e308,
  5e-324,
  1e-5,
  0.0001,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  Infinity,
  -Infinity,
  1000000000000.25,
  1000000000000.75,
  99999999999999.5,
  123456789012.5,
  0.1 + 0.2,
  1 / 3,
  123.456e-2,
]
const STRINGS = [
  '',
  'a',
  'abc',
  'abd',
  'Z',
  '10',
  '9',
  '0x10',
  ' 5 ',
  '1e1',
  '-7',
  '+3',
  '0x1p4',
  '5.',
  '.5',
  '1e',
  '0x',
  '- 1',
  '1e400',
  '9223372036854775807',
  '9223372036854775808',
  '0xffffffffffffffff',
  'é',
  'Ä𝄞z',
  'a\0b',
  'a\0c',
  'inf',
  'nan',
  '"\\\n\r\t',
  '\t7\n',
]
const JSON_NUMBERS = [0, -0, 1, 2, 3, 5, -1, 10, 0.1, 0.5, 1.5, -2.5, 1e15, 1e16, 1e308, 5e-324, 2 ** 53 - 1, 2 ** 53, -(2 ** 53), 1e100]
const KEYS = ['a', 'b', 'c', 'd', 'e', 'end', 'two words', 'get', 'naïve']
const FIELDS = ['x', 'y', 'name', 'and', 'constructor', 'length', '__proto__']
const OPERATORS: readonly BinaryOperator[] = [
  ...(['and', 'or', '==', '~=', '<', '<=', '>', '>=', '+', '-', '*', '/', '//', '%', '..'] as const),
]
const FUNCTIONS: readonly FunctionName[] = [
  ...(['type', 'tostring', 'tonumber', 'math.floor', 'math.ceil', 'math.abs'] as const),
  ...(['string.len', 'string.lower', 'string.upper'] as const),
]

const literal: fc.Arbitrary<Expression> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom<Expression>(null, true, false, ['bytes', '\xff'], ['bytes', 'a\x80b']) },
  { weight: 4, arbitrary: fc.constantFrom(...INTEGERS).map(literalOf) },
  { weight: 1, arbitrary: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(literalOf) },
  { weight: 4, arbitrary: fc.constantFrom(...FLOATS).map(literalOf) },
  { weight: 1, arbitrary: fc.double({ noNaN: true }).map(literalOf) },
  { weight: 3, arbitrary: fc.constantFrom(...STRINGS).map((text) => build.value(text)) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }).map((text) => build.value(text)) },
)

const key = fc.constantFrom(...KEYS)
const read: fc.Arbitrary<Expression> = fc.oneof(
  { weight: 6, arbitrary: key.map(build.key) },
  { weight: 1, arbitrary: key.map((name): Expression => ['get', name]) },
  { weight: 1, arbitrary: fc.constantFrom(...KEYS, 'absent').map(build.has) },
  { weight: 1, arbitrary: fc.constantFrom('tick_count', 'node_id', 'tree_id', 'event').map(build.context) },
)

/** Expressions of the subset, as parsing gives them. */
export const expressions: fc.Arbitrary<Expression> = fc.letrec<{ any: Expression }>((tie) => {
  const any = tie('any')
  return {
    any: fc.oneof(
      { maxDepth: 6, withCrossShrink: true },
      { weight: 3, arbitrary: fc.oneof(read, literal) },
      { weight: 6, arbitrary: fc.tuple(fc.constantFrom(...OPERATORS), any, any).map(([operator, a, b]) => build.binary(operator, a, b)) },
      { weight: 1, arbitrary: any.map(build.not) },
      { weight: 1, arbitrary: any.map(build.negate) },
      { weight: 1, arbitrary: any.map(build.length) },
      { weight: 1, arbitrary: fc.tuple(any, literal).map(([a, b]) => build.power(a, b) ?? a) },
      { weight: 1, arbitrary: any.map((a) => build.power(a, 2) ?? a) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(any, fc.oneof(fc.constantFrom<Expression>('x', 'y', 1, 2, 300, ['float', 1], 1.5), fc.constantFrom(...FIELDS), any))
          .map(([of, at]) => build.index(of, at)),
      },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom(...FUNCTIONS), fc.array(any, { maxLength: 1 }))
          .map(([name, parts]) => build.call(name, ...parts)),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom('math.min', 'math.max'), fc.array(any, { maxLength: 3 }))
          .map(([name, parts]) => build.call(name, ...parts)),
      },
      { weight: 1, arbitrary: fc.array(any, { maxLength: 3 }).map((parts) => build.call('string.sub', ...parts)) },
      { weight: 1, arbitrary: fc.tuple(any, fc.array(any, { maxLength: 2 })).map(([of, parts]) => build.method('sub', of, ...parts)) },
      {
        weight: 1,
        arbitrary: fc.tuple(fc.constantFrom<MethodName>('len', 'lower', 'upper'), any).map(([name, of]) => build.method(name, of)),
      },
    ),
  }
}).any

const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(true, false),
  fc.constantFrom(...JSON_NUMBERS),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(...STRINGS),
)
const json: fc.Arbitrary<Json> = fc.letrec<{ any: Json }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    { weight: 4, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(tie('any'), { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.dictionary(fc.constantFrom('x', 'y', 'name', 'and'), tie('any'), { maxKeys: 3, noNullPrototype: true }) },
  ),
})).any
const board = fc.dictionary(key, fc.oneof({ weight: 6, arbitrary: json }, { weight: 1, arbitrary: fc.constant(null) }), {
  noNullPrototype: true,
})

export const scenes: fc.Arbitrary<Scene> = fc.record({ board, event: json })
