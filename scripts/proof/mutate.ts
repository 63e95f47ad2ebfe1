/** One mistake in a correct program, of each class that proofs look for. */
import type { JsonObject } from '../../packages/reflex/src/kernel/index.ts'
import type { Edge, Node, Workflow } from '../../packages/reflex/src/kinds/workflow/types/index.ts'
import type { MadeProgram } from './generate.ts'
import { keysWritten } from './ground.ts'
import type { Dice } from './random.ts'

/** Makes a mistake in a copy of a program, in place; gives the facts that running it cannot show, or undefined where it does not apply. */
type Mistake = (program: MadeProgram, dice: Dice) => readonly string[] | undefined

/** A program with a mistake. */
export interface Mutant {
  readonly program: MadeProgram
  /** What is wrong by the making alone: slips and misfits. */
  readonly facts: readonly string[]
}

const LETTERS = 5

/** The classes of mistakes. */
export const MISTAKES: Readonly<Record<string, Mistake>> = {
  'node without an edge to it': (program) => {
    const root = rootOf(program)
    const end = Object.keys(root.nodes).at(-1) ?? ''
    root.nodes.orphan = { id: 'orphan', spec: {} }
    root.edges.push({ id: 'from-orphan', from: 'orphan', to: end, event: 'NEXT' })
    return []
  },
  'node behind an edge that is never open': (program, dice) => {
    const root = rootOf(program)
    const single = root.edges.filter(({ to }) => root.edges.filter((edge) => edge.to === to).length === 1)
    const edge = single.length === 0 ? undefined : dice.pick(single)
    if (edge === undefined) return undefined
    edge.guard = { type: 'equals', key: 'level', value: 9 }
    return []
  },
  'edge that is never open': (program, dice) => {
    const root = rootOf(program)
    const edge = dice.pick(root.edges)
    root.edges.push({
      ...edge,
      id: 'never',
      event: 'NEVER',
      guard: dice.pick([
        { type: 'equals', key: 'state', value: 'none' },
        { type: 'cel', expr: 'has(board.level) && level > 7' },
      ] as const),
    })
    return []
  },
  'guarded edge removed': (program, dice) => {
    const root = rootOf(program)
    const edge = pickEdge(root, dice, ({ guard }) => guard !== undefined)
    if (edge === undefined) return undefined
    root.edges.splice(root.edges.indexOf(edge), 1)
    return []
  },
  'guard with another value': (program, dice) => {
    const edge = pickEdge(rootOf(program), dice, ({ guard }) => guard?.type === 'equals' || guard?.type === 'not-equals')
    if (edge?.guard === undefined || !('value' in edge.guard)) return undefined
    const { value } = edge.guard
    edge.guard = { ...edge.guard, value: typeof value === 'boolean' ? !value : typeof value === 'number' ? value + 1 : 'unheard' }
    return []
  },
  'guard turned round': (program, dice) => {
    const edge = pickEdge(rootOf(program), dice, ({ guard }) => guard !== undefined && guard.type !== 'custom')
    if (edge?.guard === undefined || edge.guard.type === 'custom') return undefined
    if (edge.guard.type === 'cel')
      edge.guard = {
        type: 'cel',
        expr: edge.guard.expr.includes('==') ? edge.guard.expr.replace('==', '!=') : edge.guard.expr.replace('!=', '=='),
      }
    else edge.guard = { ...edge.guard, type: TURNED[edge.guard.type] }
    return []
  },
  'write removed': (program, dice) => changeWrite(program, dice, removeWrite),
  'output no longer guaranteed': (program, dice) =>
    changeWrite(program, dice, (node, key) => {
      if (node.outputs?.some((output) => output.key === key) !== true) return false
      node.outputs = node.outputs.map((output) => (output.key === key ? { ...output, guaranteed: false } : output))
      return true
    }),
  'misspelt input': (program, dice) => {
    const inputs = Object.values(rootOf(program).nodes).flatMap((node) => (node.inputs ?? []).filter(({ inherited }) => inherited !== true))
    if (inputs.length === 0) return undefined
    const input = dice.pick(inputs)
    input.key = misspelt(input.key, dice)
    return []
  },
  'misspelt key in a spec': (program, dice) => {
    const root = rootOf(program)
    const nodes = Object.values(root.nodes).filter(({ spec }) => readsIn(spec).length > 0)
    if (nodes.length === 0) return undefined
    const node = dice.pick(nodes)
    const key = dice.pick(readsIn(node.spec))
    if (!isKnown(root, key)) return undefined
    const wrong = misspelt(key, dice)
    node.spec = JSON.parse(
      JSON.stringify(node.spec).replaceAll(`{{${key}}}`, `{{${wrong}}}`).replaceAll(`"from":"${key}"`, `"from":"${wrong}"`),
    ) as JsonObject
    return [`slip ${node.id} ${wrong}`]
  },
  'misspelt key in a guard': (program, dice) => {
    const root = rootOf(program)
    const edge = pickEdge(root, dice, ({ guard }) => guard !== undefined && 'key' in guard)
    if (edge?.guard === undefined || !('key' in edge.guard)) return undefined
    const wrong = misspelt(edge.guard.key, dice)
    edge.guard = { ...edge.guard, key: wrong }
    return [`slip ${edge.from} ${wrong}`]
  },
  'misspelt key in a write': (program, dice) => {
    const root = rootOf(program)
    const declared = Object.keys(root.board ?? {})
    const nodes = Object.values(root.nodes).filter(({ spec }) => typeof spec.writes === 'string' && declared.includes(spec.writes))
    if (nodes.length === 0) return undefined
    const node = dice.pick(nodes)
    const wrong = misspelt(String(node.spec.writes), dice)
    node.spec = { ...node.spec, writes: wrong }
    return [`slip ${node.id} ${wrong}`]
  },
  'value that the board refuses': (program, dice) => {
    const root = rootOf(program)
    const last = Object.values(root.nodes).at(-1)
    if (last === undefined || typeof last.spec.writes === 'string' || last.spec.who !== undefined) return undefined
    const key = dice.pick(Object.keys(root.board ?? {}))
    last.spec = { ...last.spec, writes: { ...(last.spec.writes as JsonObject | undefined), [key]: key === 'amount' ? 'seven' : 404 } }
    return [`refused ${last.id} ${key}`]
  },
  'misnamed return': (program, dice) => {
    const maps = Object.values(rootOf(program).nodes).flatMap(({ invokes }) => invokes?.returnMap ?? [])
    if (maps.length === 0) return undefined
    const map = dice.pick(maps)
    map.childKey = misspelt(map.childKey, dice)
    return []
  },
  'recursion without a way out': (program) => {
    const child = program.workflows[1]
    if (child === undefined) return undefined
    const again = Object.values(child.nodes).find(({ invokes }) => invokes?.workflowId === child.id)
    if (again === undefined) return undefined
    const into = child.edges.find(({ to }) => to === again.id)
    const others = child.edges.filter(({ from, id }) => from === into?.from && id !== into?.id)
    for (const edge of others) child.edges.splice(child.edges.indexOf(edge), 1)
    return []
  },
  'recursion that never chooses its way out': (program) => {
    const child = program.workflows[1]
    const more = Object.values(child?.nodes ?? {}).find(({ id }) => id.startsWith('more'))
    if (child === undefined || more === undefined) return undefined
    if (more.outputs === undefined) more.spec = { writes: { answer: 'reject' } }
    else child.board = { ...child.board, answer: { const: 'reject' } }
    return []
  },
  'value that never fits': (program) => {
    const [root, child] = program.workflows
    const node = Object.values(root?.nodes ?? {}).find(({ invokes }) => invokes !== undefined)
    const map = node?.invokes?.returnMap[0]
    if (root === undefined || child === undefined || node === undefined || map === undefined) return undefined
    root.board = { ...root.board, [map.parentKey]: { type: 'array' } }
    child.board = { ...child.board, [map.childKey]: { type: 'string' } }
    return [`misfit ${node.id} ${map.parentKey}`]
  },
  'input that the caller does not give': (program, dice) => {
    const [root, child] = program.workflows
    const node = Object.values(root?.nodes ?? {}).find(({ invokes }) => invokes !== undefined)
    const entry = child?.nodes[child.entry]
    if (root === undefined || child === undefined || node === undefined || entry === undefined) return undefined
    entry.inputs = [...(entry.inputs ?? []), { key: dice.pick(['unheard', 'nowhere']), required: true }]
    return []
  },
}

const TURNED = { exists: 'not-exists', 'not-exists': 'exists', equals: 'not-equals', 'not-equals': 'equals' } as const

/** A copy of a program with a mistake of a class in it; undefined where it has no place for one. */
export function mutate(program: MadeProgram, kind: string, dice: Dice): Mutant | undefined {
  const copy = structuredClone(program)
  const facts = MISTAKES[kind]?.(copy, dice)
  return facts === undefined ? undefined : { program: copy, facts }
}

function rootOf({ workflows: [root] }: MadeProgram): Workflow {
  if (root === undefined) throw new RangeError('a program has a root')
  return root
}

function pickEdge({ edges }: Workflow, dice: Dice, fits: (edge: Edge) => boolean): Edge | undefined {
  const some = edges.filter(fits)
  return some.length === 0 ? undefined : dice.pick(some)
}

function changeWrite(program: MadeProgram, dice: Dice, change: (node: Node, key: string) => boolean): readonly string[] | undefined {
  const nodes = Object.values(rootOf(program).nodes).filter((node) => node.invokes === undefined && keysWritten(node).length > 0)
  if (nodes.length === 0) return undefined
  const node = dice.pick(nodes)
  return change(node, dice.pick(keysWritten(node))) ? [] : undefined
}

function removeWrite(node: Node, key: string): boolean {
  if (node.outputs !== undefined) {
    node.outputs = node.outputs.filter((output) => output.key !== key)
    return true
  }
  const { writes, ...rest } = node.spec
  if (writes === key) {
    node.spec = rest
    return true
  }
  if (typeof writes !== 'object' || writes === null || !(key in writes)) return false
  node.spec = Object.keys(rest).length === 0 ? { because: 'nothing is written' } : rest
  return true
}

/** Two letters in the middle of a word change places. */
function misspelt(key: string, dice: Dice): string {
  if (key.length < LETTERS) return `${key}x`
  const at = 1 + dice.below(key.length - 3)
  const [a, b] = [key[at] ?? '', key[at + 1] ?? '']
  return a === b ? key.slice(0, at) + key.slice(at + 1) : key.slice(0, at) + b + a + key.slice(at + 2)
}

function readsIn(spec: object): string[] {
  return [...JSON.stringify(spec).matchAll(/\{\{(\w+)\}\}|"from":"(\w+)"/g)].map(([, inText, from]) => inText ?? from ?? '')
}

function isKnown(workflow: Workflow, key: string): boolean {
  return Object.values(workflow.nodes).some(
    (node) => keysWritten(node).includes(key) || node.inputs?.some((input) => input.key === key) === true,
  )
}
