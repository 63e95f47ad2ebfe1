import { modelsByRun } from './run-agents.ts'
import { ledgerPort, type Port } from '../kernel/index.ts'
import type { InstalledKinds } from './install-kinds.ts'
import { labelledDecisions } from './labelled-decisions.ts'
import { modelPort } from '../models/index.ts'
import { requestOfCall } from '../kinds/pipeline/contract/conversation.ts'
import type { KindWorld } from '../programs/kind-module.ts'
import type { RunSettings } from '../policy/index.ts'

/** The names of the ports of the house. */
export const HOUSE_PORTS: readonly string[] = ['model', 'ledger']

/** The ports of all runs. Each port says what it does in a simulated run; models are chosen by the run. */
export function portsOf(world: KindWorld, kinds: InstalledKinds): Readonly<Record<string, Port<RunSettings>>> {
  const { host, store, models, simulated, redact, labels, isProgram, reserved } = world
  const { decide } = kinds.ports
  const modelsOf = modelsByRun({ real: { models }, simulated, redact })
  return {
    model: modelPort(({ settings }: { readonly settings: RunSettings }) => modelsOf(settings), requestOfCall),
    ledger: ledgerPort(store, host),
    ...kinds.ports,
    ...(decide === undefined ? {} : { decide: labelledDecisions(decide, { labels, isProgram, hidden: reserved, now: () => host.now() }) }),
  }
}
