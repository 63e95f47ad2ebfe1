import type { FormattedText } from '../../../text/index.ts'
import { formOf } from './format.ts'
import { hasErrors } from './findings.ts'
import { readJsonTree } from './json.ts'
import type { NormalisedTree } from './normalise.ts'
import { type LuaLoader, readLuaTree } from './read-lua.ts'
import { serialiseTree } from './serialise.ts'
import { readXmlTree } from './xml/read-xml.ts'
import { writeXmlTree } from './xml/write-xml.ts'

/** The forms in which trees are written. Lua is only read. */
export const TREE_FORMS = ['json', 'xml'] as const

/**
 * Writes a tree of Lua, JSON or XML as JSON or as XML of BehaviorTree.CPP v4. The text reads as an equal tree,
 * except that nodes of XML without an id of their own get it by their line. Functions and tools are not looked
 * up, and script files stay files. Errors: those of reading, and R1208 for what XML cannot say. `lua` is called for Lua only.
 */
export async function convertTree(
  text: string,
  file: string | undefined,
  form: string,
  lua: () => Promise<LuaLoader>,
): Promise<FormattedText> {
  const { source, findings } = await read(text, file, lua)
  if (source === undefined || hasErrors(findings)) return { findings }
  if (form === 'json') return { text: serialiseTree(source), findings }
  const written = writeXmlTree(source)
  return { ...written, findings: [...findings, ...written.findings] }
}

async function read(text: string, file: string | undefined, lua: () => Promise<LuaLoader>): Promise<NormalisedTree> {
  const form = formOf(text, file)
  if (form === 'lua') return readLuaTree(text, file ?? 'tree.lua', await lua())
  return form === 'xml' ? readXmlTree(text, file) : readJsonTree(text, file)
}
