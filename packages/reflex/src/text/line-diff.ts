/** A line of a comparison of two texts: in both texts, or only in one. */
export interface DiffLine {
  readonly in: 'both' | 'one' | 'other'
  readonly text: string
}

/**
 * The limit on the lines of both texts together. Beyond it, the differing middle is not compared: all lines of one text come first, then
 * all lines of the other.
 */
const MAX_LINES = 2_000

/** Compares two texts by lines. Returns the lines of both in order, with as many common lines as possible. */
export function lineDiff(one: string, other: string): readonly DiffLine[] {
  const [a, b] = [one.split('\n'), other.split('\n')]
  let begin = 0
  while (begin < a.length && begin < b.length && a[begin] === b[begin]) begin++
  let end = 0
  while (end < a.length - begin && end < b.length - begin && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const both = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ in: 'both', text }))
  const middle = diffMiddle(a.slice(begin, a.length - end), b.slice(begin, b.length - end))
  return [...both(a.slice(0, begin)), ...middle, ...both(a.slice(a.length - end))]
}

function diffMiddle(a: readonly string[], b: readonly string[]): DiffLine[] {
  if (a.length === 0 || b.length === 0 || a.length + b.length > MAX_LINES) {
    return [...a.map((text): DiffLine => ({ in: 'one', text })), ...b.map((text): DiffLine => ({ in: 'other', text }))]
  }
  const lengths = commonLengths(a, b)
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  const at = (row: number, column: number): number => lengths[row * (b.length + 1) + column] ?? 0
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ in: 'both', text: a[i] ?? '' })
      i++
      j++
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) lines.push({ in: 'one', text: a[i++] ?? '' })
    else lines.push({ in: 'other', text: b[j++] ?? '' })
  }
  return lines
}

/** Returns for each pair of line numbers the number of common lines from there to the end. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint16Array {
  const width = b.length + 1
  const lengths = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        a[i] === b[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0)
  return lengths
}
