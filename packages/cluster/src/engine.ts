import { DBOS, DBOSClient, type DLogger } from '@dbos-inc/dbos-sdk'
import type { Pool } from 'pg'
import type { Host } from 'reflex-runtime/kernel'
import type { Connection } from './connection.ts'
import { patientPool, promptPool, revealed, withMethods } from './pools.ts'
import { APPLICATION, TURN } from './sql/names.ts'

/** Milliseconds between two looks of a worker at a queue: half of it is what dispatch adds to the delay of a turn. */
const POLL_MS = 100
/** Milliseconds between two looks at the queue of recovered turns: these have waited for a lease. */
const RECOVERED_POLL_MS = 500
/** The end of the names of queues for turns whose worker died. */
const RECOVERED = ':recovered'
/** The most turns of dead workers that one worker takes at once, besides its slots. */
const RECOVERED_SLOTS = 16
/** Milliseconds. Whoever wants to end earlier lets the carriers of the turns end. */
const LONGEST_DRAIN_MS = 86_400_000
/** The most finished workflows that are forgotten at once. */
const FORGOTTEN = 500

/** What DBOS does for a process that takes turns. */
export interface EngineParts {
  readonly connection: Connection
  readonly host: Host
  readonly schema: string
  readonly worker: string
  readonly version: string
  readonly queues: readonly string[] | undefined
  /** The most turns of a queue that this worker takes at once. */
  readonly slots: number
  readonly turn: (run: string, number: number) => Promise<void>
  readonly onTrouble: (text: string) => void
}

/** Starts DBOS in this process. It executes the turns that the cluster has admitted for this version. */
export async function launchEngine({
  connection,
  host,
  schema,
  worker,
  version,
  queues,
  slots,
  turn,
  onTrouble,
}: EngineParts): Promise<void> {
  DBOS.setConfig({
    name: APPLICATION,
    systemDatabaseUrl: connection.url,
    systemDatabasePool: poolWith(slots, patientPool(connection.pool, host)),
    systemDatabaseSchemaName: schema,
    executorID: worker,
    applicationVersion: version,
    useListenNotify: false,
    // DBOS warns of a worker whose version is not the latest, and of nothing else by this name: here workers have several versions at once.
    logger: quietLogger((text) => (text.includes(version) ? undefined : onTrouble(text))),
    maxConcurrentQueueDispatches: 2,
    ...(queues === undefined ? {} : { listenQueues: queues.flatMap((name) => [name, recoveredQueue(name)]) }),
  })
  DBOS.registerWorkflow(turn, { name: TURN, maxRecoveryAttempts: 1_000_000 })
  await DBOS.launch()
}

/** Makes DBOS look at a queue. Others notice it within seconds, each with its own slots. */
export async function addQueue(name: string, slots: number): Promise<void> {
  await DBOS.registerQueue(name, queueOf(slots, POLL_MS))
  await DBOS.registerQueue(recoveredQueue(name), queueOf(RECOVERED_SLOTS, RECOVERED_POLL_MS))
}

/**
 * Returns the queue of the turns of a queue whose worker died. It has room of its own, so that they never wait for turns that are under way. No queue of
 * an operator has such a name.
 */
function recoveredQueue(name: string): string {
  return `${name}${RECOVERED}`
}

/** Ends DBOS in this process: it begins nothing more, and waits for the turns under way. */
export async function stopEngine(): Promise<void> {
  await DBOS.shutdown({ deregister: true, workflowCompletionTimeoutMS: LONGEST_DRAIN_MS })
}

function queueOf(slots: number, pollMs: number) {
  return { partitionConcurrency: 1, workerConcurrency: slots, minPollingIntervalMs: pollMs, onConflict: 'always_update' } as const
}

/**
 * Returns the pool of a worker as DBOS uses it: a queue has the slots of this worker. DBOS reads the number in the row of the queue, which is one for
 * all workers: that of the worker that joined last.
 */
function poolWith(slots: number, pool: Pool): Pool {
  const query = async (text: string, values?: unknown[]): Promise<unknown> => {
    const result = await pool.query<QueueRow>(text, values)
    for (const row of result.rows)
      if (row.name?.endsWith(RECOVERED) === false && 'worker_concurrency' in row) row.worker_concurrency = slots
    return result
  }
  return withMethods(pool, { query })
}

/** A row of the table `queues` of DBOS. Rows of other tables have no slots. */
interface QueueRow {
  readonly name?: string
  worker_concurrency?: number
}

/** What a process that takes no turns, or takes them, asks of DBOS about all of them. */
export class Engine {
  readonly #client: DBOSClient

  private constructor(client: DBOSClient) {
    this.#client = client
  }

  static async open({ url, pool }: Connection, schema: string): Promise<Engine> {
    const client = await DBOSClient.create({
      systemDatabaseUrl: url,
      systemDatabasePool: promptPool(pool),
      systemDatabaseSchemaName: schema,
      applicationName: APPLICATION,
      logger: quietLogger(() => undefined),
    })
    return new Engine(client)
  }

  /** Hands turns of dead workers to the living ones that take turns of a queue. */
  async recover(turns: readonly TurnId[], queue: string): Promise<void> {
    await revealed(this.#client.resumeWorkflows(turns.map(workflowOf), { queueName: recoveredQueue(queue) }))
  }

  /** Returns the turns that workers have taken and not ended: at most so many that further ones are returned by a later call, once these are dealt with. */
  async takenBy(workers: readonly string[]): Promise<readonly TurnId[]> {
    if (workers.length === 0) return []
    const pending = await revealed(
      this.#client.listWorkflows({
        status: 'PENDING',
        executorId: [...workers],
        limit: FORGOTTEN,
        loadInput: false,
        loadOutput: false,
      }),
    )
    return pending.map(({ workflowID }) => turnOf(workflowID))
  }

  /** Makes workers no longer look at a queue. */
  async removeQueue(name: string): Promise<void> {
    for (const queue of [name, recoveredQueue(name)]) await revealed(this.#client.deleteQueue(queue))
  }

  /** Takes turns back from the queues. */
  async cancel(turns: readonly TurnId[]): Promise<void> {
    if (turns.length > 0) await revealed(this.#client.cancelWorkflows(turns.map(workflowOf)))
  }

  /** Forgets what ended before a time, in milliseconds since the epoch. Returns the number. */
  async forget(before: number): Promise<number> {
    const ended = await revealed(
      this.#client.listWorkflows({
        status: ['SUCCESS', 'ERROR', 'CANCELLED'],
        completedBefore: new Date(before).toISOString(),
        limit: FORGOTTEN,
        loadInput: false,
        loadOutput: false,
      }),
    )
    const ids = ended.map(({ workflowID }) => workflowID)
    if (ids.length > 0) await revealed(this.#client.deleteWorkflows(ids))
    return ids.length
  }

  async close(): Promise<void> {
    await this.#client.destroy()
  }
}

/** A run, and the number of one of its turns. */
export type TurnId = readonly [run: string, number: number]

function workflowOf([run, number]: TurnId): string {
  return `${run}:${number}`
}

/** Returns the turn that a workflow carries out: its id is `RUN:NUMBER`. */
function turnOf(workflow: string): TurnId {
  const end = workflow.lastIndexOf(':')
  return [workflow.slice(0, end), Number(workflow.slice(end + 1))]
}

/** DBOS writes to the console by default. What it warns of is reported; its errors are those of a turn, which are reported where they arise. */
function quietLogger(onTrouble: (text: string) => void): DLogger {
  const report = (entry: unknown): void => onTrouble(entry instanceof Error ? entry.message : String(entry))
  return { info: () => undefined, debug: () => undefined, warn: report, error: report }
}
