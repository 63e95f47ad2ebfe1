import { isObject, type Json } from '../../../kernel/index.ts'
import { redaction } from '../../../policy/index.ts'
import type { Manifest } from '../model/manifest.ts'
import type { ModelReply } from '../model/turn.ts'
import { readReplyParts } from '../protocol/reply-reader.ts'

/** The replies of one turn, as records have them. */
export class MaskedReplies {
  readonly #manifests: readonly Manifest[]
  readonly #values = new Set<string>()

  constructor(manifests: readonly Manifest[]) {
    this.#manifests = manifests.filter(({ signature }) => signature.inputs.some(isHidden))
  }

  /**
   * Returns a reply of a model in which the values that it and earlier ones propose for sensitive slots are masked, before any record has them.
   * What is masked is refused by the gate: a model has to name a secret, or leave the slot to its binding (reference skill 1.18).
   */
  mask(reply: ModelReply): ModelReply {
    if (this.#manifests.length === 0) return reply
    for (const value of sensitiveValues(reply, this.#manifests)) this.#values.add(value)
    return (redaction(this.#values, 1)?.value(reply as unknown as Json) ?? reply) as unknown as ModelReply
  }
}

function sensitiveValues(reply: ModelReply, manifests: readonly Manifest[]): readonly string[] {
  const parts = reply.parts.map((part) => ('text' in part ? part.text : part.call))
  const { proposals } = readReplyParts(parts)
  return proposals.flatMap(({ id, inputs }) => {
    const slots = manifests.find((manifest) => manifest.id === id)?.signature.inputs.filter(isHidden) ?? []
    return slots.flatMap(({ name }) => (Object.hasOwn(inputs, name) ? textsIn(inputs[name]) : []))
  })
}

/** The name of a secret is no secret. */
function isHidden({ type, sensitive }: Manifest['signature']['inputs'][number]): boolean {
  return sensitive && type !== 'secret_ref'
}

function textsIn(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(textsIn)
  if (isObject(value)) return Object.values(value).flatMap(textsIn)
  return typeof value === 'number' ? [String(value)] : []
}
