import type { LanguageNames } from '../../../programs/language.ts'

/** The first words of a tree in Lua, or in XML, that is not in a file. */
const BEGINNING = /^\ufeff?\s*(?:(?:--[^\n]*\n\s*)*(?:local\s+BT\b|return\s+BT\.)|(?:<\?xml[^>]*>\s*)?<root\s[^>]*BTCPP_format)/

/** The files and texts that are trees. */
export const treeNames: LanguageNames = {
  endings: ['.lua', '.tree.json', '.tree.jsonc', '.xml', '.tree.ts', '.tree.js', '.tree.mjs'],
  schemas: [
    {
      name: 'tree',
      about: 'a behaviour tree',
      files: '*.tree.json',
      schema: async () => (await import('../formats/json-schema.ts')).treeSchema(),
    },
  ],
  owns: (text) => BEGINNING.test(text),
}
