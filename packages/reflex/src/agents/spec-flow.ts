import { isList, isObject } from '../kernel/index.ts'
import type { Path } from '../text/index.ts'
import type { BuiltinGuard, Edge, Node, Workflow } from '../kinds/workflow/index.ts'
import type { BoardRead, BoardWrite, NodeFlow, DecisionCase } from '../kinds/workflow/check/verify.ts'
import { chosenAgents, type OperatorAgents } from './chosen-agent.ts'
import { edgesNamed, outgoing } from './edges.ts'
import { guardsOf, isLiteral, guardsOfNegation, readsOfText, readsOfValue, readsOfValues, writesNamed, writesOf } from './flow-values.ts'
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
 * Returns the reads and writes of the agent at a node, read from its spec, for proofs before a run. Undefined for agents of the
 * host, for specs of other agents, and for specs that cannot be read. `isReplaced` is true for a built-in name that belongs to
 * an agent of the host. Agents that are named for a single run are not considered.
 */
export function specFlow(
  settings: OperatorAgents,
  isReplaced: (name: string) => boolean,
  workflow: Workflow,
  node: Node,
  leaving?: readonly Edge[],
): NodeFlow | undefined {
  const name = appointedName(settings, workflow, node)
  const { spec } = node
  const empty = Object.keys(spec).every((key) => key === 'agent')
  if (name === undefined || isReplaced(name) || (isForeign(spec) && !empty)) return undefined
  const edges = leaving ?? outgoing({ workflow, node })
  switch (name) {
    case 'rules':
      return flowWith(rulesSpec, node, (read) => new FlowBuilder(edges).rules(read, true))
    case 'tool':
      return flowWith(toolSpec, node, (read) => new FlowBuilder(edges).tool(read))
    case 'person':
      if (spec.ask !== undefined) return flowWith(personSpec, node, (read) => new FlowBuilder(edges).person(read))
      break
    case 'model':
      if (spec.prompt !== undefined) return flowWith(modelSpec, node, (read) => new FlowBuilder(edges).model(read))
      break
    default:
      return undefined
  }
  return spec.prompt === undefined ? flowWith(rulesSpec, node, (read) => new FlowBuilder(edges).rules(read, false)) : undefined
}

function appointedName(settings: OperatorAgents, workflow: Workflow, node: Node): string | undefined {
  try {
    return chosenAgents(settings, workflow, node)[0]?.name
  } catch {
    return undefined
  }
}

interface SpecSchema<Spec> {
  safeParse(value: unknown): { readonly success: true; readonly data: Spec } | { readonly success: false }
}

function flowWith<Spec>(schema: SpecSchema<Spec>, { spec }: Node, flow: (read: Spec) => NodeFlow): NodeFlow | undefined {
  const read = schema.safeParse(spec)
  return read.success ? flow(read.data) : undefined
}

/**
 * Collects reads and writes in the order in which an agent makes them. A read of a key that the agent has written itself is not
 * a read of the board.
 */
class FlowBuilder {
  readonly #edges: readonly Edge[]
  readonly #reads: BoardRead[] = []
  readonly #writes: BoardWrite[] = []
  readonly #written = new Set<string>()

  constructor(edges: readonly Edge[]) {
    this.#edges = edges
  }

  /**
   * Returns the flow of rules. With `choosesEdge` the rules choose the edge; else a person or a model chooses it, and the rule
   * that names it gives its writes.
   */
  rules(spec: RulesSpec, choosesEdge: boolean): NodeFlow {
    this.#compute(spec)
    for (const [key, value] of Object.entries(spec.writes ?? {})) this.#read(readsOfValue(value, ['spec', 'writes', key]))
    for (const write of writesOf(spec.writes, ['spec', 'writes'])) this.#write(write)
    return this.#flow(choosesEdge ? this.#ruleCases(spec) : this.#freeCases(spec))
  }

  tool(spec: ToolSpec): NodeFlow {
    for (const [key, value] of Object.entries(spec.args ?? {})) this.#read(readsOfValue(value, ['spec', 'args', key]))
    for (const write of writesNamed(spec.writes)) this.#write(write)
    this.#compute(spec)
    return this.#flow(this.#ruleCases(spec))
  }

  person(spec: PersonSpec): NodeFlow {
    this.#read(readsOfText(spec.ask, ['spec', 'ask']))
    for (const [i, path] of (spec.show ?? []).entries()) this.#read([{ path, at: ['spec', 'show', i] }])
    const answerWrites = writesNamed(spec.writes)
    if (spec.options === undefined) return this.#flow([{ when: [], reads: [], writes: answerWrites }])
    const cases = spec.options.flatMap((given, i): DecisionCase[] => {
      const option = typeof given === 'string' ? { value: given } : given
      const name = option.event ?? option.value ?? ''
      const edges = edgesNamed(name, this.#edges)
      // An option whose edge is closed is not offered, and its texts are not filled in.
      const optional = edges.some(({ guard }) => guard !== undefined)
      for (const field of ['label', 'detail'] as const) {
        this.#read(readsOfText(option[field] ?? '', ['spec', 'options', i, field]).map((read) => (optional ? { ...read, optional } : read)))
      }
      const valueAt = ['spec', 'options', i, ...(typeof given === 'string' ? [] : [option.value === undefined ? 'event' : 'value'])]
      const answer = answerWrites.map((write): BoardWrite => ({ ...write, values: [option.value ?? name], valueAt }))
      const writes = [...answer, ...writesOf(option.writes, ['spec', 'options', i, 'writes'])]
      const reads = readsOfValues(option.writes, ['spec', 'options', i, 'writes']).filter((read) => !this.#has(read.path))
      return casesOver(edges, { when: [], reads, writes })
    })
    return this.#flow(cases)
  }

  model(spec: ModelSpec): NodeFlow {
    // If one edge is open and nothing is to be written, no model is asked.
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
        this.#write({ key: action.into, isCertain: true, at: [...at, 'into'] })
      }
    }
    for (const [key, values] of Object.entries(spec.pick ?? {})) {
      // The first value is always read; a later one only if the values before it are missing or empty.
      for (const [i, value] of values.entries()) {
        const isBare = i < values.length - 1 && isObject(value) && typeof value.from === 'string' && value.else === undefined
        this.#read(readsOfValue(value, ['spec', 'pick', key, i]).map((read) => (i > 0 || isBare ? { ...read, optional: true } : read)))
      }
      this.#write({ key, isCertain: true, at: ['spec', 'pick', key], part: 'key' })
    }
    for (const [key, text] of Object.entries(spec.template ?? {})) {
      this.#read(readsOfText(text, ['spec', 'template', key]))
      this.#write({ key, isCertain: true, at: ['spec', 'template', key], part: 'key' })
    }
  }

  /** Returns the cases of a spec whose rules choose: the first rule whose conditions all hold is used. */
  #ruleCases({ rules, go, because }: Pick<RulesSpec, 'rules' | 'go' | 'because'>): DecisionCase[] {
    const defaultReads = readsOfText(because ?? '', ['spec', 'because'])
    const before: BuiltinGuard[] = []
    const cases: DecisionCase[] = []
    for (const [i, rule] of (rules ?? []).entries()) {
      const conditions = listOf(rule.when)
      const when = [...before, ...conditions.flatMap(guardsOf)]
      const decisionCase = this.#ruleEffects(rule, i)
      const reads =
        rule.because === undefined ? [...decisionCase.reads, ...defaultReads.filter(({ path }) => !this.#has(path))] : decisionCase.reads
      cases.push(...casesOver(this.#edgesOf(rule.go ?? go), { ...decisionCase, reads, when }))
      const [only, ...others] = conditions
      if (only === undefined) return cases
      if (others.length === 0) before.push(...guardsOfNegation(only))
    }
    if (rules !== undefined && go === undefined) return cases
    return [
      ...cases,
      ...casesOver(this.#edgesOf(go), { when: before, reads: defaultReads.filter(({ path }) => !this.#has(path)), writes: [] }),
    ]
  }

  /** Returns the cases of a spec if a person or a model chooses the edge. */
  #freeCases({ rules }: Pick<RulesSpec, 'rules'>): DecisionCase[] {
    const cases = (rules ?? []).flatMap((rule, i) => casesOver(this.#edgesOf(rule.go), { ...this.#ruleEffects(rule, i), when: [] }))
    return [...cases, { when: [], reads: [], writes: [] }]
  }

  #ruleEffects(rule: Rule, i: number): Omit<DecisionCase, 'when'> {
    const at: Path = ['spec', 'rules', i]
    const seen = listOf(rule.when).map(({ type, key: path, ...rest }, place): BoardRead => {
      const where: Path = isList(rule.when) ? [...at, 'when', place, 'key'] : [...at, 'when', 'key']
      const isCompared = (type === 'equals' || type === 'not-equals') && 'value' in rest && isLiteral(rest.value)
      return { path, at: where, optional: true, ...(isCompared ? { equals: rest.value } : {}) }
    })
    const reads = [...seen, ...readsOfText(rule.because ?? '', [...at, 'because']), ...readsOfValues(rule.writes, [...at, 'writes'])]
    const writes = writesOf(rule.writes, [...at, 'writes'])
    return { reads: reads.filter(({ path }) => !this.#has(path)), writes }
  }

  #edgesOf(go: string | undefined): readonly Edge[] {
    return go === undefined ? [] : edgesNamed(go, this.#edges)
  }

  #read(reads: readonly BoardRead[]): void {
    this.#reads.push(...reads.filter(({ path }) => !this.#has(path)))
  }

  #write(write: BoardWrite): void {
    this.#writes.push(write)
    this.#written.add(write.key)
  }

  /** True if the agent has written the beginning of a path. */
  #has(path: string): boolean {
    const steps = path.split('.')
    return steps.some((_, i) => this.#written.has(steps.slice(0, i + 1).join('.')))
  }

  #flow(cases: readonly DecisionCase[]): NodeFlow {
    return { reads: this.#reads, writes: this.#writes, cases: cases.length === 0 ? [{ when: [], reads: [], writes: [] }] : cases }
  }
}

/** Returns the same case for each of some edges; one case for any edge if none is named. */
function casesOver(edges: readonly Edge[], decisionCase: DecisionCase): DecisionCase[] {
  return edges.length === 0 ? [decisionCase] : edges.map(({ id }) => ({ ...decisionCase, edge: id }))
}
