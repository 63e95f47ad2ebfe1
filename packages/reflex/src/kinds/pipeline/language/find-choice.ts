import { normaliseLabel } from './edge-labels.ts'

/** One of several ways that a person may take, and what it may be called. */
export interface NamedChoice {
  /** The key that chooses it. */
  readonly key: string
  /** What people read, without the key. */
  readonly label: string
  /** Where it leads. */
  readonly to?: string
}

/**
 * The choice that a word means (reference pipeline 7.2, 7.3): its label, its key, its label in any case, where it leads, its
 * number from 1, or the beginning of one label alone. Undefined for a word that means none.
 */
export function findChoice<Choice extends NamedChoice>(choices: readonly Choice[], word: string): Choice | undefined {
  const folded = word.trim().toLowerCase()
  if (folded === '') return undefined
  const plain = normaliseLabel(word)
  return (
    choices.find(({ label }) => label === word) ??
    choices.find(({ key }) => key.toLowerCase() === folded) ??
    choices.find(({ label }) => normaliseLabel(label) === plain) ??
    choices.find(({ to }) => to === word.trim()) ??
    choices.find(({ to }) => to?.toLowerCase() === folded) ??
    (/^\d{1,4}$/.test(folded) ? choices[Number(folded) - 1] : undefined) ??
    onlyOne(choices.filter(({ label }) => label.toLowerCase().startsWith(folded)))
  )
}

function onlyOne<Choice>(found: readonly Choice[]): Choice | undefined {
  return found.length === 1 ? found[0] : undefined
}
