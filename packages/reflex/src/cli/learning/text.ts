import type { BreakEven, ObservedTurns } from '../../learn/registry/break-even.ts'
import type { KeptSkill } from '../../learn/registry/kept-skill.ts'
import { judgementText, type RolloutJudgement } from '../../learn/registry/rollout.ts'
import { counted, plainJson, utc } from '../../protocol/plain.ts'
import type { Console } from '../console.ts'
import { EXIT } from '../exit.ts'
import { factLine, layoutText, table, tabSeparated } from '../layout.ts'

/** A version of a skill as documents have it. */
export function skillDocument({ id, version, hash, origin, scope, state, share, ci, stats, figures }: KeptSkill): object {
  return {
    id,
    version,
    hash,
    origin,
    scope,
    state: { ...state, since: utc(state.since) },
    share,
    ...(ci === undefined ? {} : { tests: { ...ci, at: utc(ci.at) } }),
    recent: stats,
    all: figures,
  }
}

/** Prints the skills of a registry. */
export function printSkills(console: Console, skills: readonly KeptSkill[]): number {
  const { out, shape } = console
  if (shape === 'json') console.document(plainJson({ v: 1, skills: skills.map(skillDocument) }))
  else if (shape === 'jsonl') for (const one of skills) console.document(plainJson({ v: 1, skill: skillDocument(one) }))
  else if (!out.terminal) console.world.out.write(tabSeparated(skills.map(rowOf)))
  else if (skills.length === 0) console.print([`no skills · ${console.command('skill', 'test', 'FILE')}`])
  else console.print(table(['skill', 'state', 'calls', 'tests', 'succeeded'], skills.map(rowOf), out))
  return EXIT.done
}

function rowOf({ id, version, scope, state, share, ci, stats }: KeptSkill): string[] {
  const tests = ci === undefined ? '' : ci.passed ? 'passed' : 'failed'
  return [
    `${id}@${version}`,
    scope === 'org' ? `${state.state}, organisation` : state.state,
    share === 0 ? '' : percent(share),
    tests,
    stats.runs === 0 ? '' : `${stats.successes} of ${stats.runs}`,
  ]
}

/** What is known of a version beside the registry. */
export interface SkillFacts {
  readonly even: BreakEven
  readonly turns: ObservedTurns
  readonly rollout: RolloutJudgement
}

/** Prints one version of a skill with its manifest, its rollout, and what it has saved. */
export function printSkill(console: Console, skill: KeptSkill, { even, turns, rollout }: SkillFacts): number {
  const { out, shape } = console
  const { manifest, state, ci } = skill
  if (shape !== 'text') {
    console.document(
      plainJson({
        v: 1,
        skill: skillDocument(skill),
        manifest: { ...manifest.extra, ...manifest, extra: undefined },
        rollout,
        turns,
        breakEven: even,
      }),
    )
    return EXIT.done
  }
  if (!out.terminal) {
    console.world.out.write(tabSeparated([rowOf(skill)]))
    return EXIT.done
  }
  const name = `${skill.id}@${skill.version}`
  const slots = manifest.signature.inputs.map(({ name: slot, type }) => `${slot} (${type})`).join(', ')
  console.print([
    ...factLine(
      name,
      out.paint('bold', out.text(name)),
      [state.state, ...(state.reason === '' ? [] : [state.reason]), `by ${state.by}`],
      out,
    ),
    ...line(console, 'does', manifest.description === '' ? manifest.title : manifest.description),
    ...line(console, 'slots', slots === '' ? 'none' : slots),
    ...line(console, 'steps', manifest.plan.steps.map(({ tool }) => tool).join(' → ')),
    ...line(console, 'calls', skill.share === 0 ? 'none' : percent(skill.share)),
    ...line(console, 'tests', ci === undefined ? 'never tested' : testText(ci)),
    ...(rollout.verdict === 'none' ? [] : line(console, 'rollout', `${rollout.verdict}: ${judgementText(rollout)}`)),
    ...line(console, 'saved', savedText(even)),
    ...line(console, 'cost', costText(even, turns)),
    ...line(console, 'pays', paysText(even)),
  ])
  return EXIT.done
}

function savedText({ uses, succeeded, saved }: BreakEven): string {
  const tokens = saved.tokens === undefined ? '' : `, ${counted(saved.tokens, 'token')}`
  return `${counted(saved.calls, 'model call')}${tokens} in ${counted(uses, 'use')}, ${succeeded} succeeded`
}

function costText({ cost }: BreakEven, { shown, turns, cardTokens }: ObservedTurns): string {
  const failures = counted(cost.calls, 'model call')
  return `${counted(cardTokens, 'token')} of cards in ${shown} of ${counted(turns, 'turn')}, ${failures} of failures; learning and tests ask no model`
}

function paysText({ after, succeeded, net }: BreakEven): string {
  if (after === undefined)
    return net.tokens === undefined ? 'unknown: no turn says what a model call takes' : 'never: one use saves no model call'
  return succeeded >= after ? `back since use ${after}` : `back after ${counted(after, 'successful use')}, ${after - succeeded} more`
}

function testText({ passed, unit, fuzz, security }: NonNullable<KeptSkill['ci']>): string {
  const attacks = security ? 'every attack was stopped' : 'an attack was not stopped'
  return `${passed ? 'passed' : 'failed'}: ${unit[0]} of ${unit[1]} unit cases, ${fuzz[0]} of ${fuzz[1]} mutated cases, ${attacks}`
}

function line({ out }: Console, label: string, text: string): string[] {
  const lead = `  ${label}`
  return layoutText({ lead, painted: `  ${out.paint('dim', label)}`, text, column: 10 }, out)
}

export function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`
}
