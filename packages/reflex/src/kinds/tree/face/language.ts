import type { Language } from '../../../programs/language.ts'
import { readJson, Source } from '../../../text/index.ts'
import { convertTree, TREE_FORMS } from '../formats/convert.ts'
import { formatTree, formOf } from '../formats/format.ts'
import { lazyLua } from './lazy-lua.ts'
import { treeNames } from './names.ts'

/** Trees in Lua, JSON and XML, and as objects in modules. */
export const treeLanguage: Language = {
  ...treeNames,
  format: formatTree,
  forms: TREE_FORMS,
  async convert(text, file, form) {
    const lua = lazyLua()
    try {
      return await convertTree(text, file, form, async () => lua.pool())
    } finally {
      await lua.close()
    }
  },
  locate(text, file, { node }, note) {
    if (formOf(text, file) === 'json') return readJson(text, file).details([], { note })
    const found = node === undefined ? -1 : text.indexOf(node.split('/').at(-1) ?? node)
    return found < 0 ? { file } : new Source(text, file).details(found, node?.length ?? 1, note)
  },
}
