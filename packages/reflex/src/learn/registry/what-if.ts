import { Journals, keptRecords, type Program, Replayer, State } from '../../kernel/index.ts'
import type { Reflex } from '../../app/reflex.ts'
import type { DecisionRecord, GateSnapshot } from '../../kinds/skill/model/decision.ts'
import type { GateQuestion } from '../../kinds/skill/plan/compiled-plan.ts'
import { type RecordedDecision, recordedDecision } from '../../kinds/skill/plan/recorded-decision.ts'
import type { SkillProgram } from '../../kinds/skill/plan/skill-program.ts'
import { faults } from './faults.ts'

/** What is otherwise than in the record. What is absent is as it was. */
export interface WhatIf {
  /** The normalised threshold of the host; that of a manifest stays. */
  readonly tau?: number | undefined
  readonly policyMode?: GateSnapshot['policyMode'] | undefined
  /** Returns another version of a skill. */
  readonly skill?: (id: string) => SkillProgram | undefined
}

/** One side of a decision that changes. */
export interface DecisionSide {
  readonly version: string
  readonly verdict: DecisionRecord['verdict']
  readonly reason: DecisionRecord['reason']
  /** Millionths; absent for a decision without a score. */
  readonly score?: number
  readonly tau?: number
}

/** A decision that would have been another one. */
export interface ChangedDecision {
  /** The number of its record. */
  readonly record: number
  readonly skill: string
  readonly recorded: DecisionSide
  readonly decided: DecisionSide
}

/** What another threshold, policy or manifest would have decided in a run. */
export interface WhatIfReport {
  readonly run: string
  /** The decisions that were made again. */
  readonly decisions: number
  readonly changed: readonly ChangedDecision[]
}

/**
 * Makes each decision of the gate in a run again, from everything that is recorded about it, with something otherwise, and reports those whose
 * verdict or reason changes. Nothing is performed, and what would have followed is not guessed. A function of the host or a parser that another
 * manifest asks and the record does not have is an error of its expression, or a slot without a value. Throws `R2016`, and `R1497` for a run
 * without decisions.
 */
export async function whatIf(reflex: Reflex, ref: string, change: WhatIf): Promise<WhatIfReport> {
  const { id, last } = await reflex.find(ref)
  const { store, runtime } = reflex
  const journals = new Journals(store, runtime.programs)
  const { first } = await keptRecords(store, id)
  await journals.loadPrograms((await journals.peek(id)).state.pins, id)
  const replayer = new Replayer(runtime.programs, undefined, first > 1 ? (await journals.peek(id, first - 1)).state : new State())
  const changed: ChangedDecision[] = []
  let decisions = 0
  for await (const records of journals.batches(id, first, last)) {
    for (const record of records) {
      const { state, definitions } = replayer
      const frame = state.frames.get(record.frame)
      const program = frame === undefined ? undefined : skillOf(definitions.program(frame.pin))
      const found =
        frame === undefined || program === undefined ? undefined : recordedDecision(record, frame, state.pins[frame.pin]?.[0] ?? '')
      if (found !== undefined && program !== undefined) {
        decisions++
        const one = again(found, program, change)
        if (one !== undefined) changed.push({ record: state.n + 1, ...one })
      }
      replayer.apply(record)
    }
  }
  if (decisions === 0) throw faults.make('R1497', `${id} has no decision on a skill`, { fix: `reflex trace ${id}` })
  return { run: id, decisions, changed }
}

function skillOf({ kind, def }: Program): SkillProgram | undefined {
  return kind === 'skill' ? (def as SkillProgram) : undefined
}

function again(
  { decision, question, features }: RecordedDecision,
  program: SkillProgram,
  { tau, policyMode, skill }: WhatIf,
): Omit<ChangedDecision, 'record'> | undefined {
  const { id } = program.manifest
  const look: GateQuestion['look'] = {
    ...question.look,
    ...(tau === undefined ? {} : { tau }),
    ...(policyMode === undefined ? {} : { policyMode }),
  }
  const other = skill?.(id) ?? program
  const decided = decidedAgain(other, { ...question, look }, features)
  if (decided.verdict === decision.verdict && decided.reason === decision.reason) return undefined
  return { skill: id, recorded: sideOf(decision), decided: sideOf(decided) }
}

/** Decides as the gate of another version or host. What was confirmed in the run counts as confirmed for that version, too. */
function decidedAgain(program: SkillProgram, question: GateQuestion, features: RecordedDecision['features']): DecisionRecord {
  const { decision, unconfirmed } = program.decide(question, features)
  const { confirmed = [] } = question
  if (unconfirmed === undefined || confirmed.length === 0) return decision
  return program.decide({ ...question, confirmed: [...confirmed, unconfirmed] }, features).decision
}

function sideOf({ skill, verdict, reason, score }: DecisionRecord): DecisionSide {
  const numbers = typeof score === 'string' ? {} : { score: score.normalised, tau: score.tau_normalised }
  return { version: skill?.version ?? '', verdict, reason, ...numbers }
}
