import type { Language } from '../../../programs/language.ts'
import { formatDot } from '../dot/format.ts'
import { locateInPipeline } from './locate.ts'
import { pipelineNames } from './names.ts'

/** Pipelines in DOT, and in modules as text or as graphs. */
export const pipelineLanguage: Language = { ...pipelineNames, format: formatDot, locate: locateInPipeline }
