import { LuaFactory } from 'wasmoon'
import { LuaPool, type RunRequest } from '../../packages/reflex/src/kinds/tree/lua/pool.ts'
import { type Line, median } from '../measure.ts'

const TIMES = 300

/** A script with its limits in a worker, an empty one, and the same function called in the engine of another package without any limit. */
export async function scripts(line: Line): Promise<void> {
  const code = 'local n = 0 for i = 1, 100 do n = n + i end return { n = n, left = bb.battery - 1 }'
  const pool = new LuaPool({ workers: 1 })
  const engine = await new LuaFactory().createEngine()
  try {
    const run = async (text: string): Promise<void> => {
      const request: RunRequest = { code: text, as: 'script', file: 'bench.lua', line: 1, board: { battery: 70 }, ctx: {} }
      const result = await pool.run(request)
      if (!result.ok) throw new Error(result.fault.message)
    }
    await engine.doString(`function own() local bb = { battery = 70 } ${code} end`)
    const own = engine.global.get('own') as () => unknown
    const took = [
      await perCall(() => run(code)),
      await perCall(() => run('return nil')),
      await perCall(() => {
        own()
        return Promise.resolve()
      }),
    ].map((us) => `${us.toFixed(0)} us`)
    line(
      'script of 100 rounds, in its worker',
      took[0] ?? '',
      `an empty one takes ${took[1]}; the function alone in wasmoon, without limits, ${took[2]}`,
    )
  } finally {
    engine.global.close()
    await pool.close()
  }
}

async function perCall(work: () => Promise<unknown>): Promise<number> {
  const taken: number[] = []
  for (let i = 0; i < 2 * TIMES; i++) {
    const from = performance.now()
    await work()
    if (i >= TIMES) taken.push((performance.now() - from) * 1000)
  }
  return median(taken)
}
