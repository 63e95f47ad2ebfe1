import type { Json } from '../journal/json.ts'

const BRAND = Symbol.for('reflex.interruption')

/**
 * Thrown by a port, or a tool, whose effect cannot end by itself. The effect stays pending, and the reason is recorded. `question`: a person
 * answers it, and the effect is performed again with the answer in `call.answers`; the run is suspended meanwhile. `unknown`: nobody
 * knows whether the effect has happened, so a person is asked, as after a crash.
 */
export type Interruption = Error & ({ readonly is: 'question'; readonly title: string; readonly about: Json } | { readonly is: 'unknown' })

/** Returns the interruption of an effect that needs an answer. `title`: the name of the wait; `about`: the question. */
export function questionInterruption(title: string, about: Json): Interruption {
  return Object.assign(new Error(`${title} asks a question, and nothing here can record it`), {
    [BRAND]: true,
    is: 'question' as const,
    title,
    about,
  })
}

/** Returns the interruption of an effect whose outcome is unknown. */
export function unknownInterruption(message: string): Interruption {
  return Object.assign(new Error(message), { [BRAND]: true, is: 'unknown' as const })
}

/** True for what `questionInterruption` and `unknownInterruption` return. False for an object of a host that throws while it is looked at. */
export function isInterruption(thrown: unknown): thrown is Interruption {
  try {
    return thrown instanceof Error && BRAND in thrown
  } catch {
    return false
  }
}
