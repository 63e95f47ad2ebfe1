import type { ListenOptions, RunHandle } from './handle.ts'
import {
  type Host,
  isFault,
  keptRecords,
  type Message,
  readRecords,
  type RunRow,
  type RunStatus,
  type Runtime,
  type Store,
  type Worker,
} from '../kernel/index.ts'
import type { ProgramViewer } from '../programs/kinds.ts'
import { type PossibleEffect, possibleEffects } from './possible-effects.ts'

/** Options for a cancellation. */
export interface CancelOptions extends ListenOptions {
  /** The reason, for the journal. */
  readonly reason?: string
  /** The name of the person or program that cancels the run, for the journal. */
  readonly by?: string
  /** Milliseconds to wait for the process that owns the run. Default 10,000. With 0, the cancellation is only requested. */
  readonly wait?: number
  /** Called before the wait, when another process has been asked to cancel the run. */
  readonly requested?: (owner: Worker) => void
}

/**
 * The state after a cancellation. `cancelled`: the run has ended by this cancellation. `cancelling`: the cancellation is
 * recorded, and programs of the run still run compensation steps. `requested`: the process that owns the run has not read the
 * request yet; the request is durable in the inbox, and a process that continues the run reads it first. `late`: the run had
 * ended in another way before.
 */
export type CancelOutcome = 'cancelled' | 'cancelling' | 'requested' | 'late'

/** The result of a cancellation. */
export interface CancelResult {
  readonly run: string
  readonly did: CancelOutcome
  readonly status: RunStatus
  /** The number of the record that cancelled the run. */
  readonly record?: number
  /** The run, if this process owns it now. */
  readonly handle?: RunHandle
  /** The process that owned the run and was asked to stop it. `message` is the name of the request in the inbox. */
  readonly holder?: Worker
  readonly message?: string
  /**
   * Effects that were in flight when the run was cancelled and may have happened. Absent if this process cannot read the journal
   * of a run of another process.
   */
  readonly effects?: readonly PossibleEffect[]
}

/** The parts of the front object that cancelling needs. */
export interface CancelWorld extends ProgramViewer {
  readonly store: Store
  readonly runtime: Runtime
  readonly host: Host
  readonly actor: string
  /** Opens the run and calls `prepare` before any effect is performed. Undefined if another process owns the run. */
  open(run: string, prepare: (handle: RunHandle) => void): Promise<RunHandle | undefined>
  /** Adds a message to the inbox of a run. Returns the name of the message in the inbox. */
  post(run: string, message: Pick<Message, 'type' | 'to' | 'body' | 'by'>): Promise<string>
}

const WAIT_MS = 10_000
/** Milliseconds between two checks of a run that another process must stop. */
const POLL_MS = 100

/** Cancels a run that has not ended. If another process owns the run, adds a request to its inbox and waits for that process. */
export async function cancelStored(world: CancelWorld, { id: run, owner }: RunRow, options: CancelOptions): Promise<CancelResult> {
  const { reason = 'cancelled', by = world.actor } = options
  const open = (): Promise<RunHandle | undefined> => world.open(run, (made) => (blockRun(made), options.prepare?.(made)))
  const handle = await open()
  if (handle !== undefined) {
    const record = await cancelOpen(handle, reason, by)
    return { ...(await outcomeOf(world, run, record)), handle }
  }
  const message = await world.post(run, { type: 'cancel', to: '', body: reason, by })
  const holder = owner ?? undefined
  if (holder !== undefined) options.requested?.(holder)
  const opened = await waitForStop(world, run, open, options.wait ?? WAIT_MS)
  const outcome = await outcomeOf(world, run, await cancelRecord(world, run))
  return { ...outcome, message, ...(holder === undefined ? {} : { holder }), ...(opened === undefined ? {} : { handle: opened }) }
}

/** Stops a run that is opened only to be cancelled: it makes no step before, and no effect that was in flight is performed again. */
export function blockRun({ run }: RunHandle): void {
  run.block(() => true)
}

/** Cancels a run that this process owns and performs the compensation steps of its programs. Resolves with the number of the record. */
export async function cancelOpen(handle: RunHandle, reason: string, by: string): Promise<number> {
  try {
    return await handle.run.cancel(reason, by)
  } finally {
    releaseRun(handle)
  }
}

function releaseRun({ run }: RunHandle): void {
  run.block(undefined)
  while (run.release());
}

/**
 * Waits until the run has ended or the time is over. If the owner releases the run during the wait, this process opens the run,
 * which reads the cancellation from the inbox.
 */
async function waitForStop(
  { store, host }: CancelWorld,
  run: string,
  open: () => Promise<RunHandle | undefined>,
  wait: number,
): Promise<RunHandle | undefined> {
  const until = host.now() + wait
  let handle: RunHandle | undefined
  while (host.now() < until) {
    const row = (await store.read(run, 0))?.row
    if (row === undefined || hasEnded(row.status)) break
    if (row.owner === null && handle === undefined) {
      handle = await open().catch(ignoreEnded)
      if (handle !== undefined) releaseRun(handle)
    }
    await new Promise<void>((resolve) => void host.at(host.now() + POLL_MS, resolve))
  }
  return handle
}

function ignoreEnded(thrown: unknown): undefined {
  if (!isFault(thrown) || thrown.code !== 'R2001') throw thrown
}

async function outcomeOf(
  world: CancelWorld,
  run: string,
  record: number | undefined,
): Promise<Pick<CancelResult, 'run' | 'did' | 'status' | 'record' | 'effects'>> {
  const { store, runtime } = world
  const status = (await store.read(run, 0))?.row.status ?? 'cancelled'
  const effects = await runtime.peek(run, record === undefined ? undefined : record - 1).then(
    ({ state }) =>
      possibleEffects({ run, settings: runtime.settingsOf(state), state, definitions: world.programsOf(state) }, runtime.ports),
    // The run is cancelled; its owner has programs that this process does not have.
    () => undefined,
  )
  const did = status === 'cancelled' ? 'cancelled' : hasEnded(status) ? 'late' : record === undefined ? 'requested' : 'cancelling'
  return { run, did, status, ...(record === undefined ? {} : { record }), ...(effects === undefined ? {} : { effects }) }
}

/** Returns the number of the record that cancelled a run. */
async function cancelRecord({ store }: CancelWorld, run: string): Promise<number | undefined> {
  let found: number | undefined
  const { first } = await keptRecords(store, run)
  for await (const [n, { input }] of readRecords(store, run, first)) if (input?.[0] === 'kernel' && input[1] === 'cancel') found = n
  return found
}

function hasEnded(status: RunStatus): boolean {
  return status !== 'running' && status !== 'suspended'
}
