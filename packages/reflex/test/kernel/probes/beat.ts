import { isObject, type Json, type JsonObject } from '../../../src/kernel/journal/json.ts'
import type { Kind } from '../../../src/kernel/step/kind.ts'

interface Tree {
  readonly leaves: number
  /** Leaves whose state changes in one tick. */
  readonly changing: number
  /** Milliseconds between two ticks. */
  readonly everyMs: number
  /** The run ends after so many ticks; never if absent. */
  readonly ticks?: number
}

type Step = Parameters<Kind<Tree>['step']>[0]

/** Shaped after a tree that ticks: the state of each leaf is a key of the position, and each tick patches those that change. */
export const beat: Kind<Tree> = {
  name: 'beat',
  rev: 1,
  compile: (source) => source as unknown as Tree,
  step(x, input) {
    if (input === undefined) begin(x)
    else if (input[0] === 'timer') tick(x)
  },
}

function begin(x: Step): void {
  const leaves = Array.from({ length: x.def.leaves }, (_, i): [string, Json] => [`leaf${i}`, 'FRESH'])
  x.go({ tick: 0, ...Object.fromEntries(leaves) })
  x.timer(x.def.everyMs)
}

function tick(x: Step): void {
  const position = isObject(x.position) ? x.position : {}
  const tick = Number(position.tick) + 1
  const { leaves, changing, everyMs, ticks } = x.def
  const patch: Record<string, Json> = { tick }
  for (let i = 0; i < changing; i++) {
    const leaf = `leaf${(tick * changing + i) % leaves}`
    patch[leaf] = position[leaf] === 'RUNNING' ? 'SUCCESS' : 'RUNNING'
  }
  x.patch(patch)
  x.set('seen', `tick ${tick}`, { from: `leaf${(tick * changing) % leaves}` })
  if (tick === ticks) x.done(states({ ...position, ...patch }))
  else x.timer(everyMs)
}

/** Counts the leaves by their states. */
function states(position: JsonObject): JsonObject {
  const count: Record<string, number> = {}
  for (const state of Object.values(position)) if (typeof state === 'string') count[state] = (count[state] ?? 0) + 1
  return count
}
