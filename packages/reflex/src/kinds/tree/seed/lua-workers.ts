import type { LuaPool } from '../lua/pool.ts'

let pool: Promise<LuaPool> | undefined

/** Returns the workers of Lua that all trees in memory share. They start with the first use and keep no process alive. */
export function luaWorkers(): Promise<LuaPool> {
  return (pool ??= import('../lua/pool.ts').then(({ LuaPool: Pool }) => new Pool()))
}
