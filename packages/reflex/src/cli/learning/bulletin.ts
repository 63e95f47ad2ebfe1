import { basename } from 'node:path'
import { skillTools } from '../../kinds/skill/face/tools.ts'
import { openRegistry } from '../../learn/registry/open.ts'
import { previewBulletin } from '../../learn/registry/preview.ts'
import { plainJson } from '../../protocol/plain.ts'
import { faults } from '../../runs/faults.ts'
import { quote } from '../../text/index.ts'
import { EXIT } from '../exit.ts'
import type { ContinueFlags } from '../options.ts'
import type { Session } from '../session.ts'

export interface BulletinFlags extends ContinueFlags {
  readonly user?: string
  readonly tools?: readonly string[]
}

/** `reflex bulletin preview --user TEXT`: prints the text about skills that an agent would get before its model reads the text of a user. */
export async function bulletin(
  { console, reflex }: Session,
  action: string,
  { user, tools: modules = [] }: BulletinFlags,
): Promise<number> {
  if (action !== 'preview')
    throw faults.make('R2031', `bulletin ${quote(action)} is not known; it is preview`, { fix: 'reflex bulletin preview --user TEXT' })
  if (user === undefined) throw faults.make('R2031', 'bulletin preview has no --user', { fix: 'reflex bulletin preview --user TEXT' })
  await reflex.useTools(modules)
  const skills = await openRegistry(reflex, console.world.version).list()
  const tools = skillTools(reflex.tools, [])
  const made = previewBulletin(skills, { user, now: console.now, actor: reflex.actor, folder: basename(reflex.workdir), tools })
  const { text, cards, overflow, tokens, tokenizer } = made
  if (console.shape !== 'text') console.document(plainJson({ v: 1, text, cards, overflow, tokens, tokenizer }))
  else if (text !== '') console.print([console.out.terminal ? console.out.text(text) : text])
  else if (!console.quiet) console.report(['no skill fits this text · reflex skill list'])
  return EXIT.done
}
