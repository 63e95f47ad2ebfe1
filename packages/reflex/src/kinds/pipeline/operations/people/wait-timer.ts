import { durationOf } from '../../language/duration.ts'
import { sleep } from '../../contract/asks.ts'
import type { Handler } from '../../contract/handler.ts'
import { success } from '../../contract/outcome.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { writes } from '../../model/operation-ports.ts'

const DEFAULT_DURATION = 1_000

/** Waits for a duration (reference pipeline 4.11). */
const run: Handler = function* ({ attributes, node }) {
  const duration = durationOf(attributes, 'duration') ?? DEFAULT_DURATION
  yield* sleep(duration)
  return success({ [`wait.${node.id}.duration`]: duration })
}

export const waitTimer = defineOperation({
  name: 'wait.timer',
  does: 'Waits for a duration.',
  dispatch: [{ type: 'wait', by: { source: 'timer' } }],
  parameters: {
    duration: attribute('duration', 'The duration.', { usual: '1000' }),
  },
  writes: writes('engine', 'wait.<id>.duration'),
  repeat: 'side_effecting',
  patient: true,
  run,
})
