import { afterAll } from 'vitest'
import type { Host, Json, JsonObject } from '../../../../src/kernel/index.ts'
import type { LuaLimits } from '../../../../src/kinds/tree/lua/limits.ts'
import { LuaPool, type LuaPoolOptions, type LuaResult, type RunRequest } from '../../../../src/kinds/tree/lua/pool.ts'

export const FILE = 'trees/test.lua'

/** A clock on which every time limit is reached after so many turns of the event loop, however long they take. */
export function hastyHost(turns: number): Pick<Host, 'now' | 'at'> {
  return {
    now: () => 0,
    at(_time, callback) {
      let left = turns
      let isCancelled = false
      const turn = (): void => {
        if (isCancelled) return
        if (--left > 0) setImmediate(turn)
        else callback()
      }
      setImmediate(turn)
      return () => {
        isCancelled = true
      }
    },
  }
}

/** A clock that never reaches a time limit. */
export const patientHost: Pick<Host, 'now' | 'at'> = { now: () => 0, at: () => () => undefined }

/** A pool that is closed after the tests of the file. */
export function testPool(options: LuaPoolOptions = { host: patientHost }): LuaPool {
  const pool = new LuaPool(options)
  afterAll(() => pool.close())
  return pool
}

export interface Given {
  readonly board?: JsonObject
  readonly ctx?: JsonObject
  readonly as?: 'script' | 'condition'
  readonly line?: number
  readonly limits?: LuaLimits
  readonly read?: (key: string) => Json | undefined
  readonly signal?: AbortSignal
}

export function request(code: string, { board = {}, ctx = {}, as = 'script', line = 1, ...rest }: Given = {}): RunRequest {
  return { code, file: FILE, line, board, ctx, as, ...rest }
}

/** Runs a script and returns its value. Throws the message of its fault. */
export async function value(pool: LuaPool, code: string, given: Given = {}): Promise<Json> {
  const result = await pool.run(request(code, given))
  if (!result.ok) throw new Error(`${result.fault.code} ${result.fault.message}`)
  return result.value
}

/** Returns the fault of a script. Throws if it has none. */
export async function fault(pool: LuaPool, code: string, given: Given = {}): Promise<Extract<LuaResult, { ok: false }>['fault']> {
  const result = await pool.run(request(code, given))
  if (result.ok) throw new Error(`the script has succeeded: ${JSON.stringify(result)}`)
  return result.fault
}
