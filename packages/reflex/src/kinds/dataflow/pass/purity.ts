import { canonicalJson, type Fault } from '../../../kernel/index.ts'
import { quote, shortJson } from '../../../text/index.ts'
import type { Manifest, ParameterDeclaration, ParameterValue } from '../model/manifest.ts'
import type { Inputs, Parameters, Primitive } from '../model/primitive.ts'
import type { PortType, Scalar } from '../model/value.ts'
import { callFunction, isPassError } from './call-function.ts'
import { faults } from './faults.ts'
import { type PlannedNode, planOf } from './plan.ts'

/** The arguments of one call of a function. */
export interface PurityCase {
  readonly inputs: Inputs
  /** Default: the defaults of the manifest. */
  readonly parameters?: Parameters
  /** The context of a source. */
  readonly context?: Readonly<Record<string, Scalar>>
}

/**
 * Returns the faults of a function that is not pure (`R1379`), or whose parameters are wrong (`R1375`); at most one for each case.
 *
 * Every case is called twice in a row, then all cases in reverse order, then in an order that mixes them. A result that differs from the
 * first of its case is a fault. A function that reads a clock may pass if the clock does not move meanwhile, so the cases should be many.
 */
export function purityFindings(primitive: Primitive, cases: readonly PurityCase[] = purityCases(primitive.manifest)): Fault[] {
  const first = cases.map((each) => observe(primitive, each))
  const again = cases.map((each) => observe(primitive, each))
  const findings = new Map<number, Fault>()
  const compare = (index: number, seen: Observation | undefined, when: string) => {
    const expected = first[index]
    if (expected === undefined || seen === undefined || findings.has(index)) return
    if (expected.fault !== undefined) findings.set(index, expected.fault)
    else if (expected.text !== seen.text) findings.set(index, impure(primitive, cases[index], [expected.text, seen.text], when))
  }
  for (const [i, each] of cases.entries()) {
    compare(i, again[i], 'in the same order')
    compare(i, observe(primitive, each), 'at once')
    compare(i, observe(primitive, each), 'at once')
  }
  const reversed = cases.map((_, i) => cases.length - 1 - i)
  for (const i of [...reversed, ...mixed(cases.length)]) {
    const each = cases[i]
    if (each !== undefined) compare(i, observe(primitive, each), 'in another order')
  }
  return [...findings].sort(([a], [b]) => a - b).map(([, fault]) => fault)
}

interface Observation {
  readonly text: string
  readonly fault?: Fault
}

function observe(primitive: Primitive, { inputs, parameters = {}, context = {} }: PurityCase): Observation {
  const planned = plannedAlone(primitive, parameters)
  if (planned.error !== undefined) return { text: '', fault: planned.error.fault }
  const result = callFunction(planned, inputs, { value: (key) => (Object.hasOwn(context, key) ? context[key] : undefined) })
  if (!isPassError(result)) return { text: canonicalJson(result) }
  const { name, port = '', detail = '', fault } = result
  return { text: `${name} ${port} ${detail} ${typeof fault.cause === 'string' ? fault.cause : (fault.cause?.message ?? '')}` }
}

function plannedAlone(primitive: Primitive, params: Parameters): PlannedNode {
  const { id, version } = primitive.manifest
  const node = { id: 'n0', primitive, selector: version, params, path: [] }
  const [planned] = planOf({ id, version, nodes: [node], edges: [], outputs: [], order: [0], producers: [{}] }).nodes
  if (planned === undefined) throw new TypeError('a graph with one node has a plan of one node')
  return planned
}

function impure({ manifest }: Primitive, given: PurityCase | undefined, [one, other]: readonly [string, string], when: string): Fault {
  const { inputs = {}, parameters = {}, context = {} } = given ?? {}
  const called = shortJson(JSON.stringify({ inputs, parameters, context }))
  return faults.finding(
    'R1379',
    `${manifest.kind} ${quote(manifest.id)} is not pure: called again ${when}, it gives ${other} instead of ${one} for ${called}`,
    {
      path: manifest.id,
    },
  )
}

/** Returns 0 to `count` − 1 in an order without a pattern that a counter would follow. */
function mixed(count: number): number[] {
  const keyed = Array.from({ length: count }, (_, i) => [(i * 2_654_435_761) % 4_294_967_296, i] as const)
  return keyed.sort(([a], [b]) => a - b).map(([, i]) => i)
}

const VALUES: Readonly<Record<PortType, readonly Scalar[]>> = {
  Number: [0, 1, -1, 0.5, 3, 1e308, -1e308, 5e-324, 2 ** 53, -2.25, 100, 1e-9],
  Bool: [true, false],
  String: ['', 'a', 'ä€𝄞'],
  Series: [[], [0], [1, 2, 3], [-1.5, 1e308, 5e-324], Array.from({ length: 20 }, (_, i) => i / 3)],
  Event: ['Emitted', 'NotEmitted'],
}
const CASES = 96

/** Returns calls of a function that cover the edges of its inputs and parameters, each input at another pace. */
export function purityCases({ kind, inputs, parameters, requires }: Manifest): PurityCase[] {
  return Array.from({ length: CASES }, (_, i) => {
    const pick = <T>(values: readonly T[], place: number): T => values[(i * (2 * place + 1) + (i >> 3) * place) % values.length] as T
    const valueOf = (type: PortType, place: number) => (kind === 'action' && type === 'Event' ? 'Attempted' : pick(VALUES[type], place))
    const connected = inputs.filter(({ required = true }, place) => required || (i + place) % 3 > 0)
    const stated = parameters.map((each, place) => [each.name, parameterOf(each, (values) => pick(values, place + 1))] as const)
    const values = Object.fromEntries(stated)
    const keys = (requires?.context ?? []).map(({ name, type }, place) => {
      const key = name.startsWith('$') ? String(values[name.slice(1)]) : name
      return [key, valueOf(type, place)] as const
    })
    return {
      inputs: Object.fromEntries(connected.map(({ name, type }, place) => [name, valueOf(type, place)])),
      parameters: values,
      context: Object.fromEntries(keys),
    }
  })
}

function parameterOf(declaration: ParameterDeclaration, pick: <T>(values: readonly T[]) => T): ParameterValue {
  if (declaration.type === 'Enum') return pick(declaration.values ?? [''])
  if (declaration.type === 'Int') return pick([0, 1, -1, 7, 2 ** 53])
  const usual = declaration.default === undefined ? [] : [declaration.default]
  return pick([...usual, ...(VALUES[declaration.type] as readonly ParameterValue[])])
}
