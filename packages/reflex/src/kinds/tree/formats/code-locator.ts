import { dirname, join } from 'node:path'
import type { FaultDetails } from '../../../kernel/index.ts'
import { type JsonText, readJson, Source } from '../../../text/index.ts'
import { type CodePlace, type LocateCode, placeInFile, spanOfMistake } from './code-syntax.ts'
import { formOf } from './format.ts'

/** A text of a tree. */
export interface TreeText {
  readonly text: string
  readonly file: string
}

/** Returns the function that finds the place of a mistake in code: in its script file, in a text of JSON, or in the file of the tree. */
export function codeLocator(from: TreeText | undefined): LocateCode {
  let json: JsonText | undefined
  return (code, mistake) => {
    const span = spanOfMistake(code.code, mistake)
    const inCode = (file: string | undefined): CodePlace => ({ details: new Source(code.code, file).details(span.offset, span.length) })
    if (code.file !== undefined) return inCode(from === undefined ? code.file : join(dirname(from.file), code.file))
    if (from === undefined || from.text === '') return inCode(undefined)
    if (formOf(from.text, from.file) === 'json') {
      json ??= readJson(from.text, from.file)
      return { details: json.details(code.path, { span }) }
    }
    const source = new Source(from.text, from.file)
    return placeInFile(source, code, mistake) ?? { details: lineDetails(source, code.node.line, from.file, undefined) }
  }
}

/** Returns the details of a line, without the space at its sides. */
export function lineDetails(source: Source, line: number | undefined, file: string, note: string | undefined): FaultDetails {
  if (line === undefined || line > source.lines.count) return { file }
  const [start, end] = source.lines.range(line)
  const text = source.text.slice(start, end)
  const indent = text.length - text.trimStart().length
  return source.details(start + indent, Math.max(1, text.trim().length), note)
}
