import { formatJson, type FormattedText } from '../../../text/index.ts'
import { formatXml } from './xml/format.ts'

/** Returns the written form of a text: that of the ending of its file, else of its beginning. */
export function formOf(text: string, file?: string): 'lua' | 'json' | 'xml' {
  if (file?.endsWith('.xml') === true) return 'xml'
  if (file !== undefined && /\.jsonc?$/.test(file)) return 'json'
  if (file?.endsWith('.lua') === true) return 'lua'
  const first = text.trimStart()[0]
  return first === '<' ? 'xml' : first === '{' ? 'json' : 'lua'
}

/** Formats a tree in JSON or XML. Lua stays as its author wrote it. Never throws. */
export function formatTree(text: string, file?: string): FormattedText {
  const form = formOf(text, file)
  if (form === 'json') return formatJson(text, file)
  return form === 'xml' ? formatXml(text, file) : { text, findings: [] }
}
