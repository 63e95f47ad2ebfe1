/** Spreads the runs of a store in Postgres over many workers, on the durable-execution engine DBOS. */
export { findCluster, openCluster } from './cluster.ts'
