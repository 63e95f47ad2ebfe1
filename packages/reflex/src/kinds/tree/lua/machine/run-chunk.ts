import type { Json } from '../../../../kernel/index.ts'
import { LuaError, type LuaFailure } from './call.ts'
import { errorText, readPosition } from './error-text.ts'
import { readText, readValue } from './read-value.ts'
import { ALL, OK, type Sandbox } from './sandbox.ts'

/** Compiles a text of the user, whose first line has the number `line` in its file, and leaves the function on the stack. Throws LuaError. */
export function compileChunk(sandbox: Sandbox, text: string, line = 1): void {
  const failure = tryCompile(sandbox, text, line)
  if (failure !== undefined) throw new LuaError(failure)
}

/** Compiles a condition: an expression, or statements that return a value. Throws LuaError. */
export function compileCondition(sandbox: Sandbox, text: string, line: number): void {
  const asExpression = tryCompile(sandbox, `return ${text}\n`, line)
  if (asExpression === undefined) return
  const asStatements = tryCompile(sandbox, text, line)
  if (asStatements === undefined) return
  const isExpression = !/\breturn\b/.test(text) && (asExpression.line ?? 0) >= (asStatements.line ?? 0)
  throw new LuaError(isExpression ? asExpression : asStatements)
}

function tryCompile(sandbox: Sandbox, text: string, line: number): LuaFailure | undefined {
  const { machine, file } = sandbox
  // Empty lines give each line the number that it has in its file.
  if (sandbox.compile('\n'.repeat(line - 1) + text, `@${file}`)) return undefined
  const placed = readPosition(readText(machine, -1) ?? 'the text is not Lua', file)
  machine.engine.lua_settop(machine.L, -2)
  const last = line + text.trimEnd().split('\n').length - 1
  return { kind: 'syntax', message: placed.text, ...(placed.line === undefined ? {} : { line: Math.min(placed.line, last) }) }
}

/**
 * Calls the function below `args` arguments on the stack and leaves its results there. Returns the number of results. Throws LuaError for an error of
 * the user's text.
 */
export function callChunk(sandbox: Sandbox, args = 0): number {
  const { machine, file } = sandbox
  const { engine, L } = machine
  const place = engine.lua_gettop(L) - args
  machine.pushFunction(sandbox.handler)
  engine.lua_rotate(L, place, 1)
  const status = engine.lua_pcallk(L, args, ALL, place, 0, 0)
  machine.checkDue()
  if (status === OK) {
    engine.lua_rotate(L, place, -1)
    engine.lua_settop(L, -2)
    return engine.lua_gettop(L) - place + 1
  }
  const { text, line } = readPosition(errorText(sandbox), file)
  const { refusal } = sandbox.board
  throw new LuaError({
    kind: 'error',
    message: text,
    ...(line === undefined ? {} : { line }),
    ...(refusal !== undefined && text.endsWith(refusal.message) ? { refusal } : {}),
  })
}

/** Reads results from the top of the stack: none is null, several are a list. */
export function readResults(sandbox: Sandbox, count: number): Json {
  const { machine, references } = sandbox
  const first = machine.engine.lua_gettop(machine.L) - count + 1
  const meter = sandbox.board.meter(machine)
  const values = Array.from({ length: count }, (_, i) => readValue(machine, first + i, references.emptyLists, meter))
  return count === 1 ? (values[0] ?? null) : count === 0 ? null : values
}
