import type { KeptSkill } from '../../learn/registry/kept-skill.ts'
import type { Care } from '../../learn/registry/look-after.ts'
import { judgementText, type RolloutJudgement } from '../../learn/registry/rollout.ts'
import { plainJson } from '../../protocol/plain.ts'
import type { Console } from '../console.ts'
import { EXIT } from '../exit.ts'
import { commandHint, factLine, table, tabSeparated } from '../layout.ts'
import { percent, skillDocument } from './text.ts'

/** Prints that the state of a skill has changed. */
export function printChange(console: Console, did: string, skill: KeptSkill): number {
  if (console.shape !== 'text') console.document(plainJson({ v: 1, skill: skillDocument(skill) }))
  else if (!console.quiet) {
    const lead = `${did}  ${console.err.text(`${skill.id}@${skill.version}`)}`
    console.report(
      factLine(lead, lead, skill.share === 0 ? [skill.state.state] : [`gets ${percent(skill.share)} of the calls`], console.err),
    )
  }
  return EXIT.done
}

/** What became of a promotion. */
export interface Promotion {
  readonly skill: KeptSkill
  readonly judgement: RolloutJudgement
  readonly decided: 'rule' | 'person' | 'no_rule'
  readonly isPromoted: boolean
}

/** Prints which rule has decided a promotion, and by which numbers. Returns the exit code: 1 if the version was not promoted. */
export function printPromotion(console: Console, { skill, judgement, decided, isPromoted }: Promotion): number {
  const name = `${skill.id}@${skill.version}`
  const text = judgementText(judgement)
  if (console.shape !== 'text')
    console.document(plainJson({ v: 1, skill: skillDocument(skill), promoted: isPromoted, decided, rollout: { ...judgement, text } }))
  else if (!console.quiet) {
    const did = isPromoted ? 'promoted' : judgement.verdict === 'rollback' ? 'rolled back' : 'not promoted'
    const by = { rule: 'by its rule', person: 'by a person', no_rule: 'it declares no rule' }[decided]
    const lead = `${did}  ${console.err.text(name)}`
    const facts = [by, text, ...(skill.share === 0 ? [] : [`gets ${percent(skill.share)} of the calls`])]
    const isWaiting = !isPromoted && judgement.verdict === 'wait'
    console.report([
      ...factLine(lead, lead, facts, console.err),
      ...(isWaiting ? [commandHint(console.err, 'now', console.command('skill', 'promote', name, '--by', 'NAME'))] : []),
    ])
  }
  return isPromoted ? EXIT.done : EXIT.no
}

/** Prints what has changed: rollouts that their rules decided, and what was taken out of use. */
export function printCare(console: Console, { rollouts, changes, warning }: Care): number {
  if (console.shape === 'text')
    console.report(
      rollouts.map(({ skill, judgement }) => {
        const did = judgement.verdict === 'promote' ? 'promoted' : 'rolled back'
        return `${did}  ${skill.id}@${skill.version}  ${judgementText(judgement)}`
      }),
    )
  return printEvictions(console, { changes, rollouts, ...(warning === undefined ? {} : { warning }) })
}

function printEvictions(console: Console, { changes, rollouts, warning }: Care): number {
  const decided = rollouts.map(({ skill: { id, version }, judgement }) => ({
    id,
    version,
    verdict: judgement.verdict,
    runs: judgement.runs,
    succeeded: judgement.succeeded,
  }))
  const evicted = changes.map(({ skill: { id, version }, to, reason }) => ({ id, version, to, reason }))
  if (console.shape !== 'text')
    console.document(plainJson({ v: 1, evicted, rollouts: decided, ...(warning === undefined ? {} : { warning }) }))
  else if (!console.out.terminal)
    console.world.out.write(tabSeparated(evicted.map(({ id, version, to, reason }) => [`${id}@${version}`, to, reason])))
  else
    console.print(
      evicted.length === 0
        ? ['every skill keeps its place']
        : table(
            ['skill', 'now', 'because'],
            evicted.map(({ id, version, to, reason }) => [`${id}@${version}`, to, reason]),
            console.out,
          ),
    )
  if (warning !== undefined && console.shape === 'text') console.report([warning])
  return EXIT.done
}
