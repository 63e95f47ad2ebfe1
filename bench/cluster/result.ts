import type { Delays, Sample } from './delays.ts'
import type { Turn, TurnCounts } from './turns.ts'

/** An event of a turn, for observers. A turn whose worker died begins again. */
export interface TurnEvent {
  readonly did: 'due' | 'admitted' | 'begun' | 'ended' | 'lost'
  readonly turn: Turn
  readonly at: number
}

export interface SimulationResult {
  readonly counts: TurnCounts
  /** Turns that wait, are admitted, or run at the end, and inputs for the next turn of a run. */
  readonly left: { readonly waiting: number; readonly admitted: number; readonly running: number; readonly inputs: number }
  /** By tenant, from due to begun. */
  readonly delays: ReadonlyMap<string, Delays>
  /** From the death of a worker to the moment at which another one begins its turn again. */
  readonly takeovers: Delays
  /** Living workers that were taken for dead, since their heartbeats were late: a worker was stopped, or the server is overloaded. */
  readonly misjudged: number
  /** Workers that got no connection. */
  readonly refused: number
  readonly samples: readonly Sample[]
  /** Used shares, from 0 to 1. */
  readonly used: {
    readonly commits: number
    readonly log: number
    readonly processors: number
    readonly slots: number
    readonly workers: number
  }
  readonly endedAt: number
}
