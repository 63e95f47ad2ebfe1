import type { Input, Ref } from '../../../kernel/index.ts'
import { beginDebugging, command } from './commands.ts'
import { openTopic } from './debug-state.ts'
import { message, next } from './events.ts'
import { cancel, execute, ledgerAnswered, ledgerFailed, timer } from './executions.ts'
import { takeState } from './frame-state.ts'
import { checkedValue } from './node-board.ts'
import { CONTEXT_KEY } from './recovery.ts'
import { RELOAD_TIMER, strandsEnded, swapPending } from './reloading.ts'
import { part, settled, strandEnded } from './settlements.ts'
import { EVENT_KEY } from './ticking.ts'
import { CLOSE_TOPIC, EVENT_TOPIC } from './topics.ts'
import type { TreeState } from './tree-state.ts'
import { argsOf, type TreeStep } from './tree-step.ts'

/** One step of a tree. A tick is a record; a tick of the clock on which nothing changes is none. */
export function stepTree(x: TreeStep, input: Input | undefined): void {
  const state = takeState(x)
  if (x.position === undefined) return begin(x, state)
  switch (input?.[0]) {
    case undefined:
      return next(x, state)
    case 'message':
      return message(x, state, waitName(x, input[1]), input[2])
    case 'ok':
      if (isLedger(x, input[1])) return ledgerAnswered(x, state, input[2])
      return settled(x, state, input[1], { ok: true, value: input[2] })
    case 'err':
      if (isLedger(x, input[1])) return ledgerFailed(x, state, input[2])
      return settled(x, state, input[1], { ok: false, fault: input[2] as never })
    case 'answer':
      return settled(x, state, input[1], { ok: true, value: input[2] })
    case 'end':
      strandEnded(x, state, input)
      return strandsEnded(x, state)
    case 'part':
      return part(x, state, input[1], input[2])
    case 'again':
      // The effect is performed from its start again.
      return part(x, state, input[1], { restart: true })
    case 'timer':
      if (waitName(x, input[1]) === RELOAD_TIMER) return void swapPending(x, state)
      return timer(x, state, state.alarm?.ref === input[1])
    case 'host':
      return command(x, state, input[1])
    case 'cancel':
      return cancel(x, state, input[1])
    default:
  }
}

function waitName(x: TreeStep, ref: Ref): string | undefined {
  return x.waits().find(({ id }) => id === ref)?.name
}

function isLedger(x: TreeStep, ref: Ref): boolean {
  return x.pendingEffects().some(({ id, port }) => id === ref && port === 'ledger')
}

/** The first step: the values that the tree begins with, its waits, and the keys that all trees share. */
function begin(x: TreeStep, state: TreeState): void {
  const { defaults, source } = x.def
  const { stays, event, values, debug, failureContext } = argsOf(x)
  for (const [key, value] of Object.entries({ ...defaults, ...values }))
    if (!key.startsWith('_')) x.set(key, checkedValue({ tree: x.def, path: x.def.id }, key, value))
  if (stays || source.tick_every !== undefined || x.def.readsEvents) x.wait('message', EVENT_TOPIC, { stays: true })
  if (stays || source.tick_every !== undefined) x.wait('message', CLOSE_TOPIC)
  if (source.tick_every !== undefined) x.wait('timer', 'tick', { every: source.tick_every })
  if (event !== undefined) x.setInternal(EVENT_KEY, event)
  if (failureContext !== undefined) x.setInternal(CONTEXT_KEY, failureContext)
  if (stays) openTopic(x, state)
  const refused = beginDebugging(x, state, debug)
  execute(x, state, refused.length === 0 ? {} : { prepare: (ticking) => void ticking.events.push(...refused) })
}
