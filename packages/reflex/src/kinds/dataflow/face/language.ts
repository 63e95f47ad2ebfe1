import type { Language } from '../../../programs/language.ts'
import { formatJson } from '../../../text/index.ts'
import { locateInDefinition } from '../documents/locate.ts'
import { dataflowNames } from './names.ts'

/** Graphs in JSON with comments, and as objects in modules. */
export const dataflowLanguage: Language = { ...dataflowNames, format: formatJson, locate: locateInDefinition }
