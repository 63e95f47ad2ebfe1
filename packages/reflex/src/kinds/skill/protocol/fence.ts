/** A line that opens or closes a code block. */
export interface FenceLine {
  readonly spaces: number
  /** Three or more backticks or tildes. */
  readonly run: string
  readonly rest: string
}

/** Returns the fence that a line is, or undefined. The information after backticks has no backtick: that is inline code. */
export function readFence(line: string): FenceLine | undefined {
  let spaces = 0
  while (line[spaces] === ' ') spaces++
  const mark = line[spaces]
  if (mark !== '`' && mark !== '~') return undefined
  let end = spaces
  while (line[end] === mark) end++
  const rest = line.slice(end)
  if (end - spaces < 3 || (mark === '`' && rest.includes('`'))) return undefined
  return { spaces, run: line.slice(spaces, end), rest }
}
