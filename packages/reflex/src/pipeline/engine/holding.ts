import type { Json } from '../../kernel/json.ts'
import { isFree } from '../middleware/budget.ts'
import type { Question } from '../../people/index.ts'
import { endNow } from './advance.ts'
import { boundsReached, describeBound } from './spending.ts'
import type { Position } from './position.ts'
import type { Walk } from './walk.ts'

/** Reflex's own questions to whoever runs a pipeline; only people answer them (people/question.ts). No node has such a name. */
const BUDGET = 'engine:budget'
const PERMISSION = 'engine:permission'

/**
 * What stands between a walk and the next attempt and is no failure: the operator's budget is spent, or he wants to be
 * asked before a right is used (decisions, budgets; reference pipeline 5.2). The walk waits until somebody has answered;
 * nothing of the node has happened. True if it waits, or if somebody has said that the run stops.
 */
export function holds(walk: Walk, onward: 'enter' | 'rest'): boolean {
  if (walk.purse.spentByRun.stopped === true) {
    endNow(walk, { status: 'fail', reason: 'budget exceeded: stopped here' })
    return true
  }
  const asked = budgetQuestion(walk) ?? permissionQuestion(walk)
  if (asked === undefined) return false
  const { x, position, node } = walk
  const id = x.wait('answer', asked.name, { about: asked.question as unknown as Json })
  walk.go({ ...position, phase: 'hold', onward, for: { is: 'wait', id, ...(asked.grant === undefined ? {} : { grant: asked.grant }) } })
  walk.note('stage_held', { node_id: node.id, question: asked.name })
  return true
}

interface Asked {
  readonly name: string
  readonly question: Question
  /** The grant that is asked for. */
  readonly grant?: string
}

function budgetQuestion(walk: Walk): Asked | undefined {
  const limits = walk.purse.operatorBounds
  if (limits === undefined || isFree(walk.node)) return undefined
  const used = walk.purse.usedByRun
  const over = boundsReached(limits, used)
  if (over.length === 0) return undefined
  const said = over.map((bound) => describeBound(bound, limits, used)).join(', ')
  const question: Question = {
    text: 'The budget is spent: raise it, or stop?',
    options: [
      { value: 'raise', label: 'Raise it', detail: 'by as much again' },
      { value: 'stop', label: 'Stop', detail: 'the run fails here' },
    ],
    about: `${walk.node.id} is next; ${said} are used.`,
  }
  return { name: BUDGET, question }
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
export function release(walk: Walk, answer: Json): 'enter' | 'rest' {
  const { onward = 'enter', for: waiting, ...rest } = walk.position
  const grant = waiting?.is === 'wait' ? waiting.grant : undefined
  if (grant !== undefined && (answer === 'allow' || answer === 'deny')) walk.permit(grant, answer === 'allow')
  if (grant === undefined && answer === 'raise') raise(walk)
  if (grant === undefined && answer === 'stop') walk.purse.spend({ tokens: 0, cost: 0, calls: 0, stopped: true })
  const position: Position = { ...rest, phase: onward }
  walk.go(position)
  return onward
}

/** As much again of everything that is used up, from what is used now. */
function raise(walk: Walk): void {
  const limits = walk.purse.operatorBounds ?? {}
  const used = walk.purse.usedByRun
  const given = walk.charter.limits
  const raised = boundsReached(limits, used).map((bound) => [bound, (given[bound] ?? 0) + used[bound] - (limits[bound] ?? 0)] as const)
  walk.purse.spend({ tokens: 0, cost: 0, calls: 0, raised: Object.fromEntries(raised) })
  walk.note('budget_raised', Object.fromEntries(raised))
}
