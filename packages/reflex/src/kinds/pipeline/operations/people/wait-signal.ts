import { durationOf } from '../../language/duration.ts'
import { textOf } from '../../dot/graph.ts'
import { awaitSignal } from '../../contract/asks.ts'
import type { Handler } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { writes } from '../../model/operation-ports.ts'

const SIGNAL_TIMEOUT = 30_000

/** Waits for a message by topic. The outcome is `retry` if none arrives in time (reference pipeline 4.11). */
const run: Handler = function* ({ attributes, node }) {
  const topic = textOf(attributes, 'signal_topic')
  if (topic === undefined || topic === '') return refusal(`${node.id}: signal_topic is missing`)
  const result = yield* awaitSignal(topic, durationOf(attributes, 'timeout') ?? SIGNAL_TIMEOUT)
  if ('late' in result) return { status: 'retry', failure_reason: `no signal ${topic} arrived in time` }
  const key = `wait.${node.id}`
  return success({ [`${key}.payload`]: result.message, [`${key}.topic`]: topic, [`${key}.source`]: result.by ?? '' })
}

export const waitSignal = defineOperation({
  name: 'wait.signal',
  does: 'Waits for a signal.',
  dispatch: [{ type: 'wait', by: { source: 'signal' } }],
  parameters: {
    signal_topic: attribute('text', 'The signal that ends the wait.', { required: true }),
  },
  writes: writes('outside', 'wait.<id>.'),
  repeat: 'side_effecting',
  patient: true,
  run,
})
