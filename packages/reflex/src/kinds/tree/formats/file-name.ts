import type { Fault } from '../../../kernel/index.ts'
import { quote } from '../../../text/index.ts'
import { faults } from '../model/faults.ts'
import { NAME } from './names.ts'
import type { RawTree } from './raw.ts'

/** Returns the finding about a tree that does not have the name of its file: references look for a file of its name. */
export function fileNameFinding({ name, origin }: RawTree, file: string | undefined): Fault[] {
  const stem = stemOf(file)
  if (stem === undefined || !NAME.test(stem) || typeof name !== 'string' || name === stem) return []
  const message = `the tree ${quote(name)} stands in ${file ?? ''}; references look for it in ${name}`
  return [faults.finding('R1207', message, { ...origin.at('name'), fix: `name the tree ${quote(stem)}, or rename the file` })]
}

/** The name of a file without its folder and its ending. */
function stemOf(file: string | undefined): string | undefined {
  return file === undefined ? undefined : /([^/\\]*?)(\.tree\.jsonc?|\.[^./\\]*)?$/.exec(file)?.[1]
}
