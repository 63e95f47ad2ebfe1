import type { LuaPool } from '../lua/pool.ts'

/** A pool of Lua, which is loaded and made with the first call. Its idle workers do not keep the process alive. */
export interface LazyLua {
  pool(): Promise<LuaPool>
  /** Ends the workers, if there are any. The pool takes no calls afterwards. */
  close(): Promise<void>
}

export function lazyLua(): LazyLua {
  let made: Promise<LuaPool> | undefined
  const pool = (): Promise<LuaPool> => (made ??= import('../lua/pool.ts').then(({ LuaPool: Pool }) => new Pool()))
  let isClosed = false
  return {
    async pool() {
      const lua = await pool()
      if (isClosed) await lua.close()
      return lua
    },
    async close() {
      isClosed = true
      await (await made)?.close()
    },
  }
}
