import type { Json, JsonObject } from '../../../kernel/journal/json.ts'
import { isFree } from './budget.ts'
import type { Question } from '../../../people/index.ts'
import { BUDGET_QUESTION, budgetQuestion as askForMore } from '../../../policy/index.ts'
import { endNow } from './advance.ts'
import type { Position } from '../contract/position.ts'
import type { FrameStep } from './frame-step.ts'

/**
 * The name of Reflex's own question about a permission; only people answer it (people/question.ts). No node has such a
 * name.
 */
const PERMISSION = 'engine:permission'

/**
 * The point at which a walk continues after a pause: at the node, at the next attempt, or at the effect that its
 * handler requests.
 */
export type AfterPause = 'enter' | 'rest' | 'ask'

/**
 * Pauses a walk before the next attempt if the operator's budget is spent, or if the operator wants to be asked before
 * a capability is used (decisions, budgets; reference pipeline 5.2). A pause is not a failure: the walk waits for an
 * answer, and nothing of the node has happened, or with `ask` nothing of the next request of its handler. Returns true
 * if the walk waits, or if a person has stopped the run.
 */
export function pauseIfNeeded(step: FrameStep, onward: AfterPause): boolean {
  if (step.x.isStopped) {
    endNow(step, { status: 'fail', reason: 'budget exceeded: stopped here' })
    return true
  }
  const asked = budgetQuestion(step, onward) ?? (onward === 'ask' ? undefined : permissionQuestion(step))
  if (asked === undefined) return false
  const { x, node } = step
  const { limit, ...position } = step.position
  // The time that a person needs does not count for the node's timeout.
  if (limit !== undefined && x.waits().some((open) => open.id === limit)) x.drop(limit)
  const asker = asked.grant === undefined ? 'budget' : 'permission'
  const id = x.wait('answer', asked.name, { about: asked.question as unknown as Json, asker })
  step.setPosition({
    ...position,
    phase: 'hold',
    onward,
    for: { is: 'wait', id, ...(asked.grant === undefined ? {} : { grant: asked.grant }) },
  })
  step.note('stage_held', { node_id: node.id, question: asked.name })
  return true
}

/** Pauses a handler before a model is called; the effects that close a run are never paused. */
export function pauseBeforeAsk(step: FrameStep): boolean {
  return step.position.phase !== 'close' && pauseIfNeeded(step, 'ask')
}

interface PauseQuestion {
  readonly name: string
  readonly question: Question | JsonObject
  /** The grant in question. */
  readonly grant?: string
}

function budgetQuestion(step: FrameStep, onward: AfterPause): PauseQuestion | undefined {
  if (isFree(step.node)) return undefined
  const { limits, run: used, reached } = step.x.meter
  // Steps are counted when a node begins: in the middle of a node, the steps of other branches do not pause it.
  if (reached.every((limit) => onward !== 'enter' && limit === 'steps')) return undefined
  return { name: BUDGET_QUESTION, question: askForMore(limits, used, step.node.id) }
}

function permissionQuestion(step: FrameStep): PauseQuestion | undefined {
  const { node, permissions } = step
  for (const need of node.capabilitiesRequired) {
    const term = permissions.terms?.[need]
    if (term?.ask !== true || step.isPermitted(term.grant) !== undefined) continue
    const question: Question = {
      text: `May ${node.id} use ${need}?`,
      options: [
        { value: 'allow', label: 'Allow', detail: `${node.id} may, in this run` },
        { value: 'deny', label: 'Deny', detail: 'the stage fails' },
      ],
      about: `${term.by} wants to be asked about ${term.grant}.`,
    }
    return { name: PERMISSION, question, grant: term.grant }
  }
  return undefined
}

/**
 * Applies an answer and returns the point at which the walk continues. After an invalid answer the question is asked
 * again.
 */
export function endPause(step: FrameStep, answer: Json): AfterPause {
  const { onward: next, for: waiting, ...rest } = step.position
  const onward = next === 'rest' || next === 'ask' ? next : 'enter'
  const grant = waiting?.is === 'wait' ? waiting.grant : undefined
  if (grant !== undefined && (answer === 'allow' || answer === 'deny')) step.permit(grant, answer === 'allow')
  if (grant === undefined && answer !== 'stop') raise(step, answer)
  if (grant === undefined && answer === 'stop') step.x.stop()
  const position: Position = { ...rest, phase: onward === 'ask' ? 'wait' : onward }
  step.setPosition(position)
  return onward
}

/** Adds the amounts of an answer to the budget of the run. */
function raise(step: FrameStep, answer: Json): void {
  const raised = step.x.raise(answer)
  if (raised !== undefined) step.note('budget_raised', { ...raised })
}
