import { digest } from '../../kernel/digest.ts'
import { redactTexts } from '../../kernel/redact.ts'

/** A form that secrets have, and the further test of a match. */
interface Shape {
  readonly found: RegExp
  readonly holds?: (text: string) => boolean
}

// A search takes a whole run of characters and judges it afterwards: a pattern that begins again inside the run is quadratic.
const SHAPES: readonly Shape[] = [
  { found: /\b(?:sk|rk|pk)-[A-Za-z0-9_-]{20,}/g, holds: isServiceKey },
  { found: /\beyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]+){0,4}/g, holds: isSignedToken },
  {
    found:
      /\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{30,}|\bglpat-[A-Za-z0-9_-]{20,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bAIza[A-Za-z0-9_-]{35}\b|-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----(?:[^-]*-----END (?:[A-Z]+ )*PRIVATE KEY-----)?/g,
  },
]

/** True if a text holds something that looks like a secret. Secrets that the operator names are taken out before anything is recorded. */
export function holdsSecret(text: string): boolean {
  return cleaned(text) !== text
}

/** Puts `‹secret 4f1c›` in place of what looks like a secret; the value itself where there is none. */
export const withoutSecrets = redactTexts(cleaned)

function cleaned(text: string): string {
  let clean = text
  for (const { found, holds } of SHAPES)
    clean = clean.replace(found, (run) => (holds?.(run) === false ? run : `‹secret ${digest(run).slice(0, 4)}›`))
  return clean
}

/** The key of a service has a long part of letters and digits: words with hyphens between them are a name. */
function isServiceKey(run: string): boolean {
  return /[A-Za-z0-9_]{20}/.test(run) || (run.length >= 40 && /\d/.test(run) && /[A-Z]/.test(run))
}

/** A signed token has a head and a body, which are objects, and a signature. */
function isSignedToken(run: string): boolean {
  const parts = run.split('.')
  return parts.some((part, i) => {
    const [body = '', signature = ''] = parts.slice(i + 1)
    return [part, body].every((one) => one.includes('eyJ') && one.length >= 13) && signature.length >= 10
  })
}
