import type { CardCandidate } from '../model/card.ts'
import { harmlessText } from './harmless-text.ts'
import type { Tokenizer } from './tokens.ts'

/** The tokens of one card (seed skill 12). */
export const CARD_TOKENS = 120
const [FEW_KEYWORDS, FEW_WORDS] = [3, 12]

/** A card as the model reads it: one line. */
export interface Card {
  readonly text: string
  /** The same without statistics, which change after every execution. */
  readonly lasting: string
  readonly tokens: number
  /** True if a slot is marked as known. */
  readonly hasKnown: boolean
}

/** The parts of a card that can be cut, each to the form that is left. */
interface Parts {
  readonly about: string
  readonly gives: string
  readonly uses: string
  readonly statistics: string
}

/**
 * Writes the card of a skill: what it is, what it needs (`*`: known already), what it gives, what it is for, and how often it succeeded.
 * If it is too long, it is cut in this order: statistics, keywords after the third, outputs, the description after its twelfth word. The
 * id and the slots are never cut. Undefined if it is still too long (reference skill 1.15).
 */
export function writeCard(candidate: CardCandidate, tokenizer: Tokenizer): Card | undefined {
  let parts = allParts(candidate)
  const cuts: readonly ((parts: Parts) => Parts)[] = [
    (whole) => whole,
    (cut) => ({ ...cut, statistics: '' }),
    (cut) => ({ ...cut, uses: usesText(candidate.keywords.slice(0, FEW_KEYWORDS)) }),
    (cut) => ({ ...cut, gives: '' }),
    (cut) => ({ ...cut, about: firstWords(cut.about) }),
  ]
  for (const cut of cuts) {
    parts = cut(parts)
    const text = cardText(candidate, parts)
    const tokens = tokenizer.count(text)
    const lasting = cardText(candidate, { ...parts, statistics: '' })
    if (tokens <= CARD_TOKENS) return { text, lasting, tokens, hasKnown: candidate.needs.some(({ known }) => known) }
  }
  return undefined
}

function allParts({ title, description, gives, keywords, stats }: CardCandidate): Parts {
  const about = harmlessText(description) || harmlessText(title)
  return {
    about: about.replace(/\.$/, ''),
    gives: gives.length === 0 ? '' : ` Gives: ${gives.map(({ output, type }) => `${output}:${type}`).join(', ')}.`,
    uses: usesText(keywords),
    statistics: stats.runs === 0 ? '' : ` ${stats.successes}/${stats.runs} ok`,
  }
}

function usesText(keywords: readonly string[]): string {
  const words = keywords.map((keyword) => harmlessText(keyword).replaceAll('|', '/')).filter((keyword) => keyword !== '')
  return words.length === 0 ? '' : ` Use for: ${words.join(' | ')}.`
}

function cardText({ id, version, needs }: CardCandidate, { about, gives, uses, statistics }: Parts): string {
  const slots = needs.map(({ slot, type, known }) => `${slot}:${type}${known ? '*' : ''}`).join(', ')
  return `- ${id}@${version} — ${about}. Needs: ${slots === '' ? 'nothing' : slots}.${gives}${uses}${statistics}`
}

function firstWords(text: string): string {
  const words = text.split(' ')
  return words.length <= FEW_WORDS ? text : `${words.slice(0, FEW_WORDS).join(' ')}…`
}
