import type { Language } from '../../../programs/language.ts'
import { formatDot } from '../dot/format.ts'
import { locateInPipeline } from './locate.ts'

/** The word that a pipeline begins with, behind comments: other texts that a module exports are not meant. */
const BEGINNING = /^\ufeff?(?:\s|\/\/[^\n]*\n|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*(?:strict\s+)?(?:di)?graph\b/

/** Pipelines in DOT, and in modules as text or as graphs. */
export const pipelineLanguage: Language = {
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
  format: formatDot,
  locate: locateInPipeline,
}
