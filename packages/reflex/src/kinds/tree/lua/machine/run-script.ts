import type { Json, JsonObject } from '../../../../kernel/index.ts'
import { describeEnd, type LuaAnswer } from './call.ts'
import type { CountedLimits } from './limits.ts'
import { pushValue } from './push-value.ts'
import { callChunk, compileChunk, compileCondition, readResults } from './run-chunk.ts'
import type { Sandbox } from './sandbox.ts'
import { type ReadKey, ScriptBoard } from './script-board.ts'
import { keepFrames } from './tail-calls.ts'

/** A script or a condition that runs once. */
export interface ScriptJob {
  readonly code: string
  readonly file: string
  /** The number of the first line of the code in its file. */
  readonly line: number
  /** The keys of the board that travel along. */
  readonly board: readonly (readonly [key: string, value: Json])[]
  readonly ctx: JsonObject
  readonly as: 'script' | 'condition'
  readonly limits: CountedLimits
}

/** Runs a script, or evaluates a condition to true or false, and returns how it ended. The machine is left as the script left it. */
export function runScript(sandbox: Sandbox, job: ScriptJob, read?: ReadKey): LuaAnswer {
  const isCondition = job.as === 'condition'
  const board = new ScriptBoard(job.board, read, isCondition)
  sandbox.begin(sandbox.image, job.file, job.limits, board)
  return describeEnd(sandbox, () => {
    const { machine, references } = sandbox
    const { engine, L } = machine
    sandbox.push(references.begin)
    pushValue(machine, job.ctx, references.emptyLists)
    callChunk(sandbox, 1)
    if (isCondition) compileCondition(sandbox, job.code, job.line)
    else compileChunk(sandbox, job.code, job.line)
    keepFrames(machine, false)
    const results = callChunk(sandbox)
    if (!isCondition) return readResults(sandbox, results)
    return results > 0 && engine.lua_toboolean(L, engine.lua_gettop(L) - results + 1) !== 0
  })
}

/** Scripts and conditions that are compiled and not run. */
export interface CheckJob {
  readonly texts: readonly CodeText[]
  /** The limits of each text. */
  readonly limits: CountedLimits
}

/** The text of a script or a condition. */
export interface CodeText {
  readonly code: string
  readonly as: 'script' | 'condition'
}

/** Compiles texts one after another. The value is a list with `[message, line]` for each that is not Lua, and null for each other one. */
export function checkTexts(sandbox: Sandbox, { texts, limits }: CheckJob): LuaAnswer {
  let steps = 0
  const mistakes = texts.map(({ code, as }): Json => {
    sandbox.begin(sandbox.image, 'code', limits)
    const answer = describeEnd(sandbox, () => {
      if (as === 'condition') compileCondition(sandbox, code, 1)
      else compileChunk(sandbox, code)
      return null
    })
    steps += answer.steps
    return answer.ok || answer.failure.kind !== 'syntax' ? null : [answer.failure.message, answer.failure.line ?? 1]
  })
  return { ok: true, value: mistakes, writes: [], printed: [], steps }
}
