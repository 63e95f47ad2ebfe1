import { normaliseLabel } from './edge-labels.ts'

/** A choice of a person, with the names that select it. */
export interface NamedChoice {
  /** The key that selects it. */
  readonly key: string
  /** The label that people read, without the key. */
  readonly label: string
  /** The node that the choice leads to. */
  readonly to?: string
}

/**
 * Returns the choice that a word names (reference pipeline 7.2, 7.3): its label, its key, its label in any case, its target,
 * its number from 1, or the beginning of exactly one label. Undefined if no choice matches.
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
