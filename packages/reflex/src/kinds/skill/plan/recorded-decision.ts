import { factsIn, type Frame, isObject, type Json, type Rec } from '../../../kernel/index.ts'
import type { RecordedFeatures } from '../gate/features.ts'
import type { DecisionRecord } from '../model/decision.ts'
import { readArgs } from './args.ts'
import type { GateQuestion } from './compiled-plan.ts'
import { GATE, gateQuestion, KEYS } from './question.ts'

/** A decision of a gate as its run has it, with everything that it was made from. */
export interface RecordedDecision {
  readonly decision: DecisionRecord
  readonly question: GateQuestion
  /** What was read out of contents, if the run does not keep them. */
  readonly features?: RecordedFeatures
}

/**
 * Returns the decision that a record of a skill has made; undefined if it has made none. `frame`: that of the record, before it. What the registry
 * says afterwards about the execution is no decision of the gate. A decision that was only a shadow is returned as the gate made it.
 */
export function recordedDecision(record: Rec, frame: Frame, name: string): RecordedDecision | undefined {
  const written = writesOf(record)
  const decision = written[KEYS.decision] ?? refusalIn(record.more?.note)
  if (!isObject(decision)) return undefined
  const { shadow, ...found } = decision as unknown as DecisionRecord
  const board = { ...frame.reader().snapshot(), ...written }
  if (!isObject(board[KEYS.look])) return undefined
  const features = factsIn(record.more?.note).find(([name]) => name === GATE)?.[1]
  return {
    ...(isObject(features) ? { features: features as unknown as RecordedFeatures } : {}),
    decision: shadow === undefined ? found : { ...found, verdict: shadow.verdict, reason: shadow.reason },
    question: gateQuestion(readArgs(frame.args), board, name.includes('@')),
  }
}

/** A decision that ends the execution is only a note, and has no verdict of the registry. */
function refusalIn(note: Json | undefined): Json | undefined {
  const decision = isObject(note) ? note['decision'] : undefined
  return isObject(decision) && decision['admission'] === undefined ? decision : undefined
}

function writesOf({ writes = [] }: Rec): Record<string, Json> {
  const written: Record<string, Json> = {}
  for (let i = 0; i + 1 < writes.length; i += 2) {
    const [key, value] = [writes[i], writes[i + 1]]
    if (typeof key === 'string' && value !== undefined) Object.defineProperty(written, key, { value, enumerable: true, configurable: true })
  }
  return written
}
