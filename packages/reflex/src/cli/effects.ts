import type { RunHandle } from '../runs/handle.ts'
import { type PossibleEffect, possibleEffects } from '../runs/possible-effects.ts'
import type { Console } from './console.ts'
import { plainLine } from './progress.ts'
import type { Session } from './session.ts'

/**
 * Returns `bank.transfer was under way under key otter-2m9q:12 at pay`: the facts that a person needs to ask the other
 * side.
 */
export function pendingEffectText({ name, key, path }: PossibleEffect): string {
  return `${name} was under way under key ${key}${path === '' ? '' : ` at ${path}`}`
}

/** Prints a line: `begins  pay: bank.transfer under key otter-2m9q:12`. */
function printEffect(console: Console, verb: string, { name, key, path }: PossibleEffect): void {
  plainLine(console, console.now, verb, `${path === '' ? '' : `${path}: `}${name} under key ${key}`)
}

/**
 * Returns the effects of a run that have begun, have no result, and may not be repeated freely. `from` and `until`
 * limit them to the records that requested them.
 */
export function pendingEffects(
  { reflex }: Session,
  { id, run, definitions }: RunHandle,
  { from = 0, until = run.durable } = {},
): readonly PossibleEffect[] {
  return possibleEffects({ run: id, settings: run.settings, state: run.state, definitions, from, until }, reflex.runtime.ports).filter(
    ({ repeat }) => repeat !== 'free',
  )
}

/** Prints the effects that this process performs again, under the same key, because another process ended during them. */
export function printRepeated(console: Console, effects: readonly PossibleEffect[]): void {
  if (console.quiet || console.shape !== 'text') return
  for (const effect of effects) if (effect.repeat === 'keyed' && !effect.asked) printEffect(console, 'repeats', effect)
}

/**
 * Prints each effect that begins, if the output is a pipe: a terminal shows what runs, and a log must show it if the
 * process dies.
 */
export function followEffects(session: Session, handle: RunHandle): void {
  const { console } = session
  if (console.quiet || console.shape !== 'text' || console.isLive) return
  handle.onRecord((_, n) => {
    for (const effect of pendingEffects(session, handle, { from: n, until: n })) printEffect(console, 'begins', effect)
  })
}
