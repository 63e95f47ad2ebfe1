import { isFault } from '../../kernel/index.ts'
import { type Cluster, isCallQueue, noQueue } from '../../store/index.ts'
import { suggest } from '../../text/index.ts'

/** Throws `R5106` for queues that do not exist, the first of them with the one that was probably meant. */
export async function requireQueues(cluster: Cluster, names: readonly string[]): Promise<void> {
  const known = (await cluster.queues()).map(({ name }) => name)
  const missing = names.find((name) => !known.includes(name))
  if (missing === undefined) return
  const queues = known.filter((name) => isCallQueue(name) === isCallQueue(missing))
  throw noQueue(missing, queues, suggest(missing, queues))
}

/** Does something in a queue. A refusal because the queue does not exist names the one that was probably meant. */
export async function inQueue<T>(cluster: Cluster, name: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    if (name !== undefined && isFault(thrown) && thrown.code === 'R5106') await requireQueues(cluster, [name])
    throw thrown
  }
}
