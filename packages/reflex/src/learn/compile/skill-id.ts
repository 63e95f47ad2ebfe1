import type { MinedPattern } from '../mine/pattern.ts'

const MOST_WORDS = 4
const LONGEST = 80

/**
 * Returns the id of a mined skill: `mined.`, the command or the first part of the tool of its first step, and the verb before the noun. With a
 * clash, the digits of its pattern follow: equal patterns have equal ids.
 */
export function skillId({ symbols, hash }: Pick<MinedPattern, 'symbols' | 'hash'>, isTaken: (id: string) => boolean): string {
  const [symbol = ''] = symbols
  const words = wordsOf(symbol)
  const [domain = 'calls', ...rest] = words
  const verb = rest.at(-1)
  const name = verb === undefined ? ['run'] : [verb, ...rest.slice(0, -1)]
  const id = `mined.${domain}.${name.slice(0, MOST_WORDS).join('_')}`.slice(0, LONGEST)
  return isTaken(id) ? `${id}_${hash.slice(0, 4)}` : id
}

/** Returns the words of a command, or of the name of a tool; each begins with a letter. */
function wordsOf(symbol: string): readonly string[] {
  const colon = symbol.indexOf(':')
  const [tool, shape] = [symbol.slice(0, colon), symbol.slice(colon + 1)]
  const isCommand = shape !== '' && !shape.startsWith('(') && shape !== '?'
  const text = tool === 'skill' ? shape : isCommand ? (shape.split(/[{(|&;<>]/)[0] ?? '') : tool
  return text
    .toLowerCase()
    .split(/[^a-z0-9_]+/)
    .map((word) =>
      word
        .split('_')
        .filter((part) => part !== '')
        .join('_')
        .replace(/^[^a-z]+/, ''),
    )
    .filter((word) => word !== '')
}
