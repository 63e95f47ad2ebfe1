/**
 * A worker of a cluster in a process of its own, as `reflex worker --cluster` is one: `node child.ts ORDER`, the order being JSON. Its tool
 * `note` writes what it does into a file, a line in one piece.
 */
import { appendFileSync, existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { joinCluster } from '../../reflex/src/app/cluster/work.ts'
import { thisProcess } from '../../reflex/src/app/host.ts'
import { Reflex } from '../../reflex/src/app/reflex.ts'
import { defineTool } from '../../reflex/src/tools/index.ts'
import type { ChildOrder } from './processes.ts'

/** Milliseconds after which a process that has not ended says why. */
const LATE_MS = 60_000

const { positionals } = parseArgs({ allowPositionals: true })
const order = JSON.parse(positionals[0] ?? '{}') as ChildOrder

const note = defineTool({
  name: 'note',
  description: 'Notes a step of a run.',
  leaves: true,
  repeat: order.repeat ?? 'keyed',
  needs: () => [],
  async run(args: { readonly step: string | number }, { run, key }) {
    const step = String(args.step)
    appendFileSync(order.world, `${JSON.stringify({ did: 'begun', run, step, key, pid: process.pid, at: Date.now() })}\n`)
    if (run === order.fatal) process.exit(1)
    do await new Promise((resolve) => setTimeout(resolve, order.toolMs))
    while (order.gate !== undefined && !existsSync(order.gate))
    appendFileSync(order.world, `${JSON.stringify({ did: 'ended', run, step, key, pid: process.pid, at: Date.now() })}\n`)
    return { step }
  },
})

const more = (order.moreTools ?? []).map((name) =>
  defineTool({ name, description: 'Is there.', leaves: false, repeat: 'free', needs: () => [], run: () => ({}) }),
)
const { aheadMs = 0 } = order
const here = thisProcess()
const { host } = here
const reflex = new Reflex({
  surroundings: {
    ...here,
    host: { ...host, now: () => host.now() + aheadMs, at: (time, callback, background) => host.at(time - aheadMs, callback, background) },
  },
  store: order.address,
  cluster: { slots: order.slots ?? 8 },
  leaseMs: order.leaseMs,
  workdir: order.workdir,
  tools: [...(order.tools ? [note] : []), ...more],
  onTrouble: (fault) => process.stderr.write(`${process.pid} ${fault.code} ${fault.message}\n`),
})
const member = await joinCluster(reflex, { grace: order.grace ?? 1000 })
process.send?.('joined')

process.once('message', () => {
  let phase = 'leaves'
  const report = (): void => {
    const open = [...reflex.runtime.openRuns.keys()].join(' ')
    process.stderr.write(
      `${process.pid} has not ended: it ${phase}, its open runs: ${open}; ${process.getActiveResourcesInfo().join(' ')}\n`,
    )
  }
  setTimeout(report, LATE_MS).unref()
  void (async () => {
    const left = member.leave()
    process.send?.('leaves')
    await left
    phase = 'closes'
    await reflex.close()
    phase = 'is closed'
    process.disconnect()
  })()
})
