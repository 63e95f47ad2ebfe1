import { simulatedAgents } from './simulating.ts'
import { pipelineModule } from '../kinds/pipeline/face/module.ts'
import { type MakeDeciders, workflowModule } from '../kinds/workflow/module.ts'
import { Kinds } from '../programs/kinds.ts'
import { agentFor } from './run-agents.ts'

/** The agents of workflows: rules, tools, models, people, those of the host. */
const decisionAgents: MakeDeciders = ({ workdir, policy, redact, tools, models, simulated }, agents) =>
  agentFor({
    real: { tools, models, agents },
    simulated: { ...simulated, agents: simulatedAgents(agents) },
    redact,
    workdir,
    allows: (call, capability, exactly) => call !== undefined && policy.judgeCall(call, capability, exactly).allowed,
    denies: (call, capability) => call === undefined || policy.denies(call, capability),
  })

/** Every kind that a `Reflex` has unless it is given others: `new Reflex({ kinds: [...KINDS, mine] })`. */
export const KINDS = [workflowModule(decisionAgents), pipelineModule] as const

/** The same by name, for those who have no `Reflex`: they read nothing. */
export const BUILT_IN = new Kinds(KINDS)
