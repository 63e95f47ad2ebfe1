import type { LanguageNames } from '../../../programs/language.ts'

/** The brace of an object, behind comments. */
const BEGINNING = /^\ufeff?(?:\s|\/\/[^\n]*(?:\n|$)|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*\{/

/** The files and texts that are workflows. */
export const workflowNames: LanguageNames = {
  endings: ['.workflow.json', '.workflow.jsonc', '.workflow.ts', '.workflow.js', '.workflow.mjs'],
  schemas: [
    {
      name: 'workflow',
      about: 'a workflow',
      files: '*.workflow.json',
      schema: async () => (await import('../file/json-schema.ts')).workflowSchema,
    },
  ],
  owns: (text) => BEGINNING.test(text),
}
