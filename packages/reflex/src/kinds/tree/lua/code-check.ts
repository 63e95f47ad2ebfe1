import { type FaultData, isList, type Json } from '../../../kernel/index.ts'
import { textOf } from '../model/text-of.ts'
import { TEXT_BYTES } from './limits.ts'
import type { CodeText } from './machine/run-script.ts'

/** A mistake of a text that is not Lua. */
export interface SyntaxMistake {
  readonly message: string
  /** The line of the text, from 1. */
  readonly line: number
}

/** The mistakes of texts, in their order; or the fault of a call that ended before. */
export type CheckResult =
  | { readonly ok: true; readonly mistakes: readonly (SyntaxMistake | undefined)[] }
  | { readonly ok: false; readonly fault: FaultData }

/** True for a text that Lua does not take. */
export function isTooLong(text: string): boolean {
  return Buffer.byteLength(text) > TEXT_BYTES
}

/** Reads what a worker has answered about texts. */
export function mistakesIn(answer: Json): readonly (SyntaxMistake | undefined)[] {
  return isList(answer) ? answer.map((item) => (isList(item) ? { message: textOf(item[0]), line: Number(item[1]) } : undefined)) : []
}

/** Splits texts into lists of at most a megabyte. A longer text is empty there. */
export function partsOf(texts: readonly CodeText[]): readonly (readonly CodeText[])[] {
  const parts: CodeText[][] = []
  let room = 0
  for (const text of texts) {
    const isLong = isTooLong(text.code)
    const bytes = isLong ? 0 : Buffer.byteLength(text.code)
    if (parts.length === 0 || bytes > room) {
      parts.push([])
      room = TEXT_BYTES
    }
    parts.at(-1)?.push(isLong ? { ...text, code: '' } : text)
    room -= bytes
  }
  return parts
}
