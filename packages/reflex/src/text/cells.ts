/** Code points that take two cells of a terminal: East Asian wide and fullwidth forms, and emoji. */
const WIDE_RANGES: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x23e9, 0x23ec],
  [0x25fd, 0x25fe],
  [0x2614, 0x2615],
  [0x2648, 0x2653],
  [0x26aa, 0x26ab],
  [0x26bd, 0x26be],
  [0x26c4, 0x26c5],
  [0x2705, 0x2705],
  [0x270a, 0x270b],
  [0x274c, 0x274c],
  [0x2753, 0x2755],
  [0x2795, 0x2797],
  [0x2b1b, 0x2b1c],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f004, 0x1f004],
  [0x1f0cf, 0x1f0cf],
  [0x1f18e, 0x1f19a],
  [0x1f200, 0x1f320],
  [0x1f32d, 0x1f64f],
  [0x1f680, 0x1f6fc],
  [0x1f7e0, 0x1f7eb],
  [0x1f90c, 0x1faff],
  [0x20000, 0x3fffd],
]

const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u

/** Returns the number of terminal cells that a character takes: 0 for a combining mark, 2 for a wide character, otherwise 1. */
export function charCells(char: string): number {
  const code = char.codePointAt(0) ?? 0
  if (code < 0x300) return 1
  if (ZERO_WIDTH.test(char)) return 0
  return isWide(code) ? 2 : 1
}

/** Returns the number of terminal cells that a text takes. */
export function countCells(text: string): number {
  let width = 0
  for (const char of text) width += charCells(char)
  return width
}

function isWide(code: number): boolean {
  let low = 0
  let high = WIDE_RANGES.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const [first, last] = WIDE_RANGES[middle] ?? [0, 0]
    if (code < first) high = middle - 1
    else if (code > last) low = middle + 1
    else return true
  }
  return false
}
