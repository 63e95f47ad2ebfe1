import type { TreeStep } from './tree-step.ts'
import type { Ticking } from './ticking.ts'
import { ACTIVE, YIELDED } from './states.ts'
import type { TreeState } from './tree-state.ts'

/** The ticks of one event unless a tree says otherwise. */
const DEFAULT_BUDGET = 1000
export const TOKEN_KEY = '_resume_token'
export const RESUME_TOPIC = 'resume'

/** Ticks the tree again at once if a node asks for it. A tree that has used its budget yields: an event or the token resumes it. */
export function againOrYield(x: TreeStep, state: TreeState, ticking: Ticking): void {
  if (!ticking.wantsAgain || state.status !== ACTIVE) return
  const budget = x.def.source.tick_budget ?? DEFAULT_BUDGET
  const spent = state.execution.agains + 1
  if (spent < budget) return x.again()
  state.status = YIELDED
  const token = x.uuid()
  x.setInternal(TOKEN_KEY, token)
  x.wait('message', RESUME_TOPIC)
  ticking.emit('tree.budget.yield', { tick_count: spent, tick_budget: budget, resume_token: token })
}

/** A tree that has yielded goes on, or ends: its token is worth nothing from now on. */
export function dropToken(x: TreeStep, state: TreeState): void {
  if (state.status !== YIELDED) return
  state.status = ACTIVE
  x.delete(TOKEN_KEY)
  for (const { id, name } of x.waits()) if (name === RESUME_TOPIC) x.drop(id)
}
