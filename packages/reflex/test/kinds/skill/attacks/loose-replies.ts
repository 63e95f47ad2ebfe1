import { isObject, type JsonObject } from '../../../../src/kernel/index.ts'
import { readProposal } from '../../../../src/kinds/skill/protocol/read-block.ts'
import { readStrictObject } from '../../../../src/kinds/skill/protocol/strict-json.ts'
import type { Read } from './parts.ts'

/** How a careless author finds the bodies of proposals in a text. */
type Find = (text: string) => readonly string[]

/** Anywhere: in code, in quotes, in the middle of a line. */
export const ANYWHERE: Find = (text) => [...text.matchAll(/<SKILL_PROPOSE>([^]*?)<\/SKILL_PROPOSE>/g)].map(([, body = '']) => body)

/** With the last opening tag before a closing one. */
export const INNERMOST: Find = (text) =>
  ANYWHERE(text).map((body) => body.slice(body.lastIndexOf('<SKILL_PROPOSE>') + 1).replace(/^SKILL_PROPOSE>/, ''))

/** Up to the end of the text, if no tag closes the block. */
export const UNCLOSED: Find = (text) => [text.split('<SKILL_PROPOSE>')[1]?.split('</SKILL_PROPOSE>')[0] ?? ''].filter((body) => body !== '')

/** Reads a body as `JSON.parse` does: any size, and of a key that occurs twice the last. */
export function plainJson(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Reads a body as people write JSON: with comments, single quotes and commas before a bracket. */
export function looseJson(text: string): JsonObject | undefined {
  const clean = text
    .replace(/\/\/[^\n]*/g, '')
    .replaceAll("'", '"')
    .replace(/,\s*([}\]])/g, '$1')
  return plainJson(clean)
}

export function strictJson(text: string): JsonObject | undefined {
  const read = readStrictObject(text)
  return 'value' in read ? read.value : undefined
}

/** Reads replies with a careless part in the place of one of Reflex. */
export function careless(find: Find, parse: (text: string) => JsonObject | undefined): (texts: readonly string[]) => Read {
  return (texts) => {
    const proposals = texts.flatMap(find).flatMap((text) => {
      const body = parse(text)
      const read = body === undefined ? undefined : readProposal(body, { carrier: 'text', callIds: [] })
      return read !== undefined && 'content' in read ? [read.content] : []
    })
    return { visible: texts.join('\n'), proposals: proposals.slice(0, 1), rejections: [], malformed: false }
  }
}
