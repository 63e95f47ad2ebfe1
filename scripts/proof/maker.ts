/** One workflow in the making, with what is known on the way. */
import type { Json, JsonObject } from '../../packages/reflex/src/kernel/index.ts'
import type { Edge, Guard, Node, Workflow } from '../../packages/reflex/src/kinds/workflow/types/index.ts'
import type { Dice } from './random.ts'

/** The values of keys that have few. */
export const DOMAINS: Readonly<Record<string, readonly Json[]>> = {
  state: ['paid', 'lost', 'open'],
  urgent: [true, false],
  level: [1, 2, 3],
  verdict: ['sure', 'unsure'],
  channel: ['mail', null],
  answer: ['accept', 'reject'],
}
/** Keys that may hold anything. */
export const FREE: readonly string[] = ['draft', 'amount', 'ticket', 'reason', 'customer', 'summary']
/** What boards say of keys. */
export const SCHEMAS: Readonly<Record<string, JsonObject>> = {
  state: { enum: ['paid', 'lost', 'open'] },
  urgent: { type: 'boolean' },
  level: { type: 'integer', minimum: 1, maximum: 3 },
  verdict: { anyOf: [{ const: 'sure' }, { const: 'unsure' }] },
  channel: { type: ['string', 'null'], enum: ['mail', null] },
  answer: { enum: ['accept', 'reject'] },
  amount: { type: 'number' },
  reason: { type: 'string' },
}

/** The values that a key is tried with: all of a small domain, else those that guards name and another. */
export function valuesOf(workflow: Workflow, key: string): readonly Json[] {
  const declared = workflow.board?.[key]
  if (declared !== undefined && 'const' in declared) return [declared.const ?? null]
  const domain = DOMAINS[key]
  if (domain !== undefined) return domain
  const named = workflow.edges.flatMap(({ guard }) =>
    guard !== undefined && 'key' in guard && guard.key === key && guard.value !== undefined ? [guard.value as Json] : [],
  )
  return key === 'amount' ? [7] : [...new Set([...named, 'another'])]
}

/** Who decides: somebody of whom the contract alone is known, or the agents that come with Reflex, by their specs. */
export type Style = 'contract' | 'spec'

/** One workflow in the making. What is written on the way so far is kept, to choose only what is right. */
export class Maker {
  readonly dice: Dice
  readonly style: Style
  readonly nodes: Record<string, Node> = {}
  readonly edges: Edge[] = []
  readonly id: string
  readonly used = new Set<string>()
  entry = ''
  tail = ''
  sure = new Set<string>()
  maybe = new Set<string>()
  /** Keys with one value alone, so that nothing can be chosen by them. */
  readonly fixed = new Set<string>()

  constructor(dice: Dice, id: string, style: Style) {
    this.dice = dice
    this.id = id
    this.style = style
  }

  /** A node behind the last one. */
  add(name: string, node: Partial<Node> = {}, guard?: Guard, from: string = this.tail): string {
    const id = `${name}${Object.keys(this.nodes).length}`
    this.nodes[id] = { id, spec: this.style === 'contract' ? { who: 'somebody' } : {}, ...node }
    if (this.entry === '') this.entry = id
    else this.link(from, id, guard)
    this.tail = id
    return id
  }

  link(from: string, to: string, guard?: Guard): void {
    const id = `e${this.edges.length}`
    this.edges.push({ id, from, to, event: id.toUpperCase(), ...(guard === undefined ? {} : { guard }) })
  }

  /** What a node that writes a key each time is. */
  writing(key: string): Partial<Node> {
    this.used.add(key)
    const values = DOMAINS[key] ?? (key === 'amount' ? [7] : ['some text'])
    if (this.style === 'contract') return { outputs: [{ key, guaranteed: true }] }
    this.fixed.delete(key)
    if (values.length > 1 && values.every((value) => typeof value === 'string') && this.dice.chance(0.6)) {
      return { spec: { ask: `Which ${key}?`, options: [...values], writes: key } }
    }
    this.fixed.add(key)
    return { spec: { writes: { [key]: this.dice.pick(values) } } }
  }

  /** What a node that cannot do without a key is; in a spec it may be read in several ways. */
  reading(key: string, into?: string): Partial<Node> {
    this.used.add(key)
    if (this.style === 'contract') {
      const outputs = into === undefined ? {} : { outputs: [{ key: into, guaranteed: true }] }
      return { inputs: [{ key, required: true }], ...outputs }
    }
    const out = into ?? 'summary'
    return this.dice.pick<() => Partial<Node>>([
      () => ({ spec: { template: { [out]: `about {{${key}}}` } } }),
      () => ({ spec: { writes: { [out]: { from: key } } } }),
      () => ({ spec: { ask: `Is {{${key}}} right?`, options: ['yes', 'no'], ...(into === undefined ? {} : { writes: into }) } }),
    ])()
  }

  /** Keys that are surely there and have several values. */
  choosable(): string[] {
    return [...this.sure].filter((key) => DOMAINS[key] !== undefined && !this.fixed.has(key))
  }

  branching(): Partial<Node> {
    return this.style === 'contract' ? {} : { spec: { ask: 'Where to?' } }
  }

  workflow(): Workflow {
    const keys = [...new Set([...this.used, ...Object.keys(SCHEMAS)])].filter((key) => Object.hasOwn(SCHEMAS, key))
    const board = Object.fromEntries(keys.map((key) => [key, SCHEMAS[key] ?? {}]))
    return { id: this.id, entry: this.entry, nodes: this.nodes, edges: this.edges, board }
  }
}

/** Guards that leave no state of a key without an open edge; `there`: the key is surely on the board. */
export function guardsFor(dice: Dice, key: string, there: boolean): Guard[] {
  const values = DOMAINS[key]
  const absent: Guard[] = there ? [] : [{ type: 'not-exists', key }]
  if (values === undefined)
    return [
      { type: 'exists', key },
      { type: 'not-exists', key },
    ]
  const value = dice.pick(values)
  const text = JSON.stringify(value)
  return dice
    .pick<() => Guard[]>([
      () => [...values.map((one): Guard => ({ type: 'equals', key, value: one })), ...absent],
      () => [
        { type: 'equals', key, value },
        { type: 'not-equals', key, value },
      ],
      () => [
        { type: 'exists', key },
        { type: 'not-exists', key },
      ],
      () =>
        there
          ? [
              { type: 'cel', expr: `${key} == ${text}` },
              { type: 'cel', expr: `${key} != ${text}` },
            ]
          : [
              { type: 'cel', expr: `has(board.${key}) && ${key} == ${text}` },
              { type: 'cel', expr: `!has(board.${key}) || ${key} != ${text}` },
            ],
    ])()
    .slice(0)
}

/** Guards over two keys that are surely there. */
export function jointGuards(dice: Dice, one: string, other: string): Guard[] {
  const [a, b] = [JSON.stringify(dice.pick(DOMAINS[one] ?? [0])), JSON.stringify(dice.pick(DOMAINS[other] ?? [0]))]
  return [
    { type: 'cel', expr: `${one} == ${a} && ${other} == ${b}` },
    { type: 'cel', expr: `${one} != ${a} || ${other} != ${b}` },
  ]
}
