import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Reflex } from '../packages/reflex/src/index.ts'
import type { Line } from './measure.ts'

const SIZES = [1_000, 3_000, 18_000]

/** A pipeline that visits two nodes again and again; each visit leaves files in the folder of its run. */
const rounds = (records: number): string => `digraph long { max_node_visits=0; max_steps=1000000
  start [shape=Mdiamond, context.rounds=0]
  round [type=transform, transform=increment, source_key="rounds", output_key="rounds"]
  say [prompt="round {ctx.rounds}", simulate="true"]
  done [shape=Msquare]
  start -> round -> say
  say -> done [condition="context.rounds=${records / 2}"]
  say -> round }`

/** Processor time of this process in microseconds: machines are shared, and folders are written beside the event loop. */
async function used(work: () => Promise<unknown>): Promise<number> {
  const from = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(from)
  return user + system
}

/** Long runs: what a record costs with its run folder, and what it costs to go back over all of them. */
export async function long(line: Line): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-long-'))
  const reflex = new Reflex({ workdir: folder, store: join(folder, 'store.db') })
  try {
    const costs: number[] = []
    for (const records of SIZES) {
      const file = join(folder, `long-${records}.dot`)
      writeFileSync(file, rounds(records))
      const logs = join(folder, `logs-${records}`)
      const cost = (await used(() => reflex.run(file, { id: `long-${records}`, pipeline: { logs, maxSteps: 1_000_000 } }))) / records
      costs.push(cost)
      line(`pipeline of ${records.toLocaleString('en-US')} records, with its folder`, `${cost.toFixed(0)} us`, 'processor time a record')
    }
    line('  cost at 18,000 records over that at 1,000', ((costs[2] ?? 0) / (costs[0] ?? 1)).toFixed(2), 'aim at most 1')
    const replay = await used(() => reflex.replay('long-18000'))
    const why = await used(() => reflex.why('long-18000', 'rounds'))
    line('why over replay, 18,000 records', (why / replay).toFixed(2), `aim below 1; ${(why / 1e6).toFixed(1)} s`)
  } finally {
    await reflex.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
