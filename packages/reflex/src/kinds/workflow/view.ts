import { basename } from 'node:path'
import type { Frame } from '../../kernel/state/frame.ts'
import type { AgentChoice } from '../../policy/index.ts'
import type { EdgeState, KindView } from '../../programs/kind-view.ts'
import { type CompiledWorkflow, nodeAt } from './compile.ts'
import { decideByHand } from './decide-by-hand.ts'
import { graphView } from './graph-view.ts'
import { explainGuard } from './guards.ts'
import { frameReader } from './scopes.ts'
import { workflowStory } from './story.ts'

/** How workflows and their runs are displayed. */
export const workflowView: KindView<CompiledWorkflow> = {
  graph: graphView,
  story: workflowStory,
  edges,
  decide: (def, effect, edgeName, by) => decideByHand(edges(def, effect.frame), def, effect, edgeName, by),
  decides,
}

function edges(def: CompiledWorkflow, frame: Frame): EdgeState[] {
  const reader = frameReader(frame)
  return (def.nodes.get(nodeAt(frame.position) ?? '')?.edges ?? []).map((edge) => {
    const state = edge.guard === undefined ? { open: true, why: '' } : explainGuard(edge.guard, reader)
    return { id: edge.id, label: edge.event, open: state.open, ...(state.why === '' ? {} : { why: state.why }) }
  })
}

/** Says who decides where a program does not say, and which model is configured. */
function decides(choice: AgentChoice | undefined, configured: string | undefined): string {
  const { default: all, perNode = {}, model = configured, recorded } = choice ?? {}
  const single = Object.entries(perNode).map(([node, name]) => `${name} at ${node}`)
  const ready =
    recorded !== undefined ? `replies from ${basename(recorded)}` : model === undefined ? 'no model configured' : `model ${model}`
  if (all === 'model') return [`${ready === 'no model configured' ? 'a model' : ready} decides`, ...single].join(', ')
  const general = all === undefined ? 'rules decide' : all === 'script' ? 'a script decides' : `${all} decides`
  return [general, ...single, ...(all === undefined || model !== undefined || recorded !== undefined ? [ready] : [])].join(', ')
}
