import type { Language } from '../../programs/language.ts'
import { formatJson } from '../../text/index.ts'
import { locateInWorkflow } from './locate.ts'

/** The brace of an object, behind comments. */
const BEGINNING = /^\ufeff?(?:\s|\/\/[^\n]*(?:\n|$)|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*\{/

/** Workflows in JSON with comments, and as objects in modules. */
export const workflowLanguage: Language = {
  endings: ['.workflow.json', '.workflow.jsonc', '.workflow.ts', '.workflow.js', '.workflow.mjs'],
  schemas: [
    {
      name: 'workflow',
      about: 'a workflow',
      files: '*.workflow.json',
      schema: async () => (await import('./json-schema.ts')).workflowSchema,
    },
  ],
  owns: (text) => BEGINNING.test(text),
  format: formatJson,
  locate: locateInWorkflow,
}
