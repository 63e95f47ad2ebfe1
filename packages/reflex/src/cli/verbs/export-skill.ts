import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isFault } from '../../kernel/index.ts'
import { skillFolder } from '../../learn/formats/skill-markdown.ts'
import { projectRegistry } from '../../learn/snapshot/project-registry.ts'
import { counted, plainJson } from '../../protocol/plain.ts'
import { faults } from '../../runs/faults.ts'
import { EXIT } from '../exit.ts'
import { factLine } from '../layout.ts'
import type { Session } from '../session.ts'

/** The format of a skill as the folder of an Agent Skill. */
export const SKILL_FORMAT = 'skill-md'

/**
 * `reflex export skill:ID --format skill-md`: writes a skill of the registry as the folder of an Agent Skill, below the folder of `-o`. A file with another
 * text is never replaced. Throws `R2031`, `R1493` for an unknown skill, and `R5040`.
 */
export async function exportSkill(session: Session, reference: string, output = '.'): Promise<number> {
  const { console, reflex } = session
  const id = /^skill:(.+)$/.exec(reference)?.[1]
  if (id === undefined)
    throw faults.make('R2031', `--format ${SKILL_FORMAT} takes a skill`, { fix: `reflex export skill:ID --format ${SKILL_FORMAT}` })
  if (output === '-') throw faults.make('R2031', 'a skill is written as a folder', { fix: 'name a folder with -o' })
  const skill = await projectRegistry(reflex, { version: console.world.version }).registry.find(id)
  const { name, files } = skillFolder(skill.manifest)
  const folder = join(resolve(console.world.surroundings.cwd, output), name)
  await writeFolder(folder, files)
  if (console.shape !== 'text') {
    console.document(plainJson({ v: 1, skill: `${skill.id}@${skill.version}`, folder, files: files.map(([file]) => file) }))
    return EXIT.done
  }
  const shown = console.err.text(console.nearPath(folder))
  if (!console.quiet) console.report(factLine(shown, shown, ['written', counted(files.length, 'file')], console.err))
  return EXIT.done
}

async function writeFolder(folder: string, files: readonly (readonly [name: string, text: string])[]): Promise<void> {
  try {
    for (const [name, text] of files) {
      const before = await existingText(join(folder, name))
      if (before !== undefined && before !== text)
        throw faults.make('R5040', `${join(folder, name)} has another text`, {
          file: join(folder, name),
          fix: 'name another folder with -o',
        })
    }
    await mkdir(folder, { recursive: true })
    for (const [name, text] of files) await writeFile(join(folder, name), text)
  } catch (cause) {
    if (isFault(cause)) throw cause
    throw faults.make('R5040', `${folder} cannot be written`, { file: folder, cause, fix: 'name a writable folder with -o' })
  }
}

async function existingText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw thrown
  }
}
