/** Stores keep journals, programs, ledgers, blobs and inboxes. */
export type {
  AppendConflict,
  Appended,
  AppendOptions,
  Awaitable,
  Base,
  Batch,
  Claim,
  CommitWatch,
  Compaction,
  LatestEntries,
  LeaseOwner,
  InboxMessage,
  Lease,
  LedgerEntry,
  Message,
  NewEntry,
  OpeningSnapshot,
  OpenWait,
  PackResult,
  RunFilter,
  RunRow,
  RunStatus,
  Segment,
  Store,
  StoredBatch,
  StoredProgram,
  StoredRun,
  StoredSegment,
  Worker,
} from '../kernel/index.ts'
export { openStore } from './open-store.ts'
export { faults } from './faults.ts'
export { memoryStore } from './memory.ts'
export { openPostgres } from './postgres/postgres.ts'
export type { PostgresOptions } from './postgres/connection.ts'
export { postgresFaults } from './postgres/faults.ts'
export { parsePostgresAddress, type PostgresAddress } from './postgres/address.ts'
export { checkSessions } from './postgres/session.ts'
export type * from './cluster.ts'
export { clusterFaults } from './cluster-faults.ts'
export { anyOf, checkClusterName, checkQueueName, checkTurnQueue, CLUSTER_NAME, isCallQueue, noQueue, OR } from './cluster-names.ts'
export { type FileStore, openSqlite, type SqliteOptions } from './sqlite.ts'
