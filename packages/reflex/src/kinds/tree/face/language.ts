import type { Language } from '../../../programs/language.ts'
import { readJson, Source } from '../../../text/index.ts'
import { formatTree, formOf } from '../formats/format.ts'
import { treeNames } from './names.ts'

/** Trees in Lua, JSON and XML, and as objects in modules. */
export const treeLanguage: Language = {
  ...treeNames,
  format: formatTree,
  locate(text, file, { node }, note) {
    if (formOf(text, file) === 'json') return readJson(text, file).details([], { note })
    const found = node === undefined ? -1 : text.indexOf(node.split('/').at(-1) ?? node)
    return found < 0 ? { file } : new Source(text, file).details(found, node?.length ?? 1, note)
  },
}
