import { isObject, type Json, type JsonObject } from '../../../src/kernel/journal/json.ts'
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
  /** The program that a leaf calls at the first tick. The tree goes on ticking meanwhile, and ends after it. */
  readonly calls?: string
}

type Step = Parameters<Kind<Tree>['step']>[0]

/**
 * Shaped after a tree that ticks: the state of each leaf is a key of the position, and each tick patches those that change. A tick
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

function begin(x: Step): void {
  const leaves = Array.from({ length: x.def.leaves }, (_, i): [string, Json] => [`leaf${i}`, 'FRESH'])
  // Only a tree that rests needs the time: it depends on the process that begins.
  x.go({ tick: 0, ...(x.def.restEvery === undefined ? {} : { began: x.now }), ...Object.fromEntries(leaves) })
  x.wait('timer', 'tick', { every: x.def.everyMs })
}

function tick(x: Step): void {
  const position = positionOf(x)
  const { leaves, changing, everyMs, restEvery = Infinity, ticks = Infinity, calls } = x.def
  const tick = Number(position.tick) + 1
  const time = Math.round((x.now - Number(position.began)) / everyMs)
  if (changing === 0 || tick > ticks || time % restEvery === 0) return x.skip()
  const patch: Record<string, Json> = { tick }
  for (let i = 0; i < changing; i++) {
    const leaf = `leaf${(tick * changing + i) % leaves}`
    patch[leaf] = position[leaf] === 'RUNNING' ? 'SUCCESS' : 'RUNNING'
  }
  x.patch(patch)
  x.set('seen', `tick ${tick}`, { from: `leaf${(tick * changing) % leaves}` })
  if (calls !== undefined && tick === 1) x.call(calls, { isolated: true })
  if (tick === ticks && (calls === undefined || x.has('called'))) x.done(states({ ...position, ...patch }))
}

function returned(x: Step, value: Json): void {
  x.set('called', value)
  const { ticks = Infinity } = x.def
  if (Number(positionOf(x).tick) === ticks) x.done({ ...states(positionOf(x)), called: value })
}

function positionOf(x: Step): JsonObject {
  return isObject(x.position) ? x.position : {}
}

/** Counts the leaves by their states. */
function states(position: JsonObject): JsonObject {
  const count: Record<string, number> = {}
  for (const state of Object.values(position)) if (typeof state === 'string') count[state] = (count[state] ?? 0) + 1
  return count
}
