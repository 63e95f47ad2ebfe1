import { describe, expect, test } from 'vitest'
import { CodePlaces } from '../../../../src/kinds/tree/formats/code-places.ts'
import { Source } from '../../../../src/text/index.ts'

const lineOf = (file: string, code: string, call = 1): number | undefined => new CodePlaces(new Source(file)).lineOf(code, call)

describe('the line on which code begins in a file of Lua', () => {
  test.each([
    ['x = "a b"', 'a b', 1],
    ["\nx = 'a b'", 'a b', 2],
    ['x = [[\na b\n]]', 'a b\n', 2],
    ['x = [==[a ]] b]==]', 'a ]] b', 1],
    ['\r\nx = [[\r\na\r\nb]]', 'a\nb', 3],
    // Not in comments, also long ones, and behind them.
    ['-- "a"\nx = "a"', 'a', 2],
    ['--[[ "a"\n]]\nx = "a"', 'a', 3],
    ['--[=[ ]] "a"\n]=]\nx = "a"', 'a', 3],
    ['x = "--[["\ny = "a"', 'a', 2],
    // A quote behind a backslash ends nothing, and a text with escapes is no code as it is.
    ['x = "\\"" y = "a"', 'a', 1],
    ['x = "a\\n"', 'a\\n', undefined],
    ['x = "a', 'a', undefined],
    ['t[t[1]] = "a"', 'a', 1],
  ])('%j', (file, code, line) => {
    expect(lineOf(file, code)).toBe(line)
  })

  test('is that of the first such text from the line of the call on, else of the only one', () => {
    const file = 'x = "a"\n\ny = "a"\nz = "b"\n'
    expect([1, 2, 3, 4].map((call) => lineOf(file, 'a', call))).toEqual([1, 3, 3, undefined])
    expect(lineOf(file, 'b', 9)).toBe(4)
  })
})
