import { ESTIMATE } from '../bulletin/tokens.ts'
import type { SkillOutcome } from '../model/plan-result.ts'
import type { Rejection, SkillResultMessage } from '../model/protocol.ts'
import { formatResult } from '../protocol/format-result.ts'
import type { OpenRound } from './position.ts'
import type { Turn } from './turn.ts'

type RoundResult = OpenRound['results'][number]

/** Adds the result of the proposal that was decided to those of its round. */
export function addResult(turn: Turn, id: string, message: SkillResultMessage): void {
  const open = turn.position.requests[id]
  const [proposal, ...proposals] = open?.round?.proposals ?? []
  if (open?.round === undefined || proposal === undefined) return
  const result = resultOf(message, proposal.callIds)
  turn.request(id, { ...open, round: { ...open.round, proposals, results: [...open.round.results, result] } })
}

/** Returns what the model is told of an execution: where its outputs stand on the blackboard is said as well. */
export function outcomeMessage(turn: Turn, { skill_id, status, outputs, reason, detail, missing }: SkillOutcome): SkillResultMessage {
  return {
    skill_id,
    status,
    ...(outputs === undefined ? {} : { outputs }),
    ...(reason === undefined ? {} : { reason }),
    ...(detail === undefined ? {} : { detail }),
    ...(missing === undefined ? {} : { missing }),
    ...pathsOf(turn, skill_id),
  }
}

/** Returns why a block was not decided, as the model is told. */
export function rejectionResult({ reason, detail, skill_ref, callIds }: Rejection): RoundResult {
  return resultOf({ ...(skill_ref === undefined ? {} : { skill_id: skill_ref }), status: 'rejected', reason, detail }, callIds)
}

function resultOf(message: SkillResultMessage, callIds: readonly string[]): RoundResult {
  const { text } = formatResult(message, { countTokens: (one) => ESTIMATE.count(one), carrier: callIds.length === 0 ? 'text' : 'tool' })
  return { callIds, text }
}

/** Where the outputs of a skill stand on the blackboard, for a result that is too long to name them. */
function pathsOf({ x }: Turn, skill: string): Pick<SkillResultMessage, 'ref' | 'paths'> {
  const program = x.hasProgram(`skill:${skill}`) ? (x.definition(`skill:${skill}`) as WithBindings | undefined) : undefined
  const paths = program?.manifest.signature.blackboard_bindings.outputs ?? {}
  const [first] = Object.values(paths)
  return first === undefined ? {} : { ref: 'work', paths }
}

interface WithBindings {
  readonly manifest: { readonly signature: { readonly blackboard_bindings: { readonly outputs: Readonly<Record<string, string>> } } }
}
