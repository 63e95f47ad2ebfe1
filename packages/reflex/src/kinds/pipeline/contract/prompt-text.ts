/** Invisible characters that models read: controls, direction marks, zero-width characters, tags. */
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

/** The markers by which models separate roles. In a value they imitate another speaker. */
const ROLES = /<\|[a-z_]{2,40}\|>|<<\/?SYS>>|\[\/?INST\]|<\/?(?:start|end)_of_turn>/gi

/** Sentences of prompt injections. They are natural language, so they are reported and never changed. */
const ORDERS =
  /\b(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+)?(?:of\s+)?(?:the\s+|your\s+)?(?:previous|prior|above|earlier|preceding)\s+(?:instructions?|prompts?|rules?|messages?)|\byou\s+are\s+no\s+longer\b|\breveal\s+(?:the\s+|your\s+)?system\s+prompt\b/i

/** Returns the kinds of suspicious marks in a value: `unseen`, `role_mark`, `order`. */
export function marksIn(text: string): string[] {
  const found: string[] = []
  if (text.search(UNSEEN) >= 0) found.push('unseen')
  if (text.search(ROLES) >= 0) found.push('role_mark')
  if (ORDERS.test(text)) found.push('order')
  return found
}

/** Returns a value for a prompt, without invisible characters and role markers (reference pipeline 5.2). */
export function promptText(text: string): string {
  return text.replace(UNSEEN, '').replace(ROLES, '')
}
