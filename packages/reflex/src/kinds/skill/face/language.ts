import type { Language } from '../../../programs/language.ts'
import { formatJson } from '../../../text/index.ts'
import { locateInSkill } from './locate.ts'
import { skillNames } from './names.ts'

/** Manifests in JSON with comments, and as objects in modules. */
export const skillLanguage: Language = { ...skillNames, format: formatJson, locate: locateInSkill }
