import { copyJson, type Json } from '../../../kernel/journal/json.ts'
import { brief, type Path, quote, quoteAll, suggest } from '../../../text/index.ts'
import type { Finding } from './finding.ts'
import { mentionsOf } from './mentions.ts'
import type { Sheet } from './sheet.ts'

/** A value that is named for a key, and where. */
interface Named {
  readonly key: string
  readonly value: Json
  readonly nodeId: string
  readonly message: string
  readonly at: Path
}

/**
 * Values that specs write and conditions compare with, and that the schema of the key refuses (seed workflow 6.3). `told`:
 * the paths of which it was said already that they never hold.
 */
export function refusedValues(sheet: Sheet, told: ReadonlySet<string>): Finding[] {
  if (sheet.workflow.board === undefined) return []
  const seen = new Set<string>()
  return [...written(sheet), ...compared(sheet)].flatMap(({ key, value, nodeId, message, at }): Finding[] => {
    const id = JSON.stringify(at)
    if (seen.has(id) || told.has(id)) return []
    seen.add(id)
    const refusal = sheet.refusal(key, value)
    if (refusal === undefined) return []
    return [
      {
        rule: 'VALUE_REFUSED',
        nodeId,
        key,
        message: `${message}: it ${refusal}`,
        path: at,
        fix: 'write what the schema of the key allows, or allow this value there',
        guess: () => meantValue(sheet, key, value),
      },
    ]
  })
}

/** The word among the few that a key can hold that a value was probably meant to be. */
export function meantValue(sheet: Sheet, key: string, value: unknown): string | undefined {
  return typeof value === 'string' ? suggest(value, wordsOf(sheet, key)) : undefined
}

/** Why a key never has a value, by its schema alone: `"hgh" is none of "low", "high"`. */
export function neverEqual(sheet: Sheet, key: string, value: unknown): string | undefined {
  const json = jsonOf(value)
  const refusal = json === undefined ? undefined : sheet.refusal(key, json)
  if (json === undefined || refusal === undefined) return undefined
  const words = wordsOf(sheet, key)
  if (typeof value === 'string' && words.length > 0 && words.length === sheet.domain(key).values?.size)
    return `${quote(value)} is none of ${quoteAll(words, 8)}`
  return `${brief(value)} is no value of ${quote(key)}, which ${refusal}`
}

function wordsOf(sheet: Sheet, key: string): string[] {
  return [...(sheet.domain(key).values?.values() ?? [])].filter((value) => typeof value === 'string')
}

function written(sheet: Sheet): Named[] {
  return sheet.stops.flatMap(({ id, flow }) =>
    [...flow.writes, ...flow.ways.flatMap((way) => way.writes)].flatMap(({ key, values = [], valueAt }): Named[] => {
      const [value, another] = values
      if (value === undefined || another !== undefined || valueAt === undefined) return []
      const message = `node ${quote(id)} writes ${brief(value)} to ${quote(key)}`
      return [{ key, value, nodeId: id, message, at: ['nodes', id, ...valueAt] }]
    }),
  )
}

function compared(sheet: Sheet): Named[] {
  return mentionsOf(sheet).flatMap(({ key, nodeId, who, compared: one }): Named[] => {
    const value = jsonOf(one?.value)
    if (one === undefined || value === undefined) return []
    return [{ key, value, nodeId, message: `${who} compares ${quote(key)} with ${brief(value)}`, at: one.at }]
  })
}

function jsonOf(value: unknown): Json | undefined {
  try {
    return value === undefined ? undefined : copyJson(value, 'value')
  } catch {
    return undefined
  }
}
