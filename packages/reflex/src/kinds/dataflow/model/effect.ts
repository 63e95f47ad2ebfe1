import type { Tagged } from './value.ts'

/** The kind of the one effect that Reflex realizes itself. */
export const SET_CONTEXT = 'set_context'

export interface EffectWrite {
  readonly key: string
  readonly value: Tagged
}

export interface EffectIntent {
  readonly kind: string
  readonly intent_id: string
  readonly fields: readonly { readonly name: string; readonly value: Tagged }[]
}

/** An effect of a pass, derived from the manifest of an action (reference 5.1). An external one has exactly one intent. */
export interface Effect {
  readonly kind: string
  readonly writes: readonly EffectWrite[]
  readonly intents: readonly EffectIntent[]
}
