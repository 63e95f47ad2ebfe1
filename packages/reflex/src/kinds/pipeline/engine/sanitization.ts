import { redactTexts, type Json } from '../../../kernel/index.ts'
import { redactSecretShapes } from '../../../policy/index.ts'
import type { TypedNode } from '../model/typed.ts'
import { readsOfNode } from './labelling.ts'
import { SANITIZED } from '../../../policy/label.ts'
import type { Middleware, Token } from './middleware.ts'
import { renderText } from '../language/render.ts'
import { marksIn } from '../contract/prompt-text.ts'

/**
 * Removes secrets from the updates of nodes, refuses secrets in attributes, and marks text that does not belong into a
 * prompt; prompts omit it (`promptText`). Commands are never rewritten (reference pipeline 5.2).
 */
export const sanitization: Middleware = {
  name: 'sanitization',
  before(token) {
    const { node } = token.context
    const secret = secretOf(node)
    if (secret !== undefined) return { halt: `unsafe input: ${node.id} has a secret in ${secret}` }
    markPrompts(token)
    return undefined
  },
  after(token, outcome) {
    const { context_updates } = outcome
    if (context_updates === undefined) return undefined
    const changed: [string, Json][] = []
    for (const [key, value] of Object.entries(context_updates)) {
      const clean = withoutSecrets(value)
      if (clean !== value) changed.push([key, clean])
    }
    if (changed.length === 0) return undefined
    for (const [key] of changed) token.note('secret_redacted', { key })
    return { ...outcome, context_updates: Object.fromEntries([...Object.entries(context_updates), ...changed]) }
  },
}

/** Refuses an output with a secret, where `sanitization` only removes the secret. */
export const secretScan: Middleware = {
  name: 'secret_scan',
  after({ context }, { context_updates = {} }) {
    const found = Object.entries(context_updates).find(([, value]) => withoutSecrets(value) !== value)
    return found === undefined ? undefined : { halt: `unsafe output: ${context.node.id} writes a secret to ${found[0]}` }
  },
}

const known = new WeakMap<TypedNode, { readonly name: string | undefined }>()

/** Returns the name of the attribute in which an author wrote a secret. */
function secretOf(node: TypedNode): string | undefined {
  let found = known.get(node)
  if (found === undefined) {
    const [name] = [...node.node.attributes].find(([, { value }]) => typeof value === 'string' && containsSecret(value)) ?? []
    found = { name }
    known.set(node, found)
  }
  return found.name
}

const ASKS_MODEL = 'arbor://orchestrator/execute/llm_query'

/** Marks a value that looks like instructions as unsafe for prompts, and notes it; the value itself stays. */
function markPrompts(token: Token): void {
  const { node } = token.context
  if (!node.capabilitiesRequired.includes(ASKS_MODEL)) return
  for (const { key } of readsOfNode(node)) {
    const value = token.context.get(key)
    const marks = value === undefined ? [] : marksIn(renderText(value))
    if (marks.length === 0) continue
    token.note('prompt_marked', { key, marks })
    const label = token.label(key)
    token.mark(key, { ...label, bits: label.bits & ~SANITIZED.prompt_injection })
  }
}

/**
 * True if a text contains something that looks like a secret. Secrets that the operator names are removed before
 * anything is recorded.
 */
export function containsSecret(text: string): boolean {
  return redactSecretShapes(text) !== text
}

/** Replaces everything that looks like a secret by `‹secret 4f1c›`. Returns the same value if there is no secret. */
export const withoutSecrets = redactTexts(redactSecretShapes)
