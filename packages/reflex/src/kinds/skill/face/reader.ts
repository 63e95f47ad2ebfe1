import { isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { ReadContext, Reader, ReadResult } from '../../../programs/language.ts'
import { type Locator, readJson } from '../../../text/index.ts'
import { manifestJson } from '../manifest/canonical.ts'
import { SCHEMA } from '../manifest/patterns.ts'
import { decodeSkill, readSkill, type ReadSkill } from '../manifest/read-skill.ts'
import { pointerLocator } from '../manifest/report.ts'
import type { SkillMaker, SkillProgram } from '../plan/skill-program.ts'
import { callFindings } from './called-programs.ts'
import { skillInputs } from './inputs.ts'

/** Reads manifests of skills from text and as objects of modules, and compiles them with the tools and functions of the host. */
export function skillReader(maker: SkillMaker, seal: (value: Json) => string): Reader<SkillProgram> {
  return {
    read: (text, file, context) =>
      resultOf(maker, readSkill(text, file, maker.readingFrom(file)), context, (path, options) => placeIn(text, file)(path, options)),
    accept: (value, _file, context) =>
      isManifest(value) ? resultOf(maker, decodeSkill(value, maker.readingFrom(undefined)), context, pointerLocator()) : undefined,
    tools: ({ steps, verify, undos }) =>
      [...steps, ...(verify === undefined ? [] : [verify]), ...undos].flatMap(({ tool, isProgram }) => (isProgram ? [] : [tool])),
    inputs: (skill, input, texts) => skillInputs(skill, { input, texts, seal }),
  }
}

/** True for a manifest: it names the format, or it has what only a skill has. */
function isManifest(value: unknown): value is JsonObject {
  return isObject(value) && (value.schema === SCHEMA || (isObject(value.signature) && isObject(value.plan)))
}

/** Returns the locator of a text, which is read again: only a finding about a called program needs it. */
function placeIn(text: string, file: string): Locator {
  return pointerLocator(readJson(text, file))
}

function resultOf(maker: SkillMaker, { skill, findings }: ReadSkill, context: ReadContext | undefined, locate: Locator): ReadResult {
  if (skill === undefined) return { findings }
  const { id, version } = skill.manifest
  const isLinted = context?.depth !== 'errors' && context?.lint !== false
  const calls = context === undefined || !isLinted || context.depth === 'alone' ? [] : callFindings(skill, context, locate)
  // The stored source is the manifest itself: its hash names it.
  const source: Json = manifestJson(skill.manifest)
  return { program: { id, version, source, def: maker.bind(skill) }, findings: [...(isLinted ? findings : []), ...calls] }
}
