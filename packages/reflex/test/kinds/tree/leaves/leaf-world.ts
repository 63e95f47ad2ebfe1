import { afterAll } from 'vitest'
import { type Difference, replay } from '../../../../src/kernel/run/replay.ts'
import type { JsonObject, Port } from '../../../../src/kernel/index.ts'
import { LuaPool } from '../../../../src/kinds/tree/lua/pool.ts'
import { scriptPort } from '../../../../src/kinds/tree/tick/script-port.ts'
import type { VirtualHost } from '../../../../src/testing/index.ts'
import type { Forest } from '../tick/tree-world.ts'

/** Real Lua for the tests of a file. */
export function luaPorts(): (host: VirtualHost) => Readonly<Record<string, Port>> {
  const pool = new LuaPool({ workers: 1 })
  afterAll(() => pool.close())
  return (host) => ({ script: scriptPort(() => Promise.resolve(pool), host) })
}

/** The types of the events of a tree so far. */
export function eventTypes({ events }: Forest): string[] {
  return events.map(([type]) => type)
}

/** The payloads of the events of one type. */
export function payloads({ events }: Forest, type: string): JsonObject[] {
  return events.filter(([name]) => name === type).map(([, payload]) => payload)
}

/** Decides all records of a tree again. Returns the record that differs; undefined if none does. */
export async function differenceOf({ runtime, run }: Forest): Promise<Difference | undefined> {
  const { records } = await runtime.history(run.id)
  return replay(records, runtime.programs).difference
}

/** Waits until something holds, without a limit of time: the limit of the test counts. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}
