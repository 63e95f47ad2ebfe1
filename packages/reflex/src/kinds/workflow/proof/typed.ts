import type { Json } from '../../../kernel/journal/json.ts'
import { compileExpression, type ExpressionRead, type Expression, type Purse, quote, type Stretch } from '../../../text/index.ts'
import { guardExpression } from '../cel-guard.ts'
import { domainInWords } from './domain.ts'
import type { Finding } from './finding.ts'
import { boardOf } from './condition.ts'
import type { Sheet } from './sheet.ts'
import { type PartDomain, partDomain } from './part-domain.ts'

/** States that are tried of one expression, and values of one read. */
const MOST_STATES = 64
const MOST_VALUES = 8
/** States that are tried of all expressions of a workflow, and the steps that they may take together. */
const MOST_TRIED = 100_000
const MOST_STEPS = 1_000_000

/**
 * Parts of guards that fail whatever values of their declared types the keys have, such as a number compared with a text
 * (seed workflow 6.3). An expression is tried with a value of each type; a part that a type breaks is then tried alone, so
 * that no other part hides it. `told`: the expressions of which it was said already that they fail.
 */
export function brokenExpressions(sheet: Sheet, told: ReadonlySet<string>): Finding[] {
  if (sheet.workflow.board === undefined) return []
  let left = MOST_TRIED
  const purse: Purse = { left: MOST_STEPS }
  return sheet.stops.flatMap(({ id, leaving }) =>
    leaving.flatMap(({ edge, index }): Finding[] => {
      const { guard } = edge
      const path = ['edges', index, 'guard', 'expr']
      if (guard?.type !== 'cel' || left <= 0 || purse.left <= 0 || told.has(JSON.stringify(path))) return []
      left -= MOST_STATES
      const broken = brokenPart(sheet, guardExpression(guard).expression, purse)
      if (broken === undefined) return []
      return [
        {
          rule: 'NEVER_EVALUATED',
          nodeId: id,
          key: broken.key,
          message: `the guard of edge ${quote(edge.id)} always fails here: ${broken.why}`,
          path,
          within: broken.stretch,
          note: `${quote(broken.name)} is ${domainInWords(broken.domain)}`,
          fix: 'compare values of the same type, or correct the schema of the key',
        },
      ]
    }),
  )
}

interface Broken {
  readonly stretch: Stretch
  readonly why: string
  readonly key: string
  /** The read whose type breaks it, and what it can be. */
  readonly name: string
  readonly domain: PartDomain
}

function brokenPart(sheet: Sheet, expression: Expression | undefined, purse: Purse): Broken | undefined {
  if (expression === undefined) return undefined
  const tried = new Set<string>()
  for (const state of statesOf(sheet, expression, 'some') ?? []) {
    const result = expression.evaluate(state, purse)
    if (result.ok || result.failure.reason !== 'type') continue
    const { offset, length, message } = result.failure
    const text = expression.text.slice(offset, offset + length)
    if (tried.has(text)) continue
    tried.add(text)
    const part = compileExpression(text, { whole: 'board' }).expression
    const [read] = part?.reads ?? []
    const domain = read?.key === undefined ? undefined : partDomain(sheet.schema(read.key), read.path)
    if (part === undefined || read?.key === undefined || domain === undefined || !failsAlways(sheet, part, purse)) continue
    const name = text.slice(read.offset, read.offset + read.length)
    return { stretch: { offset, length }, why: message, key: read.key, name, domain }
  }
  return undefined
}

/** Whether an expression fails for its types in each state; of what it reads every type must be known. */
function failsAlways(sheet: Sheet, part: Expression, purse: Purse): boolean {
  const states = statesOf(sheet, part, 'all')
  return (
    states !== undefined &&
    states.every((state) => {
      const result = part.evaluate(state, purse)
      return !result.ok && result.failure.reason === 'type'
    })
  )
}

/**
 * States with a value of each type for each read, among them the values that the expression names. `all`: undefined where
 * they are too many, or where a type is not known; `some` of them otherwise.
 */
function statesOf(sheet: Sheet, { reads, text }: Expression, which: 'all' | 'some'): ReturnType<typeof boardOf>[] | undefined {
  let states: ReadonlyMap<string, Json>[] = [new Map()]
  const known = new Map<string, string>()
  for (const { key, path } of reads) {
    const domain = key === undefined ? undefined : partDomain(sheet.schema(key), path)
    const before = key === undefined ? undefined : known.get(key)
    if (key === undefined || domain === undefined || (before !== undefined && before !== JSON.stringify(path))) {
      if (which === 'all') return undefined
      continue
    }
    if (before !== undefined) continue
    known.set(key, JSON.stringify(path))
    const samples = samplesOf(domain, text)
    const most = Math.max(1, Math.floor(MOST_STATES / states.length))
    if (which === 'all' && samples.length > most) return undefined
    states = states.flatMap((state) => samples.slice(0, most).map((sample) => new Map([...state, [key, wrapped(path, sample)]])))
  }
  return states.map(boardOf)
}

const SAMPLES: Readonly<Record<string, readonly Json[]>> = {
  null: [null],
  boolean: [true, false],
  number: [0, 1000.5],
  string: ['', 'a'],
  array: [[]],
  object: [{}],
}
const NAMED = /"([^"\\]*)"|'([^'\\]*)'|\d+/g

/** A few values of each type. Values that a text names are the ones that other parts of an expression ask for. */
function samplesOf({ values, types }: PartDomain, text: string): readonly Json[] {
  if (values !== undefined && values.size <= MOST_VALUES) return [...values.values()]
  const named = [...text.matchAll(NAMED)].map(([whole, double, single]): Json => double ?? single ?? Number(whole)).slice(0, MOST_VALUES)
  return [...(types ?? [])].flatMap((type) => [...(SAMPLES[type] ?? []), ...named.filter((value) => typeof value === type)])
}

/** A value that has another at a path. */
function wrapped(path: ExpressionRead['path'], value: Json): Json {
  return path.reduceRight<Json>(
    (inner, step) => (typeof step === 'number' ? Array.from({ length: step + 1 }, () => inner) : { [step]: inner }),
    value,
  )
}
