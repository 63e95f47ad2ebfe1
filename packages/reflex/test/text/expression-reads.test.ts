import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compiled, variablesOf } from './variables.ts'

/** Returns a read as `key.path at text`, with `?` for a presence test and `!` if the expression fails without the variable. */
function reads(text: string): string[] {
  return compiled(text).reads.map(({ key = '*', path, what, isOptional, offset, length }) => {
    const mark = what === 'presence' ? '?' : isOptional ? '' : '!'
    return `${[key, ...path].join('.')}${mark} at ${text.slice(offset, offset + length)}`
  })
}

describe('the reads of an expression', () => {
  test.each<[string, string[]]>([
    ['order.total <= 50', ['order.total! at order.total']],
    ['order["items"][0].price > 5', ['order.items.0.price! at order["items"][0].price']],
    ['board["Part Object"] == 5', ['Part Object! at board["Part Object"]']],
    ['board.order.total > 1', ['order.total! at board.order.total']],
    ['(order).total > (vip ? 1 : 2)', ['order.total! at (order).total', 'vip! at vip']],
    ['has(order.total)', ['order.total! at has(order.total)']],
    ['items[index].price > 5', ['items! at items', 'index! at index']],
    ['items.all(item, item.price > limit)', ['items! at items', 'limit! at limit']],
    ['board[name] == 1', ['*! at board', 'name! at name']],
    ['size(board) > 1 && board.all(key, key != "x")', ['* at board', '* at board']],
    ['.order == 1', ['order! at .order']],
    ['"😀" == name', ['name! at name']],
    // Reads that a presence test protects.
    ['has(board.total) && total > 5', ['total? at has(board.total)', 'total at total']],
    ['total > 5 && has(board.total)', ['total at total', 'total? at has(board.total)']],
    ['"total" in board && total > 5 && vip', ['total? at "total" in board', 'total at total', 'vip! at vip']],
    ['!has(board.total) || total > 5', ['total? at has(board.total)', 'total at total']],
    ['has(board.total) ? total > 5 : false', ['total? at has(board.total)', 'total at total']],
    ['!("total" in board) ? false : board.total > 5', ['total? at "total" in board', 'total at board.total']],
    ['(has(board.total) && vip) ? total > 1 : true', ['total? at has(board.total)', 'vip! at vip', 'total at total']],
    ['(has(board.total) && total > 5) == true', ['total? at has(board.total)', 'total at total']],
    [
      'has(board.total) && has(board.total.net) && [1].all(x, x < total.net)',
      ['total? at has(board.total)', 'total.net at has(board.total.net)', 'total.net at total.net'],
    ],
    ['false && total > 5', ['total at total']],
    // Presence tests that do not protect.
    ['has(board.total) || total > 5', ['total? at has(board.total)', 'total! at total']],
    ['has(board.total) && vip || total > 5', ['total? at has(board.total)', 'vip! at vip', 'total! at total']],
    ['has(board.other) && total > 5', ['other? at has(board.other)', 'total! at total']],
    ['vip || total > 5', ['vip! at vip', 'total! at total']],
  ])('%s', (text, expected) => {
    expect(reads(text)).toEqual(expected)
  })

  test('are optional only if the expression has a value without them, for all values of the others', () => {
    const atom = fc.constantFrom('a', 'b', 'has(board.a)', '("b" in board)', 'true', 'false')
    const { condition } = fc.letrec<{ condition: string }>((tie) => ({
      condition: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        atom,
        fc
          .tuple(tie('condition'), fc.constantFrom('&&', '||', '=='), tie('condition'))
          .map(([left, sign, right]) => `(${left} ${sign} ${right})`),
        tie('condition').map((inner) => `!${inner}`),
        fc.tuple(tie('condition'), tie('condition'), tie('condition')).map(([test, yes, no]) => `(${test} ? ${yes} : ${no})`),
      ),
    }))
    fc.assert(
      fc.property(condition, (text) => {
        const expression = compiled(text)
        const harmful = new Set(expression.reads.filter(({ isOptional: harmless }) => !harmless).map(({ key }) => key))
        for (const missing of ['a', 'b'].filter((key) => !harmful.has(key))) {
          const other = missing === 'a' ? 'b' : 'a'
          for (const value of [true, false]) expect(expression.evaluate(variablesOf({ [other]: value })).ok, text).toBe(true)
        }
      }),
    )
  })
})
