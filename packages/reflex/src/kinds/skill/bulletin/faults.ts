import { type CatalogueEntry, defineFaults } from '../../../kernel/index.ts'

/** The faults of bulletins of skills (R1466 to R1469). */
export const faults = defineFaults({
  R1466: {
    title: 'A bulletin cannot have so many cards',
    verdict: 'fail',
    severity: 'warning',
    when: 'during a run',
    rules: ['skill bulletin.k_clamped'],
    means: 'A bulletin shows one to five skills. More would cost tokens in every request, and models choose worse among many.',
    fix: 'Set kCards to a whole number from 1 to 5.',
  },
  R1467: {
    title: 'A skill has no place in the bulletin',
    verdict: 'fail',
    severity: 'warning',
    when: 'during a run',
    rules: ['skill bulletin.card_overflow'],
    means:
      'The card of a skill has at most 120 tokens, and a bulletin 600. The id and the needed slots are never cut, and they are too long.',
    fix: 'Shorten the id or the names of the slots, or split the skill.',
  },
} satisfies Record<string, CatalogueEntry>)
