import { digest } from '../../kernel/digest.ts'
import { redactTexts } from '../../kernel/redact.ts'

/** What looks like a secret wherever it stands: keys of services, tokens, private keys. */
const SHAPES =
  /\b(?:sk|rk|pk)-(?:[a-z]+-)*[A-Za-z0-9_]{20,}|\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{30,}|\bglpat-[A-Za-z0-9_-]{20,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bAIza[A-Za-z0-9_-]{35}\b|\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}|-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----(?:[^-]{0,20000}-----END (?:[A-Z]+ )*PRIVATE KEY-----)?/g

/** Whether a text holds what looks like a secret. Secrets that the operator names are taken out before anything is recorded. */
export function holdsSecret(text: string): boolean {
  return text.search(SHAPES) >= 0
}

/** Puts `‹secret 4f1c›` in place of what looks like a secret; the value itself where there is none. */
export const withoutSecrets = redactTexts((text) => text.replace(SHAPES, (found) => `‹secret ${digest(found).slice(0, 4)}›`))
