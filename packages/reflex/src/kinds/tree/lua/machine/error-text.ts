import { NotJson, readText, readValue, ResultMeter, TYPE } from './read-value.ts'
import type { Sandbox } from './sandbox.ts'

/** The length of the name of a chunk in messages of Lua; longer names are cut at the start. */
const NAME_LENGTH = 59
const CUT = '...'

/** An error message of Lua without its position, and the line of the position. */
export interface PlacedText {
  readonly text: string
  readonly line?: number
}

/** Returns the name by which messages of Lua call a file. */
export function shownName(file: string): string {
  return file.length <= NAME_LENGTH ? file : CUT + file.slice(file.length - NAME_LENGTH + CUT.length)
}

/** Separates the position of a message, which begins with `file:line:`, from its text. */
export function readPosition(message: string, file: string): PlacedText {
  for (const name of [file, shownName(file)]) {
    const match = message.startsWith(`${name}:`) ? /^(\d+): ?/.exec(message.slice(name.length + 1)) : null
    if (match) return { text: message.slice(name.length + 1 + match[0].length), line: Number(match[1]) }
  }
  // The position of the library says nothing to the user.
  return { text: message.replace(/^reflex:\d+: /, '') }
}

/** Returns a readable text for the error value on top of the stack: a text, a number, the field `message` of a table, or the table as JSON. */
export function errorText(sandbox: Sandbox): string {
  const { machine } = sandbox
  const { engine, L } = machine
  const type = engine.lua_type(L, -1)
  if (type === TYPE.number) return String(engine.lua_tonumberx(L, -1, 0))
  if (type === TYPE.boolean) return String(engine.lua_toboolean(L, -1) !== 0)
  if (type === TYPE.nil) return 'an error without a value'
  if (type !== TYPE.table) return readText(machine, -1) ?? 'an error that is a function'
  try {
    const value = readValue(machine, -1, sandbox.references.emptyLists, new ResultMeter(machine))
    if (typeof value === 'object' && value !== null && 'message' in value && typeof value['message'] === 'string') return value['message']
    return JSON.stringify(value)
  } catch (thrown) {
    if (thrown instanceof NotJson) return 'an error that is a table'
    throw thrown
  }
}
