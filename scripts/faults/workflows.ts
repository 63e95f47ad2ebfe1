import { isObject, type Json, type JsonObject, type Repeat } from '../../packages/reflex/src/kernel/index.ts'
import type { KindSubject } from '../../packages/reflex/src/testing/index.ts'
import { type DecisionCall, decisionPort, loadWorkflow, workflowKind } from '../../packages/reflex/src/kinds/workflow/index.ts'
import type { Decision, DecisionContext } from '../../packages/reflex/src/kinds/workflow/types/index.ts'
import { Dice } from './dice.ts'

/** What a drawn node does; its decision is a function of this and of what it sees. */
interface Act {
  readonly leaves?: boolean
  readonly repeat?: Repeat
  /** Says so much on the way to its answer. */
  readonly parts?: number
  /** Asks a person, who may not answer in time. */
  readonly asks?: { readonly due?: number }
  /** Fails, until it is tried again. */
  readonly fails?: true
  /** Writes so many letters under its own name. */
  readonly writes?: number
  /** Counts under this key how deep its workflow has called itself. */
  readonly counts?: string
  /** The first, second… open edge. */
  readonly way?: number
}

/** Calls of a workflow to itself. */
const DEPTH = 2
const kind = workflowKind({ load: (source) => loadWorkflow(source as object) })

/**
 * A workflow drawn from a seed, with those that it calls, one of them perhaps itself: effects of every kind of
 * repetition, progress, large values, failures, questions, deadlines that nobody keeps, and cancellations.
 */
export function drawnWorkflow(seed: number): KindSubject {
  const dice = new Dice(seed)
  const count = dice.between(1, 3)
  const sources = Array.from({ length: count }, (_, index) => drawn(dice, index, count))
  return {
    name: `workflow-${seed}`,
    kinds: [kind],
    programs: sources.map((source) => ({ kind: 'workflow', id: idOf(source), source })),
    args: { who: 'ana', seed },
    ports: () => ({
      decide: decisionPort({
        resolve: async (context, call) => decide(context, call as DecisionCall),
        traits: ({ node }) => ({ leaves: actOf(node.spec).leaves ?? false, repeat: actOf(node.spec).repeat ?? 'free' }),
      }),
    }),
    script: {
      answer: ({ name }) => (/^(late|stop)/.test(name) ? undefined : `answer to ${name}`),
      drive: async (run) => {
        if (![...run.state.waits.values()].some(({ name }) => name.startsWith('stop'))) return false
        await run.cancel('enough')
        return true
      },
    },
  }
}

function drawn(dice: Dice, index: number, count: number): JsonObject {
  const id = `w${index}`
  const recursive = dice.chance(0.3)
  const steps = dice.list(2, 5, (at) => drawnNode(dice, `${at}`, index, count))
  const all = [...(recursive ? recursion(id) : []), ...steps]
  const edges: Json[] = []
  const link = (from: Json | undefined, to: Json | undefined, guard?: Json) => {
    const [a, b] = [idOf(from), idOf(to)]
    edges.push({ id: `${a}-${b}`, from: a, to: b, event: b.toUpperCase(), ...(guard === undefined ? {} : { guard }) })
  }
  const [first] = steps
  if (recursive) {
    link(all[0], all[1], { type: 'not-equals', key: levelOf(id), value: DEPTH })
    link(all[0], first, { type: 'equals', key: levelOf(id), value: DEPTH })
    link(all[1], first)
  }
  steps.forEach((step, at) => {
    if (at === steps.length - 1) return
    link(step, steps[at + 1])
    if (at + 2 < steps.length && dice.chance(0.3)) link(step, steps[at + 2], { type: dice.pick(['exists', 'not-exists']), key: 'who' })
  })
  return { id, entry: idOf(all[0]), nodes: Object.fromEntries(all.map((node) => [idOf(node), node])), edges }
}

function idOf(node: Json | undefined): string {
  return isObject(node) && typeof node.id === 'string' ? node.id : ''
}

/** Callers see each other's boards: each counts under a key of its own. */
function levelOf(id: string): string {
  return `level of ${id}`
}

/** Two nodes that lead into the workflow itself until it is deep enough. */
function recursion(id: string): JsonObject[] {
  const act: Act = { counts: levelOf(id) }
  return [
    { id: 'count', spec: act as unknown as Json },
    { id: 'deeper', spec: {}, invokes: { workflowId: id, returnMap: [{ parentKey: 'below', childKey: levelOf(id) }] } },
  ]
}

function drawnNode(dice: Dice, suffix: string, index: number, count: number): JsonObject {
  const plain = (name: string, act: Act, more: JsonObject = {}): JsonObject => ({
    id: `${name}${suffix}`,
    spec: { ...act, way: dice.between(0, 1) },
    ...more,
  })
  const effect = (): Act => ({ leaves: dice.chance(0.5), repeat: dice.pick(['free', 'keyed', 'ask']), writes: dice.between(1, 40) })
  switch (dice.between(0, 9)) {
    case 0:
      return plain('ask', { ...effect(), asks: {} })
    case 1:
      return plain('late', { asks: { due: dice.between(1, 90_000) } })
    case 2:
      return plain('fail', { ...effect(), fails: true })
    case 3:
      return plain('talk', { ...effect(), parts: dice.between(1, 3) })
    case 4:
      return plain('large', { ...effect(), writes: dice.chance(0.03) ? 130_000 : dice.pick([5_000, 40_000]) })
    case 5:
      return dice.chance(0.3) ? plain('stop', { asks: {} }) : plain('do', effect())
    case 6:
    case 7:
      if (index + 1 < count) {
        const callee = `w${dice.between(index + 1, count - 1)}`
        return plain('call', effect(), { invokes: { workflowId: callee, returnMap: [{ parentKey: `from ${callee}`, childKey: 'do1' }] } })
      }
      return plain('do', effect())
    default:
      return plain('do', effect())
  }
}

function actOf(spec: unknown): Act {
  return spec as Act
}

function decide({ node, validEdges, input, blackboard }: DecisionContext, call: DecisionCall): Decision {
  const act = actOf(node.spec)
  if (act.fails === true && input === undefined) throw new Error(`${node.id} failed`)
  if (act.asks !== undefined && input === undefined) {
    const { due } = act.asks
    return {
      type: 'suspend',
      reason: `${node.id} asks`,
      ask: { text: `${node.id}?`, ...(due === undefined ? {} : { due, otherwise: 'nobody' }) },
    }
  }
  for (let part = 0; part < (act.parts ?? 0); part++) call.part(`part ${part}`)
  const writes = [
    ...(act.counts === undefined ? [] : [{ key: act.counts, value: Number(blackboard.get(act.counts) ?? 0) + 1 }]),
    ...(act.writes === undefined ? [] : [{ key: node.id, value: node.id.repeat(Math.ceil(act.writes / node.id.length)) }]),
    ...(input === undefined ? [] : [{ key: `input of ${node.id}`, value: input as Json }]),
  ]
  const edge = validEdges[(act.way ?? 0) % Math.max(1, validEdges.length)]
  return edge === undefined ? { type: 'complete', writes } : { type: 'advance', edge: edge.id, writes }
}
