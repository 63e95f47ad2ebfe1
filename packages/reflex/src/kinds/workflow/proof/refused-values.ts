import { copyJson, type Json } from '../../../kernel/index.ts'
import { shortJson, type Path, quote, quoteAll, suggest } from '../../../text/index.ts'
import type { Finding } from './finding.ts'
import { mentionsOf } from './mentions.ts'
import type { Layout } from './layout.ts'

/** A value that is written to or compared with a key, and its place. */
interface NamedValue {
  readonly key: string
  readonly value: Json
  readonly nodeId: string
  readonly message: string
  readonly at: Path
}

/**
 * Returns the findings about values that specs write and conditions compare with, and that the schema of the key refuses (seed
 * workflow 6.3). `reported` has the paths that are already reported as never true.
 */
export function refusedValues(layout: Layout, reported: ReadonlySet<string>): Finding[] {
  if (layout.workflow.board === undefined) return []
  const seen = new Set<string>()
  return [...writtenValues(layout), ...comparedValues(layout)].flatMap(({ key, value, nodeId, message, at }): Finding[] => {
    const id = JSON.stringify(at)
    if (seen.has(id) || reported.has(id)) return []
    seen.add(id)
    const refusal = layout.refusal(key, value)
    if (refusal === undefined) return []
    return [
      {
        rule: 'VALUE_REFUSED',
        nodeId,
        key,
        message: `${message}: it ${refusal}`,
        path: at,
        fix: 'write a value that the schema of the key allows, or add this value to the schema',
        guess: () => meantValue(layout, key, value),
      },
    ]
  })
}

/** Returns the value of the key that a misspelt value was probably meant to be. */
export function meantValue(layout: Layout, key: string, value: unknown): string | undefined {
  return typeof value === 'string' ? suggest(value, wordsOf(layout, key)) : undefined
}

/** Returns the reason why a key never equals a value, by its schema alone: `"hgh" is none of "low", "high"`. */
export function neverEqual(layout: Layout, key: string, value: unknown): string | undefined {
  const json = jsonOf(value)
  const refusal = json === undefined ? undefined : layout.refusal(key, json)
  if (json === undefined || refusal === undefined) return undefined
  const words = wordsOf(layout, key)
  if (typeof value === 'string' && words.length > 0 && words.length === layout.domain(key).values?.size)
    return `${quote(value)} is none of ${quoteAll(words, 8)}`
  return `${shortJson(value)} is not a value of ${quote(key)}, which ${refusal}`
}

function wordsOf(layout: Layout, key: string): string[] {
  return [...(layout.domain(key).values?.values() ?? [])].filter((value) => typeof value === 'string')
}

function writtenValues(layout: Layout): NamedValue[] {
  return layout.nodes.flatMap(({ id, flow }) =>
    [...flow.writes, ...flow.cases.flatMap((decisionCase) => decisionCase.writes)].flatMap(
      ({ key, values = [], valueAt }): NamedValue[] => {
        const [value, another] = values
        if (value === undefined || another !== undefined || valueAt === undefined) return []
        const message = `node ${quote(id)} writes ${shortJson(value)} to ${quote(key)}`
        return [{ key, value, nodeId: id, message, at: ['nodes', id, ...valueAt] }]
      },
    ),
  )
}

function comparedValues(layout: Layout): NamedValue[] {
  return mentionsOf(layout).flatMap(({ key, nodeId, reader, compared: item }): NamedValue[] => {
    const value = jsonOf(item?.value)
    if (item === undefined || value === undefined) return []
    return [{ key, value, nodeId, message: `${reader} compares ${quote(key)} with ${shortJson(value)}`, at: item.at }]
  })
}

function jsonOf(value: unknown): Json | undefined {
  try {
    return value === undefined ? undefined : copyJson(value, 'value')
  } catch {
    return undefined
  }
}
