import { type Fault, type FaultDetails, type JsonObject } from '../../../kernel/index.ts'
import { Source } from '../../../text/index.ts'
import { faults } from '../model/faults.ts'
import type { LuaFailure } from './machine/call.ts'
import type { LuaPurpose } from './limits.ts'

/** A text of Lua with its place, for messages. */
export interface LuaText {
  readonly text: string
  readonly file: string
  /** The number of its first line in the file. */
  readonly line: number
}

const CODES = {
  syntax: ['R1241', 'E5001'],
  error: ['R1242', 'E5002'],
  value: ['R1242', 'E1002'],
  read: ['R1242', 'E5002'],
  steps: ['R1243', 'E5003'],
  memory: ['R1243', 'E5003'],
  depth: ['R1243', 'E5003'],
  result: ['R1243', 'E5003'],
  blocked: ['R1261', 'E7001'],
  definition: ['R1202', 'E4002'],
} as const

const REFUSALS = { E1002: 'R1212', E1003: 'R1213' } as const

/** The use of a call: its steps, and for one that has reached a limit its times. */
interface LuaUse {
  readonly steps: number
  readonly times: JsonObject
}

/** Returns the fault of a call that failed: with its place, a code frame and the traceback of Lua (`data.lua_traceback`). */
export function luaFault(failure: LuaFailure, purpose: LuaPurpose, source: LuaText, use: LuaUse): Fault {
  // Of a definition, a value that is no JSON is a mistake of the definition.
  const kind = purpose === 'load' && failure.kind === 'value' ? 'definition' : failure.kind
  const [code, rule] = CODES[kind]
  const { refusal } = failure
  const place = failure.line === undefined ? { file: source.file } : placeOf(source, failure.line)
  const where = failure.line === undefined ? source.file : `${source.file}:${failure.line}`
  return faults.make(code, `${where}: ${describe(failure, purpose)}`, {
    ...place,
    rule,
    ...(refusal?.rule === undefined ? {} : { cause: faults.make(REFUSALS[refusal.rule], refusal.message, { rule: refusal.rule }) }),
    data: dataOf(failure, use),
  })
}

function describe({ kind, message }: LuaFailure, purpose: LuaPurpose): string {
  if (kind === 'steps' || kind === 'memory' || kind === 'depth' || kind === 'result') return `Lua was stopped: ${message}`
  if (kind === 'blocked') return `${message} is blocked in Lua`
  if (kind === 'value') return `the result of the ${purpose === 'load' ? 'file' : purpose} is not JSON: ${message}`
  return message
}

function dataOf({ kind, message, traceback }: LuaFailure, { steps, times }: LuaUse): JsonObject {
  return {
    ...(kind === 'blocked' ? { item: message } : {}),
    ...(kind === 'steps' || kind === 'memory' || kind === 'depth' || kind === 'result' ? { limit: kind, ...times } : {}),
    ...(traceback === undefined ? {} : { lua_traceback: traceback }),
    steps,
  }
}

/** The place of a line of the file, of which only a part may be known. */
function placeOf({ text, file, line }: LuaText, at: number): FaultDetails {
  const source = new Source('\n'.repeat(line - 1) + text, file)
  if (at < line || at > source.lines.count) return { file, line: at }
  const [start, end] = source.lines.range(at)
  const indent = /^\s*/.exec(source.text.slice(start, end))?.[0].length ?? 0
  return source.details(start + indent, Math.max(1, end - start - indent))
}
