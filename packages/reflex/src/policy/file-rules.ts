import { type FileRule, fileRulesOf, type Folders, readPattern } from './capability.ts'
import type { PolicyFile } from './file.ts'

/**
 * The rules of the operator that keep files from runs or let them be used on terms: what is shown to a command, which opens
 * files by itself, is made by them.
 */
export function fileRules(grants: readonly Partial<PolicyFile>[], folders: Folders): readonly FileRule[] {
  const texts = grants.flatMap(({ deny = [], ask = [], bounded = [] }) => [...deny, ...ask, ...bounded.map(({ capability }) => capability)])
  return texts.flatMap((text) => {
    const pattern = readPattern(text, folders)
    return 'problem' in pattern ? [] : fileRulesOf(pattern)
  })
}
