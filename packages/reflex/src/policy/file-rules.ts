import { type FileRule, fileRulesOf, type Folders, readPattern } from './capability.ts'
import type { PolicyFile } from './file.ts'

/**
 * Returns the operator's rules that deny files or restrict them to terms. The view of files in the sandbox of a command is
 * built from them, because a command opens files by itself.
 */
export function fileRules(grants: readonly Partial<PolicyFile>[], folders: Folders): readonly FileRule[] {
  const texts = grants.flatMap(({ deny = [], ask = [], bounded = [] }) => [...deny, ...ask, ...bounded.map(({ capability }) => capability)])
  return texts.flatMap((text) => {
    const pattern = readPattern(text, folders)
    return 'problem' in pattern ? [] : fileRulesOf(pattern)
  })
}
