import { join } from 'node:path'
import { fixedSettings, type Json, type Program, type Run, Runtime } from '../../src/kernel/index.ts'
import type { Reflex } from '../../src/app/reflex.ts'
import type { RunSettings } from '../../src/policy/index.ts'
import { settingsWith } from '../policy/settings.ts'

/**
 * Starts a run whose journal says of its settings what somebody else has made up: it is written as it is given, without the proofs that a
 * `Reflex` adds. The run itself is untrusted.
 */
export async function startForged({ runtime, store, host, workdir, home }: Reflex, program: Program, by: Json, id: string): Promise<Run> {
  const settings = settingsWith({ trust: 'untrusted', workdir, folder: join(home, 'runs', 'forged') })
  const forging = new Runtime<RunSettings>({
    kinds: [runtime.programs.kind(program.kind)],
    ports: Object.fromEntries(runtime.ports),
    ...(runtime.policy === undefined ? {} : { policy: runtime.policy }),
    settings: { ...fixedSettings(() => settings), write: () => by },
    store,
    host,
    worker: { id: 'forger', host: '', pid: 0 },
  })
  const { kind, name, source, def } = program
  const known = forging.programs.add(kind, name.slice(kind.length + 1), source, { def })
  const run = await forging.start(known, { id, settings })
  await run.idle()
  await forging.close()
  return run
}
