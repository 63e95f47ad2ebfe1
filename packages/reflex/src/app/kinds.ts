import { dataflowModule } from '../kinds/dataflow/face/module.ts'
import { pipelineModule } from '../kinds/pipeline/face/module.ts'
import { skillModule } from '../kinds/skill/face/module.ts'
import { turnModule } from '../kinds/skill/face/turn-module.ts'
import { treeModule } from '../kinds/tree/face/module.ts'
import { workflowModule } from '../kinds/workflow/face/module.ts'
import { Kinds } from '../programs/kinds.ts'

/** Every kind that a `Reflex` has unless it is given others: `new Reflex({ kinds: [...KINDS, mine] })`. */
export const KINDS = [
  workflowModule(async () => (await import('../agents/decision-agents.ts')).decisionAgents),
  pipelineModule,
  treeModule,
  dataflowModule,
  skillModule,
  turnModule,
] as const

/** The default kinds by name, for code without a `Reflex`. They have no readers. */
export const BUILT_IN = new Kinds(KINDS)
