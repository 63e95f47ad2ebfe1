import type { Suggester } from '../../../text/index.ts'

const SHORTEST = 4
const MOST_LETTERS_MORE = 2

/**
 * Returns the name that a key was probably meant to be. It is stricter than a suggestion for a word that is certainly wrong:
 * short keys, keys of very different length, keys with different first letters, and keys that differ only in a number are
 * different names.
 */
export function similarKey(key: string, names: Suggester): string | undefined {
  if (key.length < SHORTEST) return undefined
  const guess = names(key)
  if (guess === undefined || guess === key || Math.abs(guess.length - key.length) > MOST_LETTERS_MORE) return undefined
  if (guess[0]?.toLowerCase() !== key[0]?.toLowerCase() && !guess.endsWith(key) && !key.endsWith(guess)) return undefined
  return letters(guess) === letters(key) && guess !== key && /\d/.test(guess + key) ? undefined : guess
}

function letters(name: string): string {
  return name.replace(/\d+/g, '')
}
