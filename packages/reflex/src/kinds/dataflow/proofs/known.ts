import { type EventForm, type PreparedAdapter, prepareAdapter } from '../adapter/event-form.ts'
import type { Adapter } from '../model/adapter.ts'
import type { ValidatedGraph } from '../model/graph.ts'
import { type Plan, type PlannedNode, planOf } from '../pass/plan.ts'
import { type Component, componentsOf, type Writer, writersOf } from './memory.ts'
import { memoryRanges } from './memory-ranges.ts'
import { type Suspect, SymbolicPass } from './symbolic-pass.ts'
import type { Work } from './truth-table.ts'

/** The most steps of the proofs of one graph. */
const MOST_STEPS = 60_000_000

/** The passes of one kind of event. */
export interface KindPasses {
  readonly form: EventForm | undefined
  readonly pass: SymbolicPass
  /** The calculations that can fail, at the first events or later. */
  readonly suspects: readonly Suspect[]
  /** The first pass of a run. */
  readonly first: SymbolicPass
}

/** The facts that the proofs of a graph share. */
export interface Known {
  readonly plan: Plan
  readonly adapter: PreparedAdapter | undefined
  readonly kinds: readonly KindPasses[]
  readonly writers: readonly Writer[]
  readonly actions: readonly PlannedNode[]
  readonly components: readonly Component[]
  readonly work: Work
}

export function knownOf(graph: ValidatedGraph, adapter: Adapter | undefined): Known {
  const plan = planOf(graph)
  const prepared = adapter === undefined ? undefined : prepareAdapter(adapter)
  const forms = prepared === undefined ? [undefined] : [...prepared.forms.values()]
  const writers = writersOf(plan.nodes)
  const written = new Set(writers.map(({ key }) => key))
  const { ranges, suspects } = memoryRanges(plan, forms, writers, written)
  const kinds = forms.map((form, kind): KindPasses => {
    const pass = new SymbolicPass(plan, { form, written, ranges })
    const first = new SymbolicPass(plan, { form, written, isFirst: true })
    return { form, pass, first, suspects: [...pass.suspects, ...(suspects[kind] ?? [])] }
  })
  const work = { left: MOST_STEPS }
  const memory = [...written].filter((key) => kinds.some(({ pass }) => pass.isMemory(key)) && isBool(plan, key)).sort()
  const passes = kinds.map(({ pass }) => pass)
  const actions = plan.nodes.filter(({ node }) => node.primitive.kind === 'action')
  return { plan, adapter: prepared, kinds, writers, actions, components: componentsOf(passes, writers, memory, work), work }
}

function isBool({ nodes }: Plan, key: string): boolean {
  return nodes.some(({ keys }) => keys.some((read) => read.key === key && read.type === 'Bool'))
}
