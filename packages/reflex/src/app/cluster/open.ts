import { isFault } from '../../kernel/index.ts'
import type { Cluster, ClusterOptions, ClusterPackage } from '../../store/index.ts'
import { memberFaults } from './faults.ts'

const PACKAGE = 'reflex-runtime-cluster'

/** Loads the package for the cluster of a store in Postgres. Throws `R5140` if it is missing or cannot be loaded. */
async function loadClusters(): Promise<ClusterPackage> {
  // A name in a variable: the compiler must not look for a package that is often not there.
  const name = PACKAGE
  let loaded: Partial<ClusterPackage>
  try {
    loaded = (await import(/* @vite-ignore */ name)) as Partial<ClusterPackage>
  } catch (cause) {
    if (isFault(cause)) throw cause
    throw memberFaults.make('R5140', `the package ${PACKAGE} cannot be loaded`, { cause, fix: `npm install ${PACKAGE}` })
  }
  const { openCluster, findCluster } = loaded
  if (openCluster !== undefined && findCluster !== undefined) return { openCluster, findCluster }
  throw memberFaults.make('R5140', `the package ${PACKAGE} is of another version than Reflex`, { fix: `npm install ${PACKAGE}@latest` })
}

/** Throws `R5141` for a store whose address is not one of Postgres. */
function requirePostgres(address: string | undefined, storeName: string): void {
  if (address === undefined || !isPostgres(address))
    throw memberFaults.make('R5141', `the store ${storeName} is not in Postgres, or its address is not known`)
}

function isPostgres(address: string): boolean {
  return /^postgres(ql)?:/i.test(address)
}

/** The parts of a process that a cluster needs. */
export interface ClusterPlace extends ClusterOptions {
  /** The address of the store, if it was named by one. */
  readonly address: string | undefined
  readonly storeName: string
  /** The engine that the application brings; absent: that of the package, which needs Postgres. */
  readonly clusters?: ClusterPackage | undefined
}

/** Returns the cluster of a store if it has one, and changes nothing. Undefined also for a store outside Postgres, and without the package. */
export async function findCluster({ address, storeName, clusters, host }: ClusterPlace): Promise<Cluster | undefined> {
  if (clusters !== undefined) return clusters.findCluster(address ?? storeName, { host })
  if (address === undefined || !isPostgres(address)) return undefined
  const loaded = await loadClusters().catch((thrown: unknown) => {
    if (isFault(thrown) && thrown.code === 'R5140') return undefined
    throw thrown
  })
  return loaded?.findCluster(address, { host })
}

/** The cluster of one store, opened when it is first needed: the store comes first, because the cluster stands beside its tables. */
export class ClusterConnection {
  readonly #place: ClusterPlace
  readonly #openStore: () => Promise<unknown>
  #opened: Promise<Cluster> | undefined

  /** `openStore` creates the tables of the store, if they are not there. */
  constructor(place: ClusterPlace, openStore: () => Promise<unknown>) {
    this.#place = place
    this.#openStore = openStore
  }

  /** Throws `R5140`, `R5141` and the faults of `openCluster`; a later call tries again. */
  open(): Promise<Cluster> {
    this.#opened ??= this.#open().catch((thrown: unknown) => {
      this.#opened = undefined
      throw thrown
    })
    return this.#opened
  }

  async #open(): Promise<Cluster> {
    const { address, storeName, host, clusters } = this.#place
    if (clusters === undefined) requirePostgres(address, storeName)
    const engine = clusters ?? (await loadClusters())
    await this.#openStore()
    return engine.openCluster(address ?? storeName, { host })
  }

  /** Uses the cluster of the store if there is one, and changes nothing; undefined otherwise. Throws the faults of `findCluster`. */
  async use<T>(work: (cluster: Cluster) => Promise<T>): Promise<T | undefined> {
    const opened = await this.#opened
    if (opened !== undefined) return work(opened)
    const found = await findCluster(this.#place)
    try {
      return found === undefined ? undefined : await work(found)
    } finally {
      await found?.close()
    }
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined)
    this.#opened = undefined
    await opened?.close()
  }
}
