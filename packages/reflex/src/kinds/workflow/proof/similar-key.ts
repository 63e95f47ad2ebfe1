import type { Suggester } from '../../../text/index.ts'

const SHORTEST = 4
const MOST_LETTERS_MORE = 2

/**
 * The name that a key was probably meant to be. More careful than a guess at a word that is wrong for sure: short keys,
 * keys of very different length, keys with another first letter and keys that differ in a number alone are names of their own.
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
