import { counted } from '../../protocol/plain.ts'
import { readAddress } from '../../runs/address.ts'
import { faults } from '../../runs/faults.ts'
import { driveRun } from '../drive-run.ts'
import { runHeader } from '../header.ts'
import type { ContinueFlags } from '../options.ts'
import type { Session } from '../session.ts'

/**
 * `reflex show RUN --follow`: shows what a run does from now on that another process carries on, until it ends, waits for somebody who is not
 * here, or the user leaves. Throws `R2031` for a record.
 */
export async function follow(session: Session, address: string, flags: ContinueFlags): Promise<number> {
  const { reflex } = session
  if (readAddress(address).at !== undefined)
    throw faults.make('R2031', `${address} is a record, and --follow shows what comes`, { fix: `leave @N or --follow out` })
  // One connection for all looks.
  if ((await reflex.useCluster(async () => true)) === true) await reflex.cluster()
  return driveRun(session, flags, {
    open: (prepare) => reflex.follow(address, { prepare }),
    header: (handle) => runHeader(session, handle, [counted(handle.run.state.n, 'record')], 'follows'),
  })
}
