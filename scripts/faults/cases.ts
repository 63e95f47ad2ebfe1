import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isFault, isObject, type Json, type Wait } from '../../packages/reflex/src/kernel/index.ts'
import type { KindSubject, SubjectProgram } from '../../packages/reflex/src/testing/index.ts'
import { decisionPort, loadWorkflow, serializeWorkflow, workflowKind } from '../../packages/reflex/src/kinds/workflow/index.ts'
import type { Decision, DecisionContext } from '../../packages/reflex/src/kinds/workflow/types/index.ts'

const CASES = resolve(import.meta.dirname, '../../cases/workflow')
const CIRCLE = 'the way leads in a circle'
const guards = { isVip: () => true, inStock: () => false }

/** Every case of a workflow that can run, each as the first of all of them, so that it may call the others. */
export function workflowCases(): readonly KindSubject[] {
  const programs = readdirSync(CASES).toSorted().flatMap(programOf)
  return programs.map(({ name, program }) => ({
    name: `case ${name}`,
    kinds: [workflowKind({ load: (source) => loadWorkflow(source as object, { guards }) })],
    programs: [program, ...programs.map((other) => other.program).filter(({ id }) => id !== program.id)],
    ports: () => ({ decide: decisionPort({ resolve: async (context) => decide(context) }) }),
    script: {
      answer: (wait) => (isStop(wait) ? undefined : `answer to ${wait.name}`),
      drive: async (run) => {
        if (![...run.state.waits.values()].some(isStop)) return false
        await run.cancel('no way on')
        return true
      },
    },
  }))
}

function programOf(name: string): readonly { readonly name: string; readonly program: SubjectProgram }[] {
  const file = join(CASES, name, 'program.workflow.json')
  if (!existsSync(file)) return []
  try {
    const workflow = loadWorkflow(readFileSync(file, 'utf8'), { guards })
    return [{ name, program: { kind: 'workflow', id: workflow.id, source: JSON.parse(serializeWorkflow(workflow)) as Json } }]
  } catch (thrown) {
    // Most cases show what is refused.
    if (isFault(thrown) || thrown instanceof Error) return []
    throw thrown
  }
}

/** Nothing that anybody could say would help: a guard fails, or the way leads in a circle. */
function isStop({ name, about }: Wait): boolean {
  return name === 'engine:error' || (isObject(about) && about.reason === CIRCLE)
}

/** Asks where its node asks, writes what its node promises, goes the first way that is open, and calls itself twice at most. */
function decide({ node, validEdges, input, stack, blackboard }: DecisionContext): Decision {
  const { ask } = node.spec as { readonly ask?: string }
  const visits = `visits of ${node.id}`
  const visit = Number(blackboard.get(visits) ?? 0) + 1
  if (visit > 3) return { type: 'suspend', reason: CIRCLE }
  if (typeof ask === 'string' && input === undefined) return { type: 'suspend', reason: 'asks', ask: { text: ask } }
  const promised = (node.outputs ?? []).map(({ key }) => ({
    key,
    value: key === 'has parts' ? stack.length < 3 : ((input ?? `${key} of ${node.id}`) as Json),
  }))
  const writes = [...promised, { key: visits, value: visit }]
  const [way] = validEdges
  return way === undefined ? { type: 'complete', writes } : { type: 'advance', edge: way.id, writes }
}
