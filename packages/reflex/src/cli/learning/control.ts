import { controlledProject } from '../../learn/control/control-plane.ts'
import { askPromotion } from '../../learn/control/promote.ts'
import { syncSkills } from '../../learn/control/sync.ts'
import { reportUsage } from '../../learn/control/telemetry.ts'
import { plainJson } from '../../protocol/plain.ts'
import { EXIT } from '../exit.ts'
import { commandHint, tabSeparated } from '../layout.ts'
import type { Session } from '../session.ts'

/** `skill sync`: takes over what the control plane has changed, and reports what skills did. Throws `R2170`, `R2172` and `R2175`. */
export async function sync({ console, reflex }: Session): Promise<number> {
  const { err, world, shape } = console
  const project = controlledProject(reflex, world.version)
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

/** `skill promote ID@VERSION --to ENV`: asks the control plane to use a version in another environment. Throws `R1492`, `R2170`, `R2172` and `R2175`. */
export async function promoteTo({ console, reflex }: Session, name: string, to: string): Promise<number> {
  const project = controlledProject(reflex, console.world.version)
  const found = await askPromotion(project, await project.registry.find(name), { to, by: reflex.actor })
  const { promotion_id, status, reason } = found
  if (console.shape === 'text') console.world.out.write(tabSeparated([[name, to, status, promotion_id, reason]]))
  else console.document(plainJson({ v: 1, promotion: found }))
  return status === 'failed' ? EXIT.no : EXIT.done
}
