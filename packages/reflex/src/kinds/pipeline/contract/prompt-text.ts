/** Characters that nobody sees and that models read: controls, marks of direction, invisible signs, tags. */
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

/** The marks by which models tell who speaks; a value that has them speaks for somebody else. */
const ROLES = /<\|[a-z_]{2,40}\|>|<<\/?SYS>>|\[\/?INST\]|<\/?(?:start|end)_of_turn>/gi

/** Sentences that turn a model against its task. They are language, so they are reported and never changed. */
const ORDERS =
  /\b(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+)?(?:of\s+)?(?:the\s+|your\s+)?(?:previous|prior|above|earlier|preceding)\s+(?:instructions?|prompts?|rules?|messages?)|\byou\s+are\s+no\s+longer\b|\breveal\s+(?:the\s+|your\s+)?system\s+prompt\b/i

/** What of a value does not belong into a prompt: `unseen`, `role_mark`, `order`. */
export function marksIn(text: string): string[] {
  const found: string[] = []
  if (text.search(UNSEEN) >= 0) found.push('unseen')
  if (text.search(ROLES) >= 0) found.push('role_mark')
  if (ORDERS.test(text)) found.push('order')
  return found
}

/** A value as it may stand in a prompt: without unseen characters and marks of roles (reference pipeline 5.2). */
export function promptText(text: string): string {
  return text.replace(UNSEEN, '').replace(ROLES, '')
}
