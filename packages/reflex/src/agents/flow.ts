import { isList, isObject } from '../kernel/index.ts'
import type { Path } from '../text/index.ts'
import type { BuiltinGuard, Edge, Node, Workflow } from '../kinds/workflow/types.ts'
import type { BoardRead, BoardWrite, NodeFlow, Way } from '../kinds/workflow/verify.ts'
import { appointments, type Appointing } from './appoint.ts'
import { edgesNamed, outgoing } from './edges.ts'
import { guardsOf, isPlain, negated, readsOfText, readsOfValue, readsOfValues, writesNamed, writesOf } from './flow-values.ts'
import { isForeign } from './read-spec.ts'
import {
  listOf,
  type ModelSpec,
  modelSpec,
  type PersonSpec,
  personSpec,
  type Rule,
  type RulesSpec,
  rulesSpec,
  type ToolSpec,
  toolSpec,
} from './spec.ts'

/**
 * What the agent that decides at a node reads and writes there, as the spec says it: for proofs before a run. Undefined
 * for the agents of others, for specs that are not ours, and for those that cannot be read. `replaced` says whether an
 * agent of the host bears the name of a built-in one. Who is named for a single run is not looked at.
 */
export function specFlow(
  settings: Appointing,
  replaced: (name: string) => boolean,
  workflow: Workflow,
  node: Node,
  leaving?: readonly Edge[],
): NodeFlow | undefined {
  const name = appointedName(settings, workflow, node)
  const { spec } = node
  const empty = Object.keys(spec).every((key) => key === 'agent')
  if (name === undefined || replaced(name) || (isForeign(spec) && !empty)) return undefined
  const edges = leaving ?? outgoing({ workflow, node })
  switch (name) {
    case 'rules':
      return flowBy(rulesSpec, node, (read) => new Told(edges).rules(read, true))
    case 'tool':
      return flowBy(toolSpec, node, (read) => new Told(edges).tool(read))
    case 'person':
      if (spec.ask !== undefined) return flowBy(personSpec, node, (read) => new Told(edges).person(read))
      break
    case 'model':
      if (spec.prompt !== undefined) return flowBy(modelSpec, node, (read) => new Told(edges).model(read))
      break
    default:
      return undefined
  }
  return spec.prompt === undefined ? flowBy(rulesSpec, node, (read) => new Told(edges).rules(read, false)) : undefined
}

function appointedName(settings: Appointing, workflow: Workflow, node: Node): string | undefined {
  try {
    return appointments(settings, workflow, node)[0]?.name
  } catch {
    return undefined
  }
}

interface Reader<Spec> {
  safeParse(value: unknown): { readonly success: true; readonly data: Spec } | { readonly success: false }
}

function flowBy<Spec>(schema: Reader<Spec>, { spec }: Node, flow: (read: Spec) => NodeFlow): NodeFlow | undefined {
  const read = schema.safeParse(spec)
  return read.success ? flow(read.data) : undefined
}

/** Reads and writes in the order in which an agent makes them: what it has written itself is there. */
class Told {
  readonly #edges: readonly Edge[]
  readonly #reads: BoardRead[] = []
  readonly #writes: BoardWrite[] = []
  readonly #written = new Set<string>()

  constructor(edges: readonly Edge[]) {
    this.#edges = edges
  }

  /** `decides`: the rules choose the edge; else somebody does, and the rule that names it gives its writes. */
  rules(spec: RulesSpec, decides: boolean): NodeFlow {
    this.#compute(spec)
    for (const [key, value] of Object.entries(spec.writes ?? {})) this.#read(readsOfValue(value, ['spec', 'writes', key]))
    for (const write of writesOf(spec.writes, ['spec', 'writes'])) this.#write(write)
    return this.#flow(decides ? this.#chosen(spec) : this.#free(spec))
  }

  tool(spec: ToolSpec): NodeFlow {
    for (const [key, value] of Object.entries(spec.args ?? {})) this.#read(readsOfValue(value, ['spec', 'args', key]))
    for (const write of writesNamed(spec.writes)) this.#write(write)
    this.#compute(spec)
    return this.#flow(this.#chosen(spec))
  }

  person(spec: PersonSpec): NodeFlow {
    this.#read(readsOfText(spec.ask, ['spec', 'ask']))
    for (const [i, path] of (spec.show ?? []).entries()) this.#read([{ path, at: ['spec', 'show', i] }])
    const answered = writesNamed(spec.writes)
    if (spec.options === undefined) return this.#flow([{ when: [], reads: [], writes: answered }])
    const ways = spec.options.flatMap((given, i): Way[] => {
      const option = typeof given === 'string' ? { value: given } : given
      const name = option.event ?? option.value ?? ''
      const edges = edgesNamed(name, this.#edges)
      // An option whose edge is closed is not offered, and so its texts are not filled in.
      const optional = edges.some(({ guard }) => guard !== undefined)
      for (const field of ['label', 'detail'] as const) {
        this.#read(readsOfText(option[field] ?? '', ['spec', 'options', i, field]).map((read) => (optional ? { ...read, optional } : read)))
      }
      const valueAt = ['spec', 'options', i, ...(typeof given === 'string' ? [] : [option.value === undefined ? 'event' : 'value'])]
      const answer = answered.map((write): BoardWrite => ({ ...write, values: [option.value ?? name], valueAt }))
      const writes = [...answer, ...writesOf(option.writes, ['spec', 'options', i, 'writes'])]
      const reads = readsOfValues(option.writes, ['spec', 'options', i, 'writes']).filter((read) => !this.#has(read.path))
      return waysOver(edges, { when: [], reads, writes })
    })
    return this.#flow(ways)
  }

  model(spec: ModelSpec): NodeFlow {
    // Where one way is open and nothing is to be written, nobody is asked.
    const always = spec.writes !== undefined || this.#edges.filter(({ guard }) => guard === undefined).length > 1
    for (const field of ['prompt', 'system'] as const) {
      this.#read(readsOfText(spec[field] ?? '', ['spec', field]).map((read) => (always ? read : { ...read, optional: true })))
    }
    for (const [i, path] of (spec.show ?? []).entries()) this.#read([{ path, at: ['spec', 'show', i], optional: true }])
    this.#read(readsOfValue(spec.attach ?? [], ['spec', 'attach']).map((read) => (always ? read : { ...read, optional: true })))
    for (const write of writesNamed(spec.writes)) this.#write(write)
    return this.#flow([{ when: [], reads: [], writes: [] }])
  }

  #compute(spec: Pick<RulesSpec, 'classify' | 'extract' | 'pick' | 'template'>): void {
    for (const field of ['classify', 'extract'] as const) {
      const actions = spec[field]
      for (const [i, action] of listOf(actions).entries()) {
        const at: Path = isList(actions) ? ['spec', field, i] : ['spec', field]
        this.#read([{ path: action.from, at: [...at, 'from'] }])
        if ('without' in action && action.without !== undefined) this.#read([{ path: action.without, at: [...at, 'without'] }])
        this.#write({ key: action.into, sure: true, at: [...at, 'into'] })
      }
    }
    for (const [key, values] of Object.entries(spec.pick ?? {})) {
      // The first value is always asked for, the others only where those before are nothing.
      for (const [i, value] of values.entries()) {
        const bare = i < values.length - 1 && isObject(value) && typeof value.from === 'string' && value.else === undefined
        this.#read(readsOfValue(value, ['spec', 'pick', key, i]).map((read) => (i > 0 || bare ? { ...read, optional: true } : read)))
      }
      this.#write({ key, sure: true, at: ['spec', 'pick', key], part: 'key' })
    }
    for (const [key, text] of Object.entries(spec.template ?? {})) {
      this.#read(readsOfText(text, ['spec', 'template', key]))
      this.#write({ key, sure: true, at: ['spec', 'template', key], part: 'key' })
    }
  }

  /** The ways of a spec whose rules choose: the first all of whose conditions hold. */
  #chosen({ rules, go, because }: Pick<RulesSpec, 'rules' | 'go' | 'because'>): Way[] {
    const general = readsOfText(because ?? '', ['spec', 'because'])
    const before: BuiltinGuard[] = []
    const ways: Way[] = []
    for (const [i, rule] of (rules ?? []).entries()) {
      const conditions = listOf(rule.when)
      const when = [...before, ...conditions.flatMap(guardsOf)]
      const way = this.#rule(rule, i)
      const reads = rule.because === undefined ? [...way.reads, ...general.filter(({ path }) => !this.#has(path))] : way.reads
      ways.push(...waysOver(this.#named(rule.go ?? go), { ...way, reads, when }))
      const [only, ...others] = conditions
      if (only === undefined) return ways
      if (others.length === 0) before.push(...negated(only))
    }
    if (rules !== undefined && go === undefined) return ways
    return [...ways, ...waysOver(this.#named(go), { when: before, reads: general.filter(({ path }) => !this.#has(path)), writes: [] })]
  }

  /** The ways where somebody else chooses. */
  #free({ rules }: Pick<RulesSpec, 'rules'>): Way[] {
    const ways = (rules ?? []).flatMap((rule, i) => waysOver(this.#named(rule.go), { ...this.#rule(rule, i), when: [] }))
    return [...ways, { when: [], reads: [], writes: [] }]
  }

  #rule(rule: Rule, i: number): Omit<Way, 'when'> {
    const at: Path = ['spec', 'rules', i]
    const seen = listOf(rule.when).map(({ type, key: path, ...rest }, place): BoardRead => {
      const where: Path = isList(rule.when) ? [...at, 'when', place, 'key'] : [...at, 'when', 'key']
      const compared = (type === 'equals' || type === 'not-equals') && 'value' in rest && isPlain(rest.value)
      return { path, at: where, optional: true, ...(compared ? { equals: rest.value } : {}) }
    })
    const reads = [...seen, ...readsOfText(rule.because ?? '', [...at, 'because']), ...readsOfValues(rule.writes, [...at, 'writes'])]
    const writes = writesOf(rule.writes, [...at, 'writes'])
    return { reads: reads.filter(({ path }) => !this.#has(path)), writes }
  }

  #named(go: string | undefined): readonly Edge[] {
    return go === undefined ? [] : edgesNamed(go, this.#edges)
  }

  #read(reads: readonly BoardRead[]): void {
    this.#reads.push(...reads.filter(({ path }) => !this.#has(path)))
  }

  #write(write: BoardWrite): void {
    this.#writes.push(write)
    this.#written.add(write.key)
  }

  /** Whether the agent has written what a path begins with. */
  #has(path: string): boolean {
    const steps = path.split('.')
    return steps.some((_, i) => this.#written.has(steps.slice(0, i + 1).join('.')))
  }

  #flow(ways: readonly Way[]): NodeFlow {
    return { reads: this.#reads, writes: this.#writes, ways: ways.length === 0 ? [{ when: [], reads: [], writes: [] }] : ways }
  }
}

/** The same way over each of some edges; over any where none is named. */
function waysOver(edges: readonly Edge[], way: Way): Way[] {
  return edges.length === 0 ? [way] : edges.map(({ id }) => ({ ...way, edge: id }))
}
