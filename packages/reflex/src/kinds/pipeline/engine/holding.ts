import type { Json, JsonObject } from '../../../kernel/journal/json.ts'
import { isFree } from './budget.ts'
import type { Question } from '../../../people/index.ts'
import { BOUNDS, BUDGET, boundsReached, budgetQuestion as askForMore, raisedBounds } from '../../../policy/index.ts'
import { endNow } from './advance.ts'
import type { Position } from '../contract/position.ts'
import type { Walk } from './walk.ts'

/** Reflex's own question to whoever runs a pipeline; only people answer it (people/question.ts). No node has such a name. */
const PERMISSION = 'engine:permission'

/** The place at which a walk continues once it is released: at the node, at the next attempt, at the effect that its handler requests. */
export type Onward = 'enter' | 'rest' | 'ask'

/**
 * What stands between a walk and the next attempt and is no failure: the operator's budget is spent, or he wants to be
 * asked before a right is used (decisions, budgets; reference pipeline 5.2). The walk waits until somebody has answered;
 * nothing of the node has happened, or with `ask`, nothing of what its handler requests next. True if it waits, or if a person
 * has stopped the run.
 */
export function holds(walk: Walk, onward: Onward): boolean {
  if (walk.purse.spentByRun.stopped === true) {
    endNow(walk, { status: 'fail', reason: 'budget exceeded: stopped here' })
    return true
  }
  const asked = budgetQuestion(walk, onward) ?? (onward === 'ask' ? undefined : permissionQuestion(walk))
  if (asked === undefined) return false
  const { x, node } = walk
  const { limit, ...position } = walk.position
  // The time in which a person decides is not the node's.
  if (limit !== undefined && x.waits().some((open) => open.id === limit)) x.drop(limit)
  const asker = asked.grant === undefined ? 'budget' : 'permission'
  const id = x.wait('answer', asked.name, { about: asked.question as unknown as Json, asker })
  walk.go({ ...position, phase: 'hold', onward, for: { is: 'wait', id, ...(asked.grant === undefined ? {} : { grant: asked.grant }) } })
  walk.note('stage_held', { node_id: node.id, question: asked.name })
  return true
}

/** Holds a handler before a model is asked; the effects that close a run are never held. */
export function holdsAsk(walk: Walk): boolean {
  return walk.position.phase !== 'close' && holds(walk, 'ask')
}

interface Asked {
  readonly name: string
  readonly question: Question | JsonObject
  /** The grant that is asked for. */
  readonly grant?: string
}

function budgetQuestion(walk: Walk, onward: Onward): Asked | undefined {
  const limits = walk.purse.operatorBounds
  if (limits === undefined || isFree(walk.node)) return undefined
  const used = walk.purse.usedByRun
  // Steps are counted when a node begins: in the middle of a node, the steps of other branches stop nothing.
  if (boundsReached(limits, used).every((bound) => onward === 'ask' && bound === 'steps')) return undefined
  return { name: BUDGET, question: askForMore(limits, used, walk.node.id) }
}

function permissionQuestion(walk: Walk): Asked | undefined {
  const { node, charter } = walk
  for (const need of node.capabilitiesRequired) {
    const term = charter.terms?.[need]
    if (term?.ask !== true || walk.permitted(term.grant) !== undefined) continue
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

/** What the answer was; then the walk goes on where it was held. An answer that is none of the two leaves the question. */
export function release(walk: Walk, answer: Json): Onward {
  const { onward: next, for: waiting, ...rest } = walk.position
  const onward = next === 'rest' || next === 'ask' ? next : 'enter'
  const grant = waiting?.is === 'wait' ? waiting.grant : undefined
  if (grant !== undefined && (answer === 'allow' || answer === 'deny')) walk.permit(grant, answer === 'allow')
  if (grant === undefined && answer !== 'stop') raise(walk, answer)
  if (grant === undefined && answer === 'stop') walk.purse.spend({ tokens: 0, cost: 0, calls: 0, stopped: true })
  const position: Position = { ...rest, phase: onward === 'ask' ? 'wait' : onward }
  walk.go(position)
  return onward
}

/** What an answer adds to the budget of the run. */
function raise(walk: Walk, answer: Json): void {
  const limits = walk.purse.operatorBounds ?? {}
  const bounds = raisedBounds(limits, walk.charter.limits, walk.purse.usedByRun, answer)
  if (bounds === undefined) return
  const more = BOUNDS.flatMap((bound) => {
    const added = (bounds[bound] ?? 0) - (limits[bound] ?? 0)
    return added > 0 ? [[bound, added] as const] : []
  })
  if (more.length === 0) return
  walk.purse.spend({ tokens: 0, cost: 0, calls: 0, raised: Object.fromEntries(more) })
  walk.note('budget_raised', Object.fromEntries(more))
}
