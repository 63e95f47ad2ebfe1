import type { LanguageNames } from '../../../programs/language.ts'

/** The first word of a pipeline, after comments. Other texts that a module exports are ignored. */
const BEGINNING = /^\ufeff?(?:\s|\/\/[^\n]*\n|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*(?:strict\s+)?(?:di)?graph\b/

/** The files and texts that are pipelines. */
export const pipelineNames: LanguageNames = {
  endings: ['.dot', '.gv', '.pipeline.ts', '.pipeline.js', '.pipeline.mjs'],
  schemas: [
    {
      name: 'pipeline',
      about: 'a pipeline as an object, as pipeline() takes it',
      files: '*.pipeline.ts',
      schema: async () => (await import('./json-schema.ts')).pipelineSchema(),
    },
  ],
  owns: (text) => BEGINNING.test(text),
}
