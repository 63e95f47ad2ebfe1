import type { Node, Workflow } from '../kinds/workflow/index.ts'
import type { AskedModel } from '../programs/language.ts'
import { chosenAgents, type OperatorAgents } from './chosen-agent.ts'

/**
 * Returns the models that the nodes of a workflow ask. A node with one edge and nothing to write asks none. `own`: agents of the host, which
 * ask what they want.
 */
export function modelsNamed(workflow: Workflow, choice: OperatorAgents, own: readonly string[]): readonly AskedModel[] {
  return Object.values(workflow.nodes).flatMap((node): readonly AskedModel[] => {
    if (!asks(workflow, node) || own.includes('model') || agentAt(workflow, node, choice) !== 'model') return []
    const { model, fallback } = node.spec
    const names = (Array.isArray(fallback) ? fallback : []).filter((name) => typeof name === 'string')
    return [{ ...(typeof model === 'string' ? { name: model } : {}), ...(names.length === 0 ? {} : { fallback: names }) }]
  })
}

function asks({ edges }: Workflow, { id, spec }: Node): boolean {
  return spec['writes'] !== undefined || edges.filter(({ from }) => from === id).length > 1
}

function agentAt(workflow: Workflow, node: Node, choice: OperatorAgents): string | undefined {
  try {
    return chosenAgents(choice, workflow, node)[0]?.name
  } catch {
    return undefined
  }
}
