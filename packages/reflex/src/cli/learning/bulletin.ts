import { previewBulletin } from '../../learn/registry/preview.ts'
import { withProject } from '../../kinds/skill/plan/skill-host.ts'
import { projectRegistry } from '../../learn/snapshot/project-registry.ts'
import { plainJson } from '../../protocol/plain.ts'
import { faults } from '../../runs/faults.ts'
import { quote } from '../../text/index.ts'
import { EXIT } from '../exit.ts'
import type { Session } from '../session.ts'
import type { SkillFlags } from './given.ts'

export interface BulletinFlags extends SkillFlags {
  readonly user?: string
}

/** `reflex bulletin preview --user TEXT`: prints the text about skills that an agent would get before its model reads the text of a user. */
export async function bulletin({ console, reflex }: Session, action: string, { user, env, org, tools }: BulletinFlags): Promise<number> {
  if (action !== 'preview')
    throw faults.make('R2031', `bulletin ${quote(action)} is not known; it is preview`, { fix: 'reflex bulletin preview --user TEXT' })
  if (user === undefined) throw faults.make('R2031', 'bulletin preview has no --user', { fix: 'reflex bulletin preview --user TEXT' })
  await reflex.useTools(tools ?? [])
  const { registry, host, options, project } = projectRegistry(reflex, { version: console.world.version, env, org })
  const { skills } = await registry.reachable()
  const texts = await Promise.all(skills.map(async ({ manifest }) => Object.entries(await registry.prompts(manifest))))
  const prompts = Object.fromEntries(texts.flat())
  const turn = {
    user,
    now: console.now,
    actor: reflex.actor,
    host: withProject(options, await project.values()),
    tools: host.tools ?? [],
    prompts,
  }
  const { text, cards, overflow, tokens, tokenizer } = await previewBulletin(skills, turn)
  if (console.shape !== 'text') console.document(plainJson({ v: 1, text, cards, overflow, tokens, tokenizer }))
  else if (text !== '') console.print([console.out.terminal ? console.out.text(text) : text])
  else if (!console.quiet) console.report(['no skill fits this text · reflex skill list'])
  return EXIT.done
}
