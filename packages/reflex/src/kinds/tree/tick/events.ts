import type { Json } from '../../../kernel/index.ts'
import { command } from './commands.ts'
import { DEBUG_TOPIC } from './debug-state.ts'
import { close, execute, hasEnded } from './executions.ts'
import { interrupt, interruptionOf } from './interruption.ts'
import { oneTick } from './one-tick.ts'
import { hasQueue, queueEvent, takeQueued } from './queue.ts'
import { hasReload } from './reload-request.ts'
import { swapPending } from './reloading.ts'
import { save } from './save.ts'
import type { TreeStep } from './tree-step.ts'
import { EVENT_KEY } from './ticking.ts'
import { ACTIVE, IDLE, YIELDED } from './states.ts'
import type { TreeState } from './tree-state.ts'
import { CLOSE_TOPIC } from './topics.ts'
import { dropToken, RESUME_TOPIC, TOKEN_KEY } from './yielding.ts'

export function message(x: TreeStep, state: TreeState, topic: string | undefined, body: Json): void {
  if (topic === CLOSE_TOPIC) return close(x, state)
  if (topic === RESUME_TOPIC) return resume(x, state, body)
  if (topic === DEBUG_TOPIC) return command(x, state, body)
  // A tick that waits for a leaf is finished first.
  if (state.open !== undefined || state.status === IDLE || (hasEnded(state) && hasReload(x))) {
    queueEvent(x, body)
    return save(x, state)
  }
  event(x, state, body)
}

/** The tree goes on by itself: an event waits, or its last tick has asked for another one. */
export function next(x: TreeStep, state: TreeState): void {
  if (state.open !== undefined || state.status === IDLE) return save(x, state)
  if (hasEnded(state) && swapPending(x, state)) return
  if (hasQueue(x)) return event(x, state, takeQueued(x))
  if (state.status === ACTIVE) oneTick(x, state, { isAgain: true })
  else save(x, state)
}

function event(x: TreeStep, state: TreeState, body: Json): void {
  x.setInternal(EVENT_KEY, body)
  dropToken(x, state)
  if (hasEnded(state)) return execute(x, state)
  const interruption = interruptionOf(body)
  oneTick(x, state, interruption === undefined ? {} : { prepare: (ticking) => interrupt(ticking, interruption) })
}

/** A person or program that was given the token resumes a tree that has yielded. Another token changes nothing. */
function resume(x: TreeStep, state: TreeState, token: Json): void {
  if (state.status !== YIELDED || x.get(TOKEN_KEY) !== token) {
    x.wait('message', RESUME_TOPIC)
    return save(x, state, [['tree.resume.refused', { reason: 'the token is not that of the last yield' }]])
  }
  x.delete(TOKEN_KEY)
  state.status = ACTIVE
  oneTick(x, state)
}
