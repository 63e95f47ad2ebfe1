import type { RunFacts } from '../ports/settings.ts'
import type { Run } from './run.ts'

/** A run as the code around it sees it, whichever process carries it on: a `Run` of this process, or one that this process only follows. */
export type OpenRun<S extends RunFacts = RunFacts> = Pick<
  Run<S>,
  | 'id'
  | 'state'
  | 'settings'
  | 'definitions'
  | 'durable'
  | 'status'
  | 'atRest'
  | 'isLost'
  | 'observe'
  | 'subscribe'
  | 'idle'
  | 'hasNextRecord'
  | 'answer'
  | 'message'
  | 'cancel'
  | 'command'
  | 'pull'
  | 'block'
  | 'release'
  | 'drain'
  | 'close'
  | 'leave'
>
