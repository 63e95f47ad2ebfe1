import { quote, suggester } from '../../../text/index.ts'
import type { Finding } from './finding.ts'
import { mentionsOf, stretchOf } from './mentions.ts'
import { near } from './near.ts'
import type { Sheet } from './sheet.ts'

/**
 * Keys that are read, that nothing writes or declares, and that are nearly the name of one that something does: most
 * likely slips. Where somebody may write keys that nobody knows, only the names that the board declares are held against them.
 */
export function unknownKeys(sheet: Sheet): Finding[] {
  const known = new Set(sheet.names())
  const names = suggester(sheet.open ? Object.keys(sheet.workflow.board ?? {}) : known)
  const seen = new Set<string>()
  return mentionsOf(sheet).flatMap((mention): Finding[] => {
    const { key, nodeId, who, at, ofItem } = mention
    if (ofItem || known.has(key)) return []
    const id = JSON.stringify([at, key])
    if (seen.has(id)) return []
    seen.add(id)
    const meant = near(key, names)
    if (meant === undefined) return []
    const message = `${who} reads ${quote(key)}, which nothing writes`
    const within = stretchOf(mention)
    return [{ rule: 'UNKNOWN_KEY', nodeId, key, message, path: at, within, fix: `write ${quote(meant)}`, guess: () => meant }]
  })
}
