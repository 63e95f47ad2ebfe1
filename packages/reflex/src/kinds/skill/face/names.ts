import type { LanguageNames } from '../../../programs/language.ts'

/** The first words of a manifest that is not in a file. */
const BEGINNING = /^\ufeff?\s*\{[^{}[\]]{0,400}"schema"\s*:\s*"reflex\.capability\//

/** The files and texts that are skills. */
export const skillNames: LanguageNames = {
  endings: ['.skill.json', '.skill.jsonc', '.skill.ts', '.skill.js', '.skill.mjs'],
  schemas: [
    {
      name: 'skill',
      about: 'the manifest of a skill',
      files: '*.skill.json',
      schema: async () => (await import('../manifest/schema.ts')).manifestSchema(),
    },
    {
      name: 'skill-record',
      about: 'what skills and turns of agents add to their records',
      files: 'reflex show --json',
      schema: async () => (await import('./record-schema.ts')).recordSchema(),
    },
  ],
  owns: (text) => BEGINNING.test(text),
}
