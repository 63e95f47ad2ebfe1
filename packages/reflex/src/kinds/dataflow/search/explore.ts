import type { HostedEvent } from '../model/event.ts'
import type { CompiledGraph } from '../run/compiled.ts'
import { type Breach, type Condition, firstBreach } from './conditions.ts'
import { diceOf } from './dice.ts'
import { EventMaker } from './generate.ts'
import { BEGINNING, type Moment, memoryOf, type Moved, type Simulation } from './simulate.ts'

/** The longest run that is tried, and the most that are continued. */
const LONGEST = 200
const MOST_KEPT = 2000

/** A run so far. */
interface Path {
  readonly events: readonly HostedEvent[]
  readonly moment: Moment
}

/** A condition and events of which the last one breaks it. */
export interface FoundBreach {
  readonly condition: Condition
  readonly breach: NonNullable<Breach>
  readonly events: readonly HostedEvent[]
}

export interface Exploration {
  readonly found: readonly FoundBreach[]
  readonly events: number
  readonly situations: number
}

/**
 * Searches runs of a graph for events that break conditions. A run that reaches a gate in a state in which no run before has reached it is
 * kept, and later runs begin with it. Equal seeds give equal searches.
 */
export function explore(
  def: CompiledGraph,
  simulation: Simulation,
  conditions: readonly Condition[],
  { seed, events: most }: { readonly seed: number; readonly events: number },
): Exploration {
  const roll = diceOf(seed)
  const maker = new EventMaker(def)
  const kept: Path[] = [{ events: [], moment: BEGINNING }]
  const seen = new Set<string>()
  const open = new Set(conditions)
  const found: FoundBreach[] = []
  let tried = 0
  while (tried < most && open.size > 0) {
    let path = kept[pickRecent(roll, kept.length)] ?? { events: [], moment: BEGINNING }
    for (let steps = 1 + roll(8); steps > 0 && tried < most && path.events.length < LONGEST; steps--) {
      tried++
      const event = maker.next(path.events.length, roll, path.events.at(-1)?.payload)
      if (event === undefined) continue
      const moved = simulation.take(path.moment, event)
      path = { events: [...path.events, event], moment: moved.after }
      for (const condition of open) {
        const breach = firstBreach(condition, moved.situations)?.breach
        if (breach === undefined) continue
        open.delete(condition)
        found.push({ condition, breach, events: path.events })
      }
      if (isNew(moved, seen) && kept.length < MOST_KEPT) kept.push(path)
    }
  }
  return { found, events: tried, situations: seen.size }
}

/** Returns a place below a limit, the later half of the time among the last few. */
function pickRecent(roll: (limit: number) => number, count: number): number {
  return roll(2) === 0 ? roll(count) : Math.max(0, count - 1 - roll(Math.min(count, 8)))
}

/** True if a gate was reached in a state in which it has not been before. Adds the pairs of both. */
function isNew({ gates, situations, after }: Moved, seen: Set<string>): boolean {
  const state = JSON.stringify(rough(memoryOf(after.board)))
  const before = seen.size
  for (const [name, emitted] of gates) seen.add(`${name} ${String(emitted)} ${state}`)
  if (situations.some(({ failed }) => failed === true)) seen.add(`failed ${state}`)
  return seen.size > before
}

/** Returns memory as search distinguishes it: numbers by their sign and size, series by their length. */
function rough(memory: unknown): unknown {
  if (typeof memory === 'number')
    return Math.abs(memory) < 8 ? Math.round(memory) : Math.sign(memory) * Math.ceil(Math.log2(Math.abs(memory)))
  if (Array.isArray(memory)) return Math.min(memory.length, 8)
  if (typeof memory !== 'object' || memory === null) return memory
  return Object.entries(memory)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => [key, rough(value)])
}
