import type { RunHandle } from '../runs/handle.ts'
import { type PossibleEffect, possibleEffects } from '../runs/possible-effects.ts'
import type { Console } from './console.ts'
import { plainLine } from './progress.ts'
import type { Session } from './session.ts'

/** `bank.transfer was under way under key otter-2m9q:12 at pay`: what a person needs for a check with the other side. */
export function pendingEffectText({ name, key, path }: PossibleEffect): string {
  return `${name} was under way under key ${key}${path === '' ? '' : ` at ${path}`}`
}

/** A line of the story: `begins  pay: bank.transfer under key otter-2m9q:12`. */
function printEffect(console: Console, verb: string, { name, key, path }: PossibleEffect): void {
  plainLine(console, console.now, verb, `${path === '' ? '' : `${path}: `}${name} under key ${key}`)
}

/** The effects of a run that have begun and have no result, and may not be repeated freely; those that the given records asked for. */
export function pendingEffects(
  { reflex }: Session,
  { id, run, definitions }: RunHandle,
  { from = 0, until = run.durable } = {},
): readonly PossibleEffect[] {
  return possibleEffects({ run: id, settings: run.settings, state: run.state, definitions, from, until }, reflex.runtime.ports).filter(
    ({ repeat }) => repeat !== 'free',
  )
}

/** Says which effects this process performs again, under the same key, after another one has ended during them. */
export function printRepeated(console: Console, effects: readonly PossibleEffect[]): void {
  if (console.quiet || console.shape !== 'text') return
  for (const effect of effects) if (effect.repeat === 'keyed' && !effect.asked) printEffect(console, 'repeats', effect)
}

/** Says in a pipe which effect begins: a terminal shows what runs, and a log must do so when its process dies. */
export function followEffects(session: Session, handle: RunHandle): void {
  const { console } = session
  if (console.quiet || console.shape !== 'text' || console.isLive) return
  handle.onRecord((_, n) => {
    for (const effect of pendingEffects(session, handle, { from: n, until: n })) printEffect(console, 'begins', effect)
  })
}
