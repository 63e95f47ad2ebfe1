import { isList, type Json, type JsonObject } from '../../../src/kernel/journal/json.ts'
import type { Kind } from '../../../src/kernel/step/kind.ts'

interface Tree {
  readonly leaves: number
  /** Leaves whose state changes in one tick; with none, no tick is recorded. */
  readonly changing: number
  /** Milliseconds between two ticks. */
  readonly everyMs: number
  /** Every so many ticks nothing changes. */
  readonly restEvery?: number
  /** The run ends after so many recorded ticks; never if absent. */
  readonly ticks?: number
  /** The program that a leaf calls at the first tick. The tree ticks while it runs, and ends after it has returned. */
  readonly calls?: string
}

type Step = Parameters<Kind<Tree>['step']>[0]

/**
 * Shaped after a tree that ticks: the state of each leaf is an item of the position, and each tick changes some of them. A tick
 * in which nothing changes leaves no record.
 */
export const beat: Kind<Tree> = {
  name: 'beat',
  rev: 1,
  compile: (source) => source as unknown as Tree,
  calls: ({ calls }) => (calls === undefined ? [] : [calls]),
  step(x, input) {
    if (input === undefined) begin(x)
    else if (input[0] === 'timer') tick(x)
    else if (input[0] === 'ret') returned(x, [input[2], input[3] ?? null])
  },
}

/** The position: the tick, and the state of each leaf. */
const LEAVES = 1

function begin(x: Step): void {
  const leaves = Array.from({ length: x.def.leaves }, () => 'FRESH')
  x.go([0, ...leaves])
  x.wait('timer', 'tick', { every: x.def.everyMs })
}

function tick(x: Step): void {
  const position = positionOf(x)
  const { leaves, changing, everyMs, restEvery = Infinity, ticks = Infinity, calls } = x.def
  const tick = Number(position[0]) + 1
  const time = Math.round(x.now / everyMs)
  if (changing === 0 || tick > ticks || time % restEvery === 0) return x.skip()
  x.patchItems(0, tick)
  const next = [...position]
  for (let i = 0; i < changing; i++) {
    const place = LEAVES + ((tick * changing + i) % leaves)
    next[place] = position[place] === 'RUNNING' ? 'SUCCESS' : 'RUNNING'
    x.patchItems(place, next[place] ?? null)
  }
  x.set('seen', `tick ${tick}`, { from: `leaf${(tick * changing) % leaves}` })
  if (calls !== undefined && tick === 1) x.call(calls, { isolated: true })
  if (tick === ticks && (calls === undefined || x.has('called'))) x.done(states(next))
}

function returned(x: Step, value: Json): void {
  x.set('called', value)
  const { ticks = Infinity } = x.def
  if (positionOf(x)[0] === ticks) x.done({ ...states(positionOf(x)), called: value })
}

function positionOf(x: Step): readonly Json[] {
  return isList(x.position) ? x.position : []
}

/** Counts the leaves by their states. */
function states(position: readonly Json[]): JsonObject {
  const count: Record<string, number> = {}
  for (const state of position.slice(LEAVES)) if (typeof state === 'string') count[state] = (count[state] ?? 0) + 1
  return count
}
