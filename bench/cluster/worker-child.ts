/**
 * A worker of the benchmark of clusters in a process of its own: `node worker-child.ts ORDER`, the order being JSON. It says `ready`, begins
 * with the first message from its parent, and ends with the second. Each effect writes one line into a file.
 */
import { DBOS } from '@dbos-inc/dbos-sdk'
import { appendFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { joinCluster } from '../../packages/reflex/src/app/cluster/work.ts'
import { Reflex } from '../../packages/reflex/src/app/reflex.ts'
import { work } from '../../packages/reflex/src/app/worker.ts'
import { noteTool } from './steps-program.ts'

/** The order that a worker gets on its command line. */
export interface WorkerOrder {
  readonly as: 'cluster' | 'worker' | 'dbos'
  readonly address: string
  readonly world: string
  readonly slots: number
  /** Milliseconds that an effect takes. Default: none. */
  readonly effectMs?: number
}

const order = JSON.parse(process.argv[2] ?? '{}') as WorkerOrder

// A worker whose parent has died would try to reach its server for ever.
process.once('disconnect', () => process.exit())

function told(): Promise<void> {
  return new Promise((resolve) => void process.once('message', () => resolve()))
}

async function inReflex(): Promise<void> {
  // The files of the work folder are looked through before and after some tools: the folder of the benchmark has few.
  const reflex = new Reflex({
    store: order.address,
    workdir: dirname(order.world),
    tools: [noteTool(order.world, order.effectMs)],
    ...(order.as === 'cluster' ? { cluster: true } : {}),
  })
  if (order.as === 'cluster') {
    const member = await joinCluster(reflex, { slots: order.slots })
    process.send?.('ready')
    await told()
    await told()
    await member.leave()
  } else {
    await reflex.runtime.register()
    process.send?.('ready')
    await told()
    const stop = new AbortController()
    const ended = work(reflex, { maxRuns: order.slots, signal: stop.signal })
    await told()
    stop.abort()
    await ended
  }
  await reflex.close()
}

/** The floor: a workflow of three steps, each recorded by the engine itself. */
async function inEngine(): Promise<void> {
  const three = async (run: string): Promise<void> => {
    for (const step of ['one', 'two', 'three'])
      await DBOS.runStep(async () => appendFileSync(order.world, `${JSON.stringify({ run, step })}\n`), { name: step })
  }
  DBOS.registerWorkflow(three, { name: 'three' })
  DBOS.setConfig({
    name: 'floor',
    systemDatabaseUrl: order.address,
    systemDatabaseSchemaName: 'floor',
    executorID: `p${process.pid}`,
    applicationVersion: '1',
    useListenNotify: false,
    logLevel: 'error',
  })
  await DBOS.launch()
  process.send?.('ready')
  await told()
  await DBOS.registerQueue('floor', {
    partitionConcurrency: 1,
    workerConcurrency: order.slots,
    minPollingIntervalMs: 100,
    onConflict: 'always_update',
  })
  await told()
  await DBOS.shutdown()
}

await (order.as === 'dbos' ? inEngine() : inReflex())
process.disconnect()
