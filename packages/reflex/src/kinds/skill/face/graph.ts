import type { Graph, GraphEdge, GraphNode } from '../../../programs/graph.ts'
import type { PlannedCall } from '../plan/compiled-plan.ts'
import type { SkillProgram } from '../plan/skill-program.ts'

/** Returns a skill as a graph: the gate, the steps in their order, and the undos, each from the step that it undoes. */
export function skillGraph({ manifest, steps, undos }: SkillProgram): Graph {
  const gate: GraphNode = { id: 'gate', form: 'choice', entry: true, deed: 'compat, conditions, score, policy' }
  const nodes = [gate, ...steps.map((step, i) => nodeOf(step, i === steps.length - 1)), ...undos.map((undo) => nodeOf(undo, true))]
  const order = steps.map((step, i): GraphEdge => {
    const guards = manifest.plan.steps[i]?.guards ?? []
    const from = steps[i - 1]?.id ?? gate.id
    return { id: `to-${step.id}`, from, to: step.id, ...(guards.length === 0 ? {} : { guard: guards.join(' && ') }) }
  })
  const undone = undos.map((undo): GraphEdge => {
    const from = undo.forStep ?? steps.at(-1)?.id ?? gate.id
    return { id: `to-${undo.id}`, from, to: undo.id, jump: undo.when === 'any' ? 'after a failure' : `after ${undo.when}` }
  })
  return { nodes, edges: [...order, ...undone] }
}

function nodeOf({ id, tool, isProgram }: PlannedCall, isEnd: boolean): GraphNode {
  return {
    id,
    form: isProgram ? 'call' : 'step',
    deed: tool,
    ...(isProgram ? { calls: tool } : {}),
    ...(isEnd ? { end: true } : {}),
  }
}
