import { durationOf } from '../../language/duration.ts'
import { textOf } from '../../dot/graph.ts'
import { awaitSignal, sleep } from '../../contract/asks.ts'
import type { Handler } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'

const DEFAULT_DURATION = 1_000
const SIGNAL_TIMEOUT = 30_000

/** Waits for a duration (reference pipeline 4.11). */
export const waitTimer: Handler = function* ({ attributes, node }) {
  const duration = durationOf(attributes, 'duration') ?? DEFAULT_DURATION
  yield* sleep(duration)
  return success({ [`wait.${node.id}.duration`]: duration })
}

/** Waits for a message by topic. The outcome is `retry` if none arrives in time (reference pipeline 4.11). */
export const waitSignal: Handler = function* ({ attributes, node }) {
  const topic = textOf(attributes, 'signal_topic')
  if (topic === undefined || topic === '') return refusal(`${node.id}: signal_topic is missing`)
  const result = yield* awaitSignal(topic, durationOf(attributes, 'timeout') ?? SIGNAL_TIMEOUT)
  if ('late' in result) return { status: 'retry', failure_reason: `no signal ${topic} arrived in time` }
  const key = `wait.${node.id}`
  return success({ [`${key}.payload`]: result.message, [`${key}.topic`]: topic, [`${key}.source`]: result.by ?? '' })
}
