import type { LiveRuns } from '../../../programs/live-runs.ts'
import { readPosition } from '../run/position.ts'
import { EVENT_TOPIC } from '../run/topics.ts'

/** Graphs that take events while they run. */
export const liveGraphs: LiveRuns = {
  options: { stays: true },
  reads: 'source',
  topics: { event: EVENT_TOPIC, close: EVENT_TOPIC },
  mostEvents: 4096,
  keys: [],
  command: () => undefined,
  about({ state }) {
    const { taken, refused, deferred } = readPosition(state.root.position)
    return [`${taken} events`, ...(refused === 0 ? [] : [`${refused} refused`]), ...(deferred === 0 ? [] : [`${deferred} deferred`])].join(
      ' · ',
    )
  },
  watch: () => () => undefined,
  reloads: () => () => Promise.resolve({ unchanged: true }),
}
