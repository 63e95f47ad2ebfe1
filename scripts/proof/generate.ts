/**
 * Correct programs, made of blocks that keep them correct: what is read was written on each path or is guarded, guards
 * leave no gap, calls hand over what their children need, recursion has a way out.
 */
import type { Guard, NodeInput, Workflow } from '../../packages/reflex/src/kinds/workflow/types/index.ts'
import { DOMAINS, FREE, guardsFor, jointGuards, Maker, SCHEMAS, type Style } from './maker.ts'
import type { Dice } from './random.ts'

/** A program with what its making knows of it. */
export interface MadeProgram {
  readonly workflows: readonly Workflow[]
}

type Block = (maker: Maker) => void

const BLOCKS: readonly Block[] = [write, write, write, branch, branch, branch, joint, read, read, rules, correlated, guardedRead]

function write(maker: Maker): void {
  const key = maker.dice.pick([...Object.keys(DOMAINS), ...FREE])
  maker.add('write', maker.writing(key))
  maker.sure.add(key)
}

function read(maker: Maker): void {
  const keys = [...maker.sure]
  if (keys.length === 0) return
  const id = maker.add('read', maker.reading(maker.dice.pick(keys)))
  for (const key of Object.keys(maker.nodes[id]?.spec.template ?? maker.nodes[id]?.spec.writes ?? {})) maker.sure.add(key)
}

function branch(maker: Maker): void {
  const { dice } = maker
  const sure = maker.choosable()
  const key =
    sure.length > 0 && dice.chance(0.8)
      ? dice.pick(sure)
      : [...maker.maybe].find((one) => DOMAINS[one] !== undefined && !maker.sure.has(one) && !maker.fixed.has(one))
  if (key !== undefined) return fork(maker, guardsThatCanOpen(maker, key))
  const fresh = dice.pick(maker.style === 'contract' ? Object.keys(DOMAINS) : ['state', 'verdict', 'answer'])
  maker.add(
    'ask',
    maker.style === 'contract' ? maker.writing(fresh) : { spec: { ask: `Which ${fresh}?`, options: DOMAINS[fresh] ?? [], writes: fresh } },
  )
  maker.fixed.delete(fresh)
  maker.sure.add(fresh)
  fork(maker, guardsThatCanOpen(maker, fresh))
}

/** What is surely there is never asked to be missing: the edge would never be open. */
function guardsThatCanOpen(maker: Maker, key: string): Guard[] {
  maker.used.add(key)
  const there = maker.sure.has(key)
  const guards = guardsFor(maker.dice, key, there)
  return there ? guards.filter(({ type }) => type !== 'not-exists') : guards
}

function joint(maker: Maker): void {
  const sure = maker.style === 'contract' ? maker.choosable() : []
  const [one, other] = maker.dice.some(sure, 2)
  if (one !== undefined && other !== undefined) fork(maker, jointGuards(maker.dice, one, other))
}

/** Ways that part and come together again; what all of them write is there behind. */
function fork(maker: Maker, guards: readonly Guard[]): void {
  const { dice } = maker
  const at = maker.add('choose', maker.branching())
  const before = new Set(maker.sure)
  const ends: { readonly end: string; readonly guard?: Guard; readonly sure: ReadonlySet<string> }[] = []
  const both = dice.chance(0.3) ? dice.pick(FREE) : undefined
  for (const guard of dice.chance(0.2) ? [...guards.slice(1), undefined] : guards) {
    if (dice.chance(0.3) && both === undefined) {
      ends.push({ end: at, sure: before, ...(guard === undefined ? {} : { guard }) })
      continue
    }
    const key = both ?? dice.pick(FREE)
    const arm = maker.add('arm', maker.writing(key), guard, at)
    ends.push({ end: arm, sure: new Set([...before, key]) })
    maker.maybe.add(key)
  }
  const join = maker.add('join', {}, ends[0]?.guard, ends[0]?.end ?? at)
  for (const { end, guard } of ends.slice(1)) maker.link(end, join, guard)
  maker.sure = new Set([...(ends[0]?.sure ?? before)].filter((key) => ends.every(({ sure }) => sure.has(key))))
}

/** A node whose rules choose; the second way takes what the first leaves. */
function rules(maker: Maker): void {
  const { dice } = maker
  const [key] = dice.some(maker.choosable(), 1)
  if (key === undefined || maker.style === 'contract') return
  const value = dice.pick(DOMAINS[key] ?? [])
  const extra = dice.pick(FREE)
  const at = maker.add('rules')
  const first = maker.add('yes', {}, undefined, at)
  const second = maker.add('no', {}, undefined, at)
  const spec = {
    rules: [
      { when: { type: 'equals', key, value }, go: first, writes: { [extra]: 'by rule' } },
      { go: second, writes: { [extra]: 'else' } },
    ],
  }
  maker.nodes[at] = { id: at, spec }
  const join = maker.add('join', {}, undefined, first)
  maker.link(second, join)
  maker.sure.add(extra)
  maker.used.add(extra)
}

/** One arm writes a key, and a later choice by the same value reads it: right, though not each path writes it. */
function correlated(maker: Maker): void {
  const { dice } = maker
  const [key] = dice.some(maker.choosable(), 1)
  const free = FREE.filter((one) => !maker.sure.has(one) && !maker.maybe.has(one) && one !== 'summary')
  if (key === undefined || free.length === 0) return
  const value = dice.pick(DOMAINS[key] ?? [])
  const extra = dice.pick(free)
  const [yes, no]: Guard[] = [
    { type: 'equals', key, value },
    { type: 'not-equals', key, value },
  ]
  for (const node of [maker.writing(extra), maker.reading(extra)]) {
    const at = maker.add('same', maker.branching())
    const arm = maker.add('then', node, yes, at)
    const join = maker.add('join', {}, undefined, arm)
    maker.link(at, join, no)
  }
  maker.maybe.add(extra)
}

/** A key that may be missing is read where a guard has found it. */
function guardedRead(maker: Maker): void {
  const [key] = maker.dice.some(
    [...maker.maybe].filter((one) => !maker.sure.has(one)),
    1,
  )
  if (key === undefined) return
  const at = maker.add('perhaps', maker.branching())
  const arm = maker.add('found', maker.reading(key), { type: 'exists', key }, at)
  const join = maker.add('join', {}, undefined, arm)
  maker.link(at, join, { type: 'not-exists', key })
}

/** A child that reads a key of its caller, may call itself again, and gives one key back. */
function makeChild(dice: Dice, id: string, style: Style, reads: string, gives: string): Workflow {
  const maker = new Maker(dice, id, style)
  const recursive = dice.chance(0.5)
  maker.used.add(reads)
  const input: NodeInput = { key: reads, required: true, inherited: true }
  const needs = style === 'contract' ? { inputs: [input] } : { spec: { template: { summary: `for {{${reads}}}` } } }
  maker.used.add('answer')
  maker.add('look', needs)
  maker.sure.add(reads)
  if (recursive) {
    maker.add(
      'more',
      style === 'contract' ? maker.writing('answer') : { spec: { ask: 'Once more?', options: ['accept', 'reject'], writes: 'answer' } },
    )
    maker.add('again', maker.branching())
    const at = maker.tail
    const deeper = maker.add(
      'deeper',
      { spec: {}, invokes: { workflowId: id, returnMap: [{ parentKey: 'reason', childKey: gives }] } },
      { type: 'equals', key: 'answer', value: 'reject' },
      at,
    )
    const end = maker.add('give', maker.writing(gives), undefined, deeper)
    maker.link(at, end, { type: 'not-equals', key: 'answer', value: 'reject' })
  } else {
    if (dice.chance(0.5)) dice.pick([write, branch, read])(maker)
    maker.add('give', maker.writing(gives))
  }
  return maker.workflow()
}

/** A call of a child, with what it reads there, perhaps under another name here. */
function call(maker: Maker, child: string, reads: string, gives: string): void {
  const { dice } = maker
  // Of what is there, a key without a schema fits any that has none.
  const [other] =
    SCHEMAS[reads] === undefined && dice.chance(0.4)
      ? dice.some(
          [...maker.sure].filter((key) => key !== reads && SCHEMAS[key] === undefined),
          1,
        )
      : []
  if (other !== undefined) maker.used.add(other)
  if (!maker.sure.has(reads) && other === undefined) {
    maker.add('write', maker.writing(reads))
    maker.sure.add(reads)
  }
  const parentKey = dice.pick(FREE.filter((key) => key !== reads && (DOMAINS[gives] === undefined || SCHEMAS[key] === undefined)))
  const fits = SCHEMAS[gives] === undefined || SCHEMAS[parentKey] === undefined
  const into = fits ? parentKey : gives
  maker.add('call', {
    spec: {},
    invokes: {
      workflowId: child,
      returnMap: [{ parentKey: into, childKey: gives }],
      ...(other === undefined ? {} : { inputMap: [{ from: other, to: reads }] }),
    },
  })
  maker.sure.add(into)
  maker.used.add(into)
  if (dice.chance(0.7)) maker.add('use', maker.reading(into))
}

/** A workflow that only passes on what another one needs and gives. */
function makeMiddle(dice: Dice, style: Style, reads: string, gives: string): Workflow {
  const maker = new Maker(dice, 'middle', style)
  if (dice.chance(0.5)) maker.add('first')
  maker.add('inner', { spec: {}, invokes: { workflowId: 'child', returnMap: [{ parentKey: gives, childKey: gives }] } })
  const needs: NodeInput = { key: reads, required: true, inherited: true }
  if (style === 'contract') maker.add('last', { inputs: [needs], outputs: [{ key: gives, guaranteed: false }] })
  return maker.workflow()
}

/** A correct program of one to three workflows. */
export function makeProgram(dice: Dice): MadeProgram {
  const style: Style = dice.chance(0.5) ? 'contract' : 'spec'
  const maker = new Maker(dice, 'main', style)
  const given = dice.pick(FREE.filter((key) => key !== 'amount'))
  // A declared input from outside: the contracts of the workflow name its inputs.
  maker.add('start', { inputs: [{ key: given, required: true, inherited: true }] })
  maker.sure.add(given)
  maker.used.add(given)
  const others: Workflow[] = []
  const count = 1 + dice.below(4)
  for (let i = 0; i < count; i++) dice.pick(BLOCKS)(maker)
  if (dice.chance(0.6)) {
    const reads = dice.pick(['customer', 'ticket', ...[...maker.sure].filter((key) => key !== 'answer')])
    const gives = dice.pick(['verdict', 'channel', 'reason'].filter((key) => key !== reads))
    const child = makeChild(dice, 'child', dice.chance(0.8) ? style : style === 'spec' ? 'contract' : 'spec', reads, gives)
    const middle = dice.chance(0.3) ? makeMiddle(dice, style, reads, gives) : undefined
    others.push(child, ...(middle === undefined ? [] : [middle]))
    call(maker, (middle ?? child).id, reads, gives)
  }
  for (let i = dice.below(3); i > 0; i--) dice.pick(BLOCKS)(maker)
  maker.add('end', dice.chance(0.5) ? {} : maker.writing(dice.pick(FREE)))
  return { workflows: [maker.workflow(), ...others] }
}
