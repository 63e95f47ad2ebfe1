import type { LuaPool } from '../lua/pool.ts'

/** Returns the pool of Lua, which is loaded and made with the first call. Its idle workers do not keep the process alive. */
export function lazyLua(): () => Promise<LuaPool> {
  let pool: Promise<LuaPool> | undefined
  return () => (pool ??= import('../lua/pool.ts').then(({ LuaPool: Pool }) => new Pool()))
}
