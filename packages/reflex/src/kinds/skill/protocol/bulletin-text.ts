/**
 * The text between its tags that a turn attaches to the message of the user: the cards (reference skill 1.14). `turn` has 8 hexadecimal
 * digits.
 */
export function bulletinText(turn: string, cards: string): string {
  return `<SKILL_BULLETIN turn="${turn}">\n${cards}\n</SKILL_BULLETIN>`
}

/** The text that a turn attaches if its cards are those of the latest bulletin in the conversation. */
export function bulletinMarker(turn: string): string {
  return `<SKILL_BULLETIN turn="${turn}" same="true"/>`
}

/** The constant guidance of the system text (seed skill 4), at most 40 tokens. It names the carrier that the model is to use. */
export const GUIDANCE = {
  text: 'To use a skill of the last bulletin, include <SKILL_PROPOSE>{json}</SKILL_PROPOSE>.\nIf info is missing, <CLARIFY>{json}</CLARIFY>.',
  tool: 'To use a skill of the last bulletin, call reflex_propose. If info is missing, call reflex_clarify.',
} as const
