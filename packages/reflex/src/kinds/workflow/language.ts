import type { Language } from '../../programs/language.ts'
import { formatJson } from '../../text/index.ts'
import { locateInWorkflow } from './locate.ts'
import { workflowNames } from './names.ts'

/** Workflows in JSON with comments, and as objects in modules. */
export const workflowLanguage: Language = { ...workflowNames, format: formatJson, locate: locateInWorkflow }
