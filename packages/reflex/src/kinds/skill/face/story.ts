import { type Change, isObject, type Json } from '../../../kernel/index.ts'
import type { StoryEvent } from '../../../programs/kind-view.ts'
import { type DecisionRecord, NOT_EVALUATED } from '../model/decision.ts'
import { readPosition } from '../plan/position.ts'
import type { SkillProgram } from '../plan/skill-program.ts'
import { callAt } from '../plan/undos.ts'

/** Returns the lines of a record: the decision, each step and undo with its end, a question, the end of the plan. */
export function skillStory(change: Change<SkillProgram>): StoryEvent[] {
  const { record } = change
  const decision = decisionIn(record.more?.note)
  return [...(decision === undefined ? [] : [decisionStory(decision)]), ...endStory(change), ...beginStory(change)]
}

function decisionIn(note: Json | undefined): DecisionRecord | undefined {
  return isObject(note) && isObject(note['decision']) ? (note['decision'] as unknown as DecisionRecord) : undefined
}

/** The verdict, with the number that the score was compared to, and the split that chose the version. */
function decisionStory({ verdict, reason, score, admission, skill, rollout, warning }: DecisionRecord): StoryEvent {
  const points = score === NOT_EVALUATED || score === 'not_applicable' ? undefined : score
  const facts = {
    verdict,
    reason,
    ...(points === undefined ? {} : { score: points.normalised / 1e6, tau: points.tau_normalised / 1e6 }),
    ...(rollout === undefined ? {} : { version: skill?.version ?? '', experiment: rollout.experiment, share: rollout.share / 1e6 }),
  }
  if (admission?.verdict === 'short_circuit') return { mark: 'skip', node: 'gate', text: 'done before under the same key', facts }
  if (verdict === 'approved')
    return { mark: 'done', node: 'gate', text: warning === undefined ? 'approved' : `approved; this version is ${warning}`, facts }
  return {
    mark: verdict === 'clarify' ? 'ask' : 'fail',
    node: 'gate',
    text: verdict === 'clarify' ? 'values are missing' : `denied: ${reason}`,
    facts,
  }
}

/** The step or undo that was in progress before this record, and how it ended. */
function endStory({ record, before, def, frame }: Change<SkillProgram>): StoryEvent[] {
  const was = readPosition(before)
  const now = readPosition(frame.position)
  const call = callAt(def, was)
  const isOver = call !== undefined && (now.phase !== was.phase || now.i !== was.i)
  if (!isOver || record.input === undefined) return []
  const isDone = record.input[0] === 'ok' || (record.input[0] === 'ret' && record.input[2] === 'done')
  if (isDone) return [{ mark: 'done', node: call.id, text: call.tool }]
  const text = was.phase === 'undo' ? `${call.tool}: the undo has failed` : (now.detail ?? `${call.tool} has failed`)
  return [{ mark: 'fail', node: call.id, text }]
}

/** The steps that this record has skipped, and the one that it begins. */
function beginStory({ def, before, frame }: Change<SkillProgram>): StoryEvent[] {
  const was = readPosition(before)
  const now = readPosition(frame.position)
  const skipped = now.ended
    .slice(was.ended.length)
    .flatMap(([id, outcome]): StoryEvent[] => (outcome === 'skipped' ? [{ mark: 'skip', node: id }] : []))
  if (now.phase === was.phase && now.i === was.i) return skipped
  const call = callAt(def, now)
  if (call === undefined) return skipped
  const isUndo = now.phase === 'undo'
  const facts = { via: isUndo ? 'compensation' : 'skill' }
  return [...skipped, { mark: 'enter', node: call.id, text: isUndo ? `${call.tool} undoes` : call.tool, facts }]
}
