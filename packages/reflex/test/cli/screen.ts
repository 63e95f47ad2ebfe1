/** A terminal as text: what stands on it after everything that was written, scrollback included. */
export function screenOf(written: string, width: number): string {
  const lines: string[][] = [[]]
  let row = 0
  let column = 0
  const at = (index: number): string[] => {
    while (lines.length <= index) lines.push([])
    return lines[index] ?? []
  }
  for (const [, digits, letter, char] of written.matchAll(/\u001b\[([0-9;?]*)([A-Za-z])|([\s\S])/gu)) {
    if (letter === 'A') row = Math.max(0, row - Number(digits || 1))
    else if (letter === 'J') {
      lines.length = row + 1
      at(row).length = Math.min(at(row).length, column)
    } else if (char === '\n') row++
    else if (char === '\r') column = 0
    else if (char !== undefined) {
      if (column >= width) {
        row++
        column = 0
      }
      const line = at(row)
      while (line.length < column) line.push(' ')
      line[column++] = char
    }
    if (char === '\n') column = 0
    at(row)
  }
  return lines
    .map((line) => line.join('').trimEnd())
    .join('\n')
    .trimEnd()
}
