import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Reflex } from '../packages/reflex/src/index.ts'
import { defineTool } from '../packages/reflex/src/tools/index.ts'
import type { Workflow } from '../packages/reflex/src/workflow/index.ts'
import { STORED_STEP } from './counting.ts'
import { openRaw } from './durable.ts'
import { alternate, type Contestant, type Line, type Rounds, timed, timesAsFast } from './measure.ts'
import { linear } from './workflows.ts'

const CALLS = 100
const CALL_MS = 5

/** Lets the event loop turn, and then takes 5 ms by the clock: what logging costs stands beside the call, and is not hidden behind it. */
async function busy(): Promise<string> {
  await new Promise((resolve) => setImmediate(resolve))
  const until = performance.now() + CALL_MS
  while (performance.now() < until);
  return 'done'
}

/** What leaves is on the disk before it is called; what only reads is written down within 20 ms. */
const TOOLS = {
  leaving: defineTool({ name: 'bench.send', description: 'Takes 5 ms', leaves: true, repeat: 'keyed', run: busy }),
  reading: defineTool({ name: 'bench.read', description: 'Takes 5 ms', leaves: false, repeat: 'free', run: busy }),
}

function calling(tool: string): Workflow {
  const row = linear('calls', CALLS)
  return { ...row, nodes: Object.fromEntries(Object.keys(row.nodes).map((id) => [id, { id, spec: { tool, writes: 'result' } }])) }
}

/** The same calls, bare or each after a step in a file of `node:sqlite`. */
function bare(name: string, keep: (step: number) => void): Contestant {
  return {
    name,
    round: () =>
      timed(async () => {
        for (let i = 0; i < CALLS; i++) {
          keep(i)
          await busy()
        }
      }),
  }
}

/** What it costs that calls of a tool are nodes of a run that is kept, beside the same calls bare. */
export async function logging(line: Line): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-bench-logging-'))
  const reflex = new Reflex({ store: join(folder, 'reflex.db'), workdir: folder, tools: Object.values(TOOLS) })
  const db = openRaw(join(folder, 'raw.db'))
  const insert = db.prepare('insert into steps values (?, ?, ?)')
  const kept = ({ name }: { readonly name: string }): Contestant => {
    const workflow = calling(name)
    return { name, round: () => timed(() => reflex.run(workflow)) }
  }
  let rows = 0
  try {
    const [nothing, raw, leaving, reading] = await alternate(
      [
        bare('bare', () => undefined),
        bare('raw', (step) => void insert.run(String(rows++), step, STORED_STEP)),
        kept(TOOLS.leaving),
        kept(TOOLS.reading),
      ],
      CALLS,
      10,
    )
    if (nothing === undefined || raw === undefined || leaving === undefined || reading === undefined) return
    const adds = (one: Rounds) => `${((1 / timesAsFast(one, nothing) - 1) * 100).toFixed(1)} %`
    line(`a tool call of ${CALL_MS} ms`, `${(nothing.ns / 1e6).toFixed(2)} ms`, 'bare')
    line('  logging adds to one that reads', adds(reading), 'aim under 5 %')
    line('  to one that leaves', adds(leaving), `aim under 5 %; one raw fsynced insert adds ${adds(raw)}`)
  } finally {
    db.close()
    await reflex.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
