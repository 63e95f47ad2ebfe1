import { explainDecision } from '../../kinds/skill/gate/explain.ts'
import { previewDecision } from '../../learn/registry/preview.ts'
import { withProject } from '../../kinds/skill/plan/skill-host.ts'
import { projectRegistry } from '../../learn/snapshot/project-registry.ts'
import { plainJson } from '../../protocol/plain.ts'
import { faults } from '../../runs/faults.ts'
import { quote } from '../../text/index.ts'
import { EXIT } from '../exit.ts'
import { readInputs } from '../grammar.ts'
import type { Session } from '../session.ts'
import { decisionLines } from './decision-text.ts'
import type { SkillFlags } from './given.ts'

export interface GateFlags extends SkillFlags {
  readonly skill?: string
  readonly input?: readonly string[]
  readonly user?: string
}

const FIX = 'reflex gate explain --skill ID --input k=v'

/**
 * `reflex gate explain --skill ID --input k=v`: prints what the gate would say now about a proposal, with its numbers. `--user` is the text that it is
 * scored by; without it a program calls. Exits with 1 if it would not be carried out. Nothing runs, and nothing is written down.
 */
export async function gate({ console, reflex, read }: Session, action: string, flags: GateFlags): Promise<number> {
  if (action !== 'explain') throw faults.make('R2031', `gate ${quote(action)} is not known; it is explain`, { fix: FIX })
  if (flags.skill === undefined) throw faults.make('R2031', 'gate explain has no --skill', { fix: FIX })
  await reflex.useTools(flags.tools ?? [])
  const { registry, host, options, project } = projectRegistry(reflex, { version: console.world.version, env: flags.env, org: flags.org })
  const kept = await registry.find(flags.skill)
  const inputs = await readInputs(flags.input ?? [], read)
  const turn = {
    user: flags.user,
    now: console.now,
    actor: reflex.actor,
    host: withProject(options, await project.values()),
    tools: host.tools ?? [],
  }
  const decision = await previewDecision(kept, inputs, turn)
  const explanation = explainDecision(decision, kept.manifest)
  if (console.shape !== 'text') console.document(plainJson({ v: 1, decision, explanation }))
  else {
    const end = decision.verdict === 'approved' ? 'would be approved' : `would not be carried out: ${decision.reason}`
    console.print(decisionLines(console, { decision, explanation, facts: [end] }))
  }
  return decision.verdict === 'approved' ? EXIT.done : EXIT.no
}
