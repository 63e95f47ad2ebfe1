import { resolve } from 'node:path'
import { manifestJson } from '../../kinds/skill/manifest/canonical.ts'
import { SkillMaker, type SkillProgram } from '../../kinds/skill/plan/skill-program.ts'
import { type DecisionSide, whatIf, type WhatIfReport } from '../../learn/registry/what-if.ts'
import { projectRegistry } from '../../learn/snapshot/project-registry.ts'
import { counted, plainJson } from '../../protocol/plain.ts'
import { faults } from '../../runs/faults.ts'
import { quote } from '../../text/index.ts'
import type { Console } from '../console.ts'
import { EXIT } from '../exit.ts'
import { factLine, hangingLines, tabSeparated } from '../layout.ts'
import type { Session } from '../session.ts'

/** The options of a replay that changes something. */
export interface WhatIfFlags {
  readonly tau?: string
  readonly policyMode?: string
  readonly against?: string
}

type FindSkill = (id: string) => SkillProgram | undefined

/**
 * `reflex replay RUN --what-if`: decides again what the gate of skills has decided in a run, with another threshold, policy or manifest, and prints the
 * decisions that change. If none of them is named, with those that hold now. Exits with 1 if a decision changes.
 */
export async function replayWhatIf(session: Session, ref: string, flags: WhatIfFlags): Promise<number> {
  const { tau, policyMode, against } = flags
  const isNamed = tau !== undefined || policyMode !== undefined || against !== undefined
  const current = isNamed ? undefined : await currentSkills(session)
  const report = await whatIf(session.reflex, ref, {
    tau: tau === undefined ? current?.tau : tauOf(tau),
    policyMode: policyMode === undefined ? current?.policyMode : modeOf(policyMode),
    ...(against === undefined ? {} : { skill: await skillIn(session, against) }),
    ...(current === undefined ? {} : { skill: current.find }),
  })
  return print(session.console, report)
}

interface CurrentSkills {
  readonly tau: number
  readonly policyMode: 'enforce' | 'advise'
  readonly find: FindSkill
}

/** The active manifests of the registry, and the options of the host. */
async function currentSkills({ reflex, console }: Session): Promise<CurrentSkills> {
  await reflex.runtime.programs.load('skill')
  const { registry, host, options } = projectRegistry(reflex, { version: console.world.version })
  const { skills } = await registry.reachable()
  const maker = new SkillMaker(options, () => host.tools ?? [])
  const find: FindSkill = (id) => {
    const active = skills.find((one) => one.id === id && one.active?.versions[0]?.version === one.version)
    return active === undefined ? undefined : maker.compile(manifestJson(active.manifest))
  }
  return { tau: options.tau, policyMode: options.policyMode, find }
}

async function skillIn({ reflex, console }: Session, file: string): Promise<FindSkill> {
  const path = resolve(console.world.surroundings.cwd, file)
  const { program } = await reflex.library.withPrograms(reflex.runtime.programs.copyKinds()).load(path)
  if (program.kind !== 'skill')
    throw faults.make('R2031', `${file} is no skill`, { file, fix: 'name a file *.skill.json, or leave --what-if out' })
  const skill = program.def as SkillProgram
  return (id) => (id === skill.manifest.id ? skill : undefined)
}

function tauOf(text: string): number {
  const tau = Number(text)
  if (text.trim() !== '' && tau > 0 && tau <= 1) return tau
  throw faults.make('R2031', `--tau ${quote(text)} is not a threshold above 0, at most 1`, { fix: 'write --tau 0.7' })
}

function modeOf(text: string): 'enforce' | 'advise' {
  if (text === 'enforce' || text === 'advise') return text
  throw faults.make('R2031', `--policy-mode ${quote(text)} is not enforce or advise`, { fix: 'write --policy-mode advise' })
}

function print(console: Console, { run, decisions, changed }: WhatIfReport): number {
  const { out, shape } = console
  if (shape !== 'text') console.document(plainJson({ v: 1, run, decisions, changed }))
  else if (!out.terminal)
    console.world.out.write(
      tabSeparated(changed.map(({ record, skill, recorded, decided }) => [String(record), skill, sideText(recorded), sideText(decided)])),
    )
  else
    console.print([
      ...factLine(
        out.text(run),
        out.paint('bold', out.text(run)),
        [`${counted(decisions, 'decision')} made again`, changed.length === 0 ? 'none changes' : `${changed.length} would change`],
        out,
      ),
      ...changed.flatMap(({ record, skill, recorded, decided }) =>
        hangingLines(`@${record} ${skill}: ${sideText(recorded)} → ${sideText(decided)}`, out, 2, (text) => text),
      ),
    ])
  return changed.length === 0 ? EXIT.done : EXIT.no
}

function sideText({ version, verdict, reason, score, tau }: DecisionSide): string {
  const numbers = score === undefined || tau === undefined ? '' : `, ${score / 1e6} of ${tau / 1e6}`
  return `${version} ${verdict === 'approved' ? verdict : `${verdict} (${reason})`}${numbers}`
}
