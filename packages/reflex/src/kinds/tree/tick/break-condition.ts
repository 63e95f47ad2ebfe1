import { isFault } from '../../../kernel/index.ts'
import { dataCode, type ExpressionCode } from '../compile/code.ts'

/** The most conditions that are kept compiled. */
const MOST = 200
const COMPILED = new Map<string, ExpressionCode | string>()

/**
 * Reads the condition of a breakpoint: an expression such as `bb.count > 3`, or the short forms `key exists`, `key is None`, `key`, and
 * `key OP literal` with == != >= <= > <. Returns the reason for a text that is neither.
 */
export function breakCondition(text: string): ExpressionCode | string {
  const known = COMPILED.get(text)
  if (known !== undefined) return known
  const code = dataCode(longForm(text.trim()), {})
  const read = isFault(code) ? code.message : 'outside' in code ? code.outside : code
  if (COMPILED.size >= MOST) COMPILED.clear()
  COMPILED.set(text, read)
  return read
}

const EXISTS = /^([A-Za-z_]\w*)\s+exists$/
const IS_NONE = /^([A-Za-z_]\w*)\s+is\s+(?:None|nil)$/
const BARE = /^([A-Za-z_]\w*)$/
const COMPARED = /^([A-Za-z_]\w*)\s*(==|!=|>=|<=|>|<)(.+)$/
const LITERAL = /^(?:-?\d+(?:\.\d+)?|"[^"\\]*"|'[^'\\]*'|true|false|True|False|nil|None)$/
const LUA_WORDS: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'nil' }

/** Returns the expression that a short form stands for. A key without a value is nil, which nothing is greater or less than. */
function longForm(text: string): string {
  const exists = EXISTS.exec(text)
  if (exists !== null) return `bb.${exists[1]} ~= nil`
  const none = IS_NONE.exec(text)
  if (none !== null) return `bb.${none[1]} == nil`
  const bare = BARE.exec(text)
  if (bare !== null && !['true', 'false', 'nil'].includes(text)) return `bb.${text}`
  const [, key, operator, literal = ''] = COMPARED.exec(text) ?? []
  if (key === undefined || !LITERAL.test(literal.trim())) return text
  const value = literal.trim()
  return `bb.${key} ~= nil and bb.${key} ${operator === '!=' ? '~=' : operator} ${LUA_WORDS[value] ?? value}`
}
