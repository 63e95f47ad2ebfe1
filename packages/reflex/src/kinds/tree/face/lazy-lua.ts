import type { LuaRunner } from '../tick/script-port.ts'

/** Returns the pool of Lua, which is loaded and made with the first call. Its idle workers do not keep the process alive. */
export function lazyLua(): () => Promise<LuaRunner> {
  let pool: Promise<LuaRunner> | undefined
  return () => (pool ??= import('../lua/pool.ts').then(({ LuaPool }) => new LuaPool()))
}
