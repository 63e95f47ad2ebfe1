import { isList, isObject, type Json } from '../../../kernel/index.ts'
import { ANYTHING, describeDomain, type Domain, domainOf } from './domain.ts'
import { compileExpression, type Expression, type ExpressionRead, quote, type StepBudget, type TextSpan } from '../../../text/index.ts'
import { guardExpression } from '../guards/cel-guard.ts'
import type { Finding } from './finding.ts'
import { boardOf } from './condition.ts'
import type { Layout } from './layout.ts'

/** The limit of states that are tried for one expression, and of values for one read. */
const MOST_STATES = 64
const MOST_VALUES = 8
/** The limit of states that are tried for all expressions of a workflow, and of the steps for all of them. */
const MOST_TRIED = 100_000
const MOST_STEPS = 1_000_000

/**
 * Returns the parts of guards that fail for all values of the declared types, such as a number compared with a text (seed
 * workflow 6.3). An expression is tried with a value of each type. A part that fails because of a type is then tried alone, so
 * that no other part hides it. `reported` has the expressions that are already reported.
 */
export function brokenExpressions(layout: Layout, reported: ReadonlySet<string>): Finding[] {
  if (layout.workflow.board === undefined) return []
  let left = MOST_TRIED
  const budget: StepBudget = { left: MOST_STEPS }
  return layout.nodes.flatMap(({ id, outgoing }) =>
    outgoing.flatMap(({ edge, index }): Finding[] => {
      const { guard } = edge
      const path = ['edges', index, 'guard', 'expr']
      if (guard?.type !== 'cel' || left <= 0 || budget.left <= 0 || reported.has(JSON.stringify(path))) return []
      left -= MOST_STATES
      const broken = brokenPart(layout, guardExpression(guard).expression, budget)
      if (broken === undefined) return []
      return [
        {
          rule: 'NEVER_EVALUATED',
          nodeId: id,
          key: broken.key,
          message: `the guard of edge ${quote(edge.id)} always fails: ${broken.why}`,
          path,
          within: broken.span,
          note: `${quote(broken.name)} is ${describeDomain(broken.domain)}`,
          fix: 'compare values of the same type, or correct the schema of the key',
        },
      ]
    }),
  )
}

interface BrokenPart {
  readonly span: TextSpan
  readonly why: string
  readonly key: string
  /** The read whose type makes the part fail, and its domain. */
  readonly name: string
  readonly domain: PartDomain
}

function brokenPart(layout: Layout, expression: Expression | undefined, budget: StepBudget): BrokenPart | undefined {
  if (expression === undefined) return undefined
  const tried = new Set<string>()
  for (const state of statesOf(layout, expression, 'some') ?? []) {
    const result = expression.evaluate(state, budget)
    if (result.ok || result.failure.reason !== 'type') continue
    const { offset, length, message } = result.failure
    const text = expression.text.slice(offset, offset + length)
    if (tried.has(text)) continue
    tried.add(text)
    const part = compileExpression(text, { allVariables: 'board' }).expression
    const [read] = part?.reads ?? []
    const domain = read?.key === undefined ? undefined : partDomain(layout.schema(read.key), read.path)
    if (part === undefined || read?.key === undefined || domain === undefined || !failsAlways(layout, part, budget)) continue
    const name = text.slice(read.offset, read.offset + read.length)
    return { span: { offset, length }, why: message, key: read.key, name, domain }
  }
  return undefined
}

/** True if an expression fails because of types in each state. False if the type of a read is unknown. */
function failsAlways(layout: Layout, part: Expression, budget: StepBudget): boolean {
  const states = statesOf(layout, part, 'all')
  return (
    states !== undefined &&
    states.every((state) => {
      const result = part.evaluate(state, budget)
      return !result.ok && result.failure.reason === 'type'
    })
  )
}

/**
 * Returns states with a value of each type for each read, including values that the expression names. `all`: undefined if there
 * are too many states or a type is unknown. `some`: a part of the states then.
 */
function statesOf(layout: Layout, { reads, text }: Expression, coverage: 'all' | 'some'): ReturnType<typeof boardOf>[] | undefined {
  let states: ReadonlyMap<string, Json>[] = [new Map()]
  const known = new Map<string, string>()
  for (const { key, path } of reads) {
    const domain = key === undefined ? undefined : partDomain(layout.schema(key), path)
    const before = key === undefined ? undefined : known.get(key)
    if (key === undefined || domain === undefined || (before !== undefined && before !== JSON.stringify(path))) {
      if (coverage === 'all') return undefined
      continue
    }
    if (before !== undefined) continue
    known.set(key, JSON.stringify(path))
    const samples = samplesOf(domain, text)
    const most = Math.max(1, Math.floor(MOST_STATES / states.length))
    if (coverage === 'all' && samples.length > most) return undefined
    states = states.flatMap((state) => samples.slice(0, most).map((sample) => new Map([...state, [key, wrapValue(path, sample)]])))
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
const NAMED_VALUE = /"([^"\\]*)"|'([^'\\]*)'|\d+/g

/** Returns a few values of each type. Values that the expression names are included, because other parts of it compare with them. */
function samplesOf({ values, types }: PartDomain, text: string): readonly Json[] {
  if (values !== undefined && values.size <= MOST_VALUES) return [...values.values()]
  const named = [...text.matchAll(NAMED_VALUE)]
    .map(([whole, double, single]): Json => double ?? single ?? Number(whole))
    .slice(0, MOST_VALUES)
  return [...(types ?? [])].flatMap((type) => [...(SAMPLES[type] ?? []), ...named.filter((value) => typeof value === type)])
}

/** Returns a value that has another value at a path. */
function wrapValue(path: ExpressionRead['path'], value: Json): Json {
  return path.reduceRight<Json>(
    (inner, step) => (typeof step === 'number' ? Array.from({ length: step + 1 }, () => inner) : { [step]: inner }),
    value,
  )
}

/** The domain of a part of a value: a few values, or types. */
type PartDomain = Pick<Domain, 'values' | 'types'>

/** Keywords with which a part may differ from its entry in "properties". */
const COMPOSED = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'dependentSchemas', 'prefixItems']
/** The limit of the length of a list that is created to have an element at an index. */
const MOST_ELEMENTS = 16

/** Returns the domain of a part of a value of a schema; undefined if its types are unknown. */
function partDomain(schema: Json | undefined, path: readonly (string | number)[]): PartDomain | undefined {
  let at = schema
  for (const step of path) {
    if (!isObject(at) || COMPOSED.some((word) => isObject(at) && at[word] !== undefined)) return undefined
    const { properties, items } = at
    if (typeof step === 'number') at = step < MOST_ELEMENTS && !isList(items) ? items : undefined
    else at = isObject(properties) && Object.hasOwn(properties, step) ? properties[step] : undefined
  }
  if (!isObject(at) || at.$ref !== undefined) return undefined
  const domain = domainOf(at)
  return domain === ANYTHING || (domain.types === undefined && domain.values === undefined) ? undefined : domain
}
