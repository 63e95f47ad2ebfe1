const LONGEST = 400
const TAGS = /<\/?(?:SKILL_[A-Z]{1,20}|CLARIFY)[^<>]{0,100}>/gi
const LINKS = /!?\[([^[\]]{0,100})\]\([^()]{0,200}\)/g
/** Line ends, and characters that nobody sees: they hide text from people that models read. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]+/gu

/**
 * Returns a text of a manifest as one harmless line: without tags of the protocol, links, control and invisible characters (reference skill
 * 1.15). No `<` stays, so that what is left cannot form a tag, and the block around it cannot be closed.
 */
export function harmlessText(text: string): string {
  return text
    .slice(0, LONGEST)
    .normalize('NFC')
    .replace(INVISIBLE, ' ')
    .replace(TAGS, '')
    .replace(LINKS, '$1')
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replaceAll(/ {2,}/g, ' ')
    .trim()
}
