import type { Language } from '../../../programs/language.ts'
import { formatJson, readJson } from '../../../text/index.ts'
import { treeNames } from './names.ts'

/** Trees in Lua, JSON and XML, and as objects in modules. */
export const treeLanguage: Language = {
  ...treeNames,
  format: (text, file) => formatJson(text, file),
  locate: (text, file) => readJson(text, file).details([]),
}
