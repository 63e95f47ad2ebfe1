import type { DecisionExplanation, StageExplanation } from '../../kinds/skill/gate/explain.ts'
import type { DecisionRecord } from '../../kinds/skill/model/decision.ts'
import { plainJson } from '../../protocol/plain.ts'
import type { Console } from '../console.ts'
import { EXIT } from '../exit.ts'
import { factLine, hangingLines, layoutText } from '../layout.ts'
import type { FoundDecision } from './decision.ts'

/** Prints why a skill was carried out or not: the last decision of the run, stage by stage, and the number that would have passed. */
export function printDecision(console: Console, found: readonly FoundDecision[]): number {
  if (console.shape !== 'text') {
    const decisions = found.map(({ record, decision, explanation }) => ({ record, decision, explanation }))
    console.document(plainJson({ v: 1, run: found[0]?.run ?? '', decisions }))
    return EXIT.done
  }
  for (const { run, record, decision, explanation } of found) {
    const { proposal, verdict, reason } = decision
    const by = {
      text: 'proposed by the model',
      tool: 'proposed by the model',
      program: 'called by a program',
      manual: 'called by a person',
    }[proposal.carrier]
    const end = verdict === 'approved' ? 'approved' : verdict === 'clarify' ? 'values were missing' : `not carried out: ${reason}`
    console.print(decisionLines(console, { decision, explanation, facts: [`${by} in ${run}@${record}, ${end}`] }))
  }
  return EXIT.done
}

/** A decision in words. `facts` stand beside the name of the skill. */
export interface ExplainedDecision {
  readonly decision: DecisionRecord
  readonly explanation: DecisionExplanation
  readonly facts: readonly string[]
}

/** Returns the lines of a decision, stage by stage, with the number that would have passed. */
export function decisionLines(console: Console, { decision, explanation, facts }: ExplainedDecision): string[] {
  const { out } = console
  const { skill, proposal, rollout, warning, shadow } = decision
  const name = skill === null ? proposal.skill_ref : `${skill.id}@${skill.version}`
  const more = [
    ...facts,
    ...(rollout === undefined ? [] : [`experiment ${rollout.experiment}: ${rollout.fraction / 1e6} of a share of ${rollout.share / 1e6}`]),
    ...(warning === undefined ? [] : [`this version is ${warning}`]),
    ...(shadow === undefined ? [] : [`only a shadow: ${shadow.verdict}`]),
  ]
  return [
    ...factLine(name, out.terminal ? out.paint('bold', out.text(name)) : name, more, out),
    ...explanation.stages.flatMap((stage) => stageLines(console, stage)),
    ...(explanation.remedy === undefined ? [] : hangingLines(explanation.remedy.text, out, 0, (text) => text)),
  ]
}

/** The column of the text of a stage, after its name and its result. */
const STAGE_TEXT = 22

function stageLines({ out }: Console, { stage, result, text, details }: StageExplanation): string[] {
  const lead = `  ${stage.padEnd(15)} ${result === 'not_asked' ? '' : result}`.trimEnd()
  const said = result === 'not_asked' ? `not asked${text === '' ? '' : `: ${text}`}` : text
  const head = layoutText({ lead, painted: lead, text: said, column: STAGE_TEXT }, out)
  return [...head, ...details.flatMap((detail) => hangingLines(detail, out, STAGE_TEXT, (one) => one))]
}
