import type { RunHandle } from '../runs/handle.ts'
import { type EffectRange, type PossibleEffect, possibleEffects } from '../runs/possible-effects.ts'
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
 * Returns the effects of a run that have begun, have no result, and may not be repeated freely: those with the
 * names `among`, and requested by a record up to `until`.
 */
export function pendingEffects(
  { reflex }: Session,
  { id, run, definitions }: RunHandle,
  { among, until = run.durable }: Pick<EffectRange, 'among' | 'until'> = {},
): readonly PossibleEffect[] {
  return possibleEffects({ run: id, settings: run.settings, state: run.state, definitions, among, until }, reflex.runtime.ports).filter(
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
  // A call that waits for room begins with the record that it has room, and not with that of its request.
  const waiting = new Set([...handle.run.state.pendingEffects()].flatMap(({ id, isPostponed }) => (isPostponed ? [String(id)] : [])))
  const begun = new Map<string, number>()
  handle.run.observe(({ n, record: { input, requests } }) => {
    if (input?.[0] === 'later') {
      waiting.add(String(input[1]))
      begun.delete(String(input[1]))
    } else if (input?.[0] === 'again' && waiting.delete(String(input[1]))) begun.set(String(input[1]), n)
    for (const i of requests?.keys() ?? []) begun.set(i === 0 ? String(n) : `${n}.${i}`, n)
  })
  handle.onRecord((_, n) => {
    const among = new Set([...begun].flatMap(([id, record]) => (record <= n ? [id] : [])))
    for (const id of among) begun.delete(id)
    if (among.size === 0) return
    for (const effect of pendingEffects(session, handle, { among, until: n })) printEffect(console, 'begins', effect)
  })
}
