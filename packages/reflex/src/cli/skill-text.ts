import type { StageExplanation } from '../kinds/skill/gate/explain.ts'
import type { CiReport } from '../learn/ci/test-skill.ts'
import type { Eviction } from '../learn/registry/eviction.ts'
import type { KeptSkill } from '../learn/registry/kept-skill.ts'
import { plainJson, utc } from '../protocol/plain.ts'
import type { Console } from './console.ts'
import { EXIT } from './exit.ts'
import { commandHint, factLine, hangingLines, layoutText, table, tabSeparated } from './layout.ts'
import type { FoundDecision } from './skill-decision.ts'

/** A version of a skill as documents have it. */
export function skillDocument({ id, version, hash, origin, state, share, ci, stats }: KeptSkill): object {
  return {
    id,
    version,
    hash,
    origin,
    state: { ...state, since: utc(state.since) },
    share,
    ...(ci === undefined ? {} : { tests: { ...ci, at: utc(ci.at) } }),
    recent: stats,
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

function rowOf({ id, version, state, share, ci, stats }: KeptSkill): string[] {
  const tests = ci === undefined ? '' : ci.passed ? 'passed' : 'failed'
  return [
    `${id}@${version}`,
    state.state,
    share === 0 ? '' : percent(share),
    tests,
    stats.runs === 0 ? '' : `${stats.successes} of ${stats.runs}`,
  ]
}

/** Prints one version of a skill with its manifest. */
export function printSkill(console: Console, skill: KeptSkill): number {
  const { out, shape } = console
  const { manifest, state, ci } = skill
  if (shape !== 'text') {
    console.document(plainJson({ v: 1, skill: skillDocument(skill), manifest: { ...manifest.extra, ...manifest, extra: undefined } }))
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
  ])
  return EXIT.done
}

function testText({ passed, unit, fuzz, security }: NonNullable<KeptSkill['ci']>): string {
  const attacks = security ? 'every attack was stopped' : 'an attack was not stopped'
  return `${passed ? 'passed' : 'failed'}: ${unit[0]} of ${unit[1]} unit cases, ${fuzz[0]} of ${fuzz[1]} mutated cases, ${attacks}`
}

function line({ out }: Console, label: string, text: string): string[] {
  const lead = `  ${label}`
  return layoutText({ lead, painted: `  ${out.paint('dim', label)}`, text, column: 10 }, out)
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`
}

/** Prints the result of the tests of a skill. Returns the exit code: 1 if they have failed. */
export function printReport(console: Console, report: CiReport, isNew: boolean): number {
  const { out, shape, err } = console
  const { skill, version, passed, unit, fuzz, security, delta_cost, cases, reasons } = report
  const name = `${skill}@${version}`
  if (shape !== 'text') console.document(plainJson({ v: 1, kept: isNew, report }))
  else {
    const cost = delta_cost === 0 ? [] : [`cost ${delta_cost > 0 ? '+' : '−'}${percent(Math.abs(delta_cost))}`]
    const facts = [
      `${unit.passed} of ${unit.of} unit cases`,
      `${fuzz.passed} of ${fuzz.of} mutated cases`,
      `${security.passed} of ${security.of} attacks stopped`,
      ...cost,
    ]
    const lead = `${out.mark(passed ? 'done' : 'failed')} ${name}`
    console.print(factLine(lead, lead, facts, out))
    for (const one of cases.filter((result) => !result.passed))
      console.print(hangingLines(`${one.name}: ${one.problems.join('; ')}`, out, 2, (text) => text))
    if (!console.quiet)
      console.report([...reasons, ...(passed ? [commandHint(err, 'next', console.command('skill', 'approve', name, '--by', 'NAME'))] : [])])
  }
  return passed ? EXIT.done : EXIT.no
}

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

/** Prints what was taken out of use. */
export function printEvictions(
  console: Console,
  { changes, warning }: { readonly changes: readonly Eviction[]; readonly warning?: string },
): number {
  const evicted = changes.map(({ skill: { id, version }, to, reason }) => ({ id, version, to, reason }))
  if (console.shape !== 'text') console.document(plainJson({ v: 1, evicted, ...(warning === undefined ? {} : { warning }) }))
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

/** Prints why a skill was carried out or not: the last decision of the run, stage by stage, and the number that would have passed. */
export function printDecision(console: Console, found: readonly FoundDecision[]): number {
  const { out } = console
  if (console.shape !== 'text') {
    const decisions = found.map(({ record, decision, explanation }) => ({ record, decision, explanation }))
    console.document(plainJson({ v: 1, run: found[0]?.run ?? '', decisions }))
    return EXIT.done
  }
  for (const { run, record, decision, explanation } of found) {
    const { skill, proposal, verdict, reason } = decision
    const name = skill === null ? proposal.skill_ref : `${skill.id}@${skill.version}`
    const by = {
      text: 'proposed by the model',
      tool: 'proposed by the model',
      program: 'called by a program',
      manual: 'called by a person',
    }[proposal.carrier]
    const end = verdict === 'approved' ? 'approved' : verdict === 'clarify' ? 'values were missing' : `not carried out: ${reason}`
    console.print([
      ...factLine(name, out.terminal ? out.paint('bold', out.text(name)) : name, [`${by} in ${run}@${record}, ${end}`], out),
      ...explanation.stages.flatMap((stage) => stageLines(console, stage)),
      ...(explanation.remedy === undefined ? [] : hangingLines(explanation.remedy.text, out, 0, (text) => text)),
    ])
  }
  return EXIT.done
}

/** The column of the text of a stage, after its name and its result. */
const STAGE_TEXT = 22

function stageLines({ out }: Console, { stage, result, text, details }: StageExplanation): string[] {
  const lead = `  ${stage.padEnd(15)} ${result === 'not_asked' ? '' : result}`.trimEnd()
  const said = result === 'not_asked' ? `not asked${text === '' ? '' : `: ${text}`}` : text
  const head = layoutText({ lead, painted: lead, text: said, column: STAGE_TEXT }, out)
  return [...head, ...details.flatMap((detail) => hangingLines(detail, out, STAGE_TEXT, (one) => one))]
}
