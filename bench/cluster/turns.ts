import type { TenantLoad } from './settings.ts'

export type TurnState = 'waiting' | 'admitted' | 'running' | 'ended'

/** One turn of a run. */
export interface Turn {
  readonly run: SimulatedRun
  readonly number: number
  readonly dueAt: number
  state: TurnState
  /** The number of the attempt: one more after each worker that died. What an earlier attempt still does has no effect. */
  attempt: number
  stepsLeft: number
  begunAt: number | undefined
}

export interface SimulatedRun {
  readonly id: number
  readonly load: TenantLoad
  turns: number
  /** The turn that has not ended. */
  turn: Turn | undefined
  /** True if an input arrived while a turn was running, which may not have seen it: the run is due again when the turn ends. */
  isDueAgain: boolean
}

/** Counts the inputs of a simulation. Every input that is due begins a turn or is taken by one. */
export interface TurnCounts {
  inputs: number
  /** Inputs of a run that already waited for a turn. */
  joined: number
  turns: number
  ended: number
}

/** The turns of all runs: at most one at a time of each. */
export class TurnBook {
  readonly counts: TurnCounts = { inputs: 0, joined: 0, turns: 0, ended: 0 }

  /** Records an input of a run. Returns its new turn; undefined if a turn that exists takes the input. */
  input(run: SimulatedRun, now: number, steps: () => number): Turn | undefined {
    this.counts.inputs++
    const { turn } = run
    if (turn === undefined) return this.#begin(run, now, steps())
    if (turn.state === 'running' && !run.isDueAgain) run.isDueAgain = true
    else this.counts.joined++
    return undefined
  }

  /** Ends a turn. Returns the next one if an input arrived while it ran. */
  end(turn: Turn, now: number, steps: () => number): Turn | undefined {
    const { run } = turn
    turn.state = 'ended'
    this.counts.ended++
    run.turn = undefined
    if (!run.isDueAgain) return undefined
    run.isDueAgain = false
    return this.#begin(run, now, steps())
  }

  #begin(run: SimulatedRun, dueAt: number, stepsLeft: number): Turn {
    this.counts.turns++
    return (run.turn = { run, number: ++run.turns, dueAt, state: 'waiting', attempt: 1, stepsLeft, begunAt: undefined })
  }
}
