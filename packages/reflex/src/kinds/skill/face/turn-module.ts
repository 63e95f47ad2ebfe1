import type { LazyKindModule } from '../../../programs/kind-module.ts'
import type { RunOptionTable } from '../../../programs/run-options.ts'
import type { TurnSource } from '../model/turn.ts'
import { faults } from '../turn/faults.ts'
import { turnNames } from './turn-names.ts'

/** The kind of the turns of wrapped agents: `reflex.wrap` starts them, and only the process of the agent continues them. */
export const turnModule: LazyKindModule<'turn', undefined, TurnSource, RunOptionTable, never> = {
  name: 'turn',
  language: turnNames,
  faults: [faults],
  uses: [],
  isHosted: true,
  load: async () => (await import('./turn-body.ts')).turnBody,
}
