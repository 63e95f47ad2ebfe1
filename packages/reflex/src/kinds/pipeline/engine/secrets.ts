import { redactTexts } from '../../../kernel/journal/redact.ts'
import { withoutShapes } from '../../../policy/index.ts'

/** True if a text holds something that looks like a secret. Secrets that the operator names are taken out before anything is recorded. */
export function holdsSecret(text: string): boolean {
  return withoutShapes(text) !== text
}

/** Puts `‹secret 4f1c›` in place of what looks like a secret; the value itself where there is none. */
export const withoutSecrets = redactTexts(withoutShapes)
