import { controlledProject, hasControlPlane } from '../../learn/control/control-plane.ts'
import { askPromotion } from '../../learn/control/promote.ts'
import { syncSkills } from '../../learn/control/sync.ts'
import { reportUsage } from '../../learn/control/telemetry.ts'
import type { KeptSkill } from '../../learn/registry/kept-skill.ts'
import { plainJson } from '../../protocol/plain.ts'
import { EXIT } from '../exit.ts'
import { commandHint, tabSeparated } from '../layout.ts'
import type { Session } from '../session.ts'
import type { Given } from './given.ts'

/** `skill sync`: takes over what the control plane has changed, and reports what skills did. Throws `R2170`, `R2172` and `R2175`. */
export async function sync({ console, reflex }: Session, found: Given['project']): Promise<number> {
  const { err, world, shape } = console
  const project = controlledProject(reflex, found)
  const { refused, ...changes } = await syncSkills(project)
  const reported = await reportUsage(project)
  const rows = Object.entries(changes).flatMap(([what, names]) => names.map((name: string) => [name, what]))
  if (shape !== 'text') console.document(plainJson({ v: 1, synced: { ...changes, refused }, reported }))
  else if (rows.length > 0) world.out.write(tabSeparated(rows))
  if (shape === 'text') {
    console.warn(refused)
    console.report([`${rows.length} changed · ${reported} reported`])
    for (const name of changes.waiting)
      console.report([commandHint(err, 'next', console.command('skill', 'approve', name, '--by', 'NAME'))])
  }
  return refused.length === 0 && changes.failed.length === 0 ? EXIT.done : EXIT.no
}

/** Asks the control plane to use a version in another environment; undefined without one. Throws `R1492`, `R2170` and `R2172`. */
export async function askToPromote(
  { session: { console, reflex }, project }: Given,
  skill: KeptSkill,
  to: string,
): Promise<number | undefined> {
  if (!hasControlPlane(reflex)) return undefined
  const found = await askPromotion(controlledProject(reflex, project), skill, { to, by: reflex.actor })
  const { promotion_id, status, reason } = found
  if (console.shape === 'text') console.world.out.write(tabSeparated([[`${skill.id}@${skill.version}`, to, status, promotion_id, reason]]))
  else console.document(plainJson({ v: 1, promotion: found }))
  return status === 'failed' ? EXIT.no : EXIT.done
}
