// proves: dataflow S4
// proves: dataflow 17
// proves: dataflow 18
// COMP-4 to COMP-10 are other names of V.4 and V.2 (reference 6.4).
// proves: dataflow V.2, dataflow COMP-7, dataflow COMP-8, dataflow COMP-9, dataflow COMP-10
// proves: dataflow V.4, dataflow COMP-4, dataflow COMP-5, dataflow COMP-6
// proves: dataflow D.3
// proves: dataflow X.2
// proves: dataflow X.5
// proves: dataflow S6
import { describe, expect, it } from 'vitest'
import { definePrimitive } from '../../../../src/kinds/dataflow/manifests/define-primitive.ts'
import { type Manifest, PRIMITIVE_KINDS, type PrimitiveKind } from '../../../../src/kinds/dataflow/model/manifest.ts'
import type { Primitive } from '../../../../src/kinds/dataflow/model/primitive.ts'
import { PORT_TYPES, type PortType } from '../../../../src/kinds/dataflow/model/value.ts'
import { compile } from '../compile.ts'

/** The types of the ports that a manifest of each kind can have (reference 1.2). */
const INPUTS: Readonly<Record<PrimitiveKind, readonly PortType[]>> = {
  source: [],
  compute: ['Number', 'Series', 'Bool'],
  trigger: ['Number', 'Series', 'Bool', 'Event'],
  action: PORT_TYPES,
}
const OUTPUTS: Readonly<Record<PrimitiveKind, readonly PortType[]>> = {
  source: ['Number', 'Series', 'Bool', 'String'],
  compute: ['Number', 'Series', 'Bool', 'String'],
  trigger: ['Event'],
  action: ['Event'],
}

/** A primitive of a kind with an optional input of each type and an output of each type that the kind can have. */
function everything(kind: PrimitiveKind): Primitive {
  const manifest: Manifest = {
    kind,
    id: `any_${kind}`,
    version: '1.0.0',
    inputs: [
      ...INPUTS[kind].map((type) => ({ name: `in_${type}`, type, required: false })),
      ...(kind === 'action' ? [{ name: 'gate', type: 'Event' as const }] : []),
    ],
    outputs: kind === 'action' ? [{ name: 'outcome', type: 'Event' }] : OUTPUTS[kind].map((type) => ({ name: `out_${type}`, type })),
    parameters: [],
    execution: { deterministic: true },
    state: { allowed: false },
    side_effects: kind === 'action',
  }
  return definePrimitive(manifest, () => ({}) as never)
}

const primitives = PRIMITIVE_KINDS.map(everything)

/** The wiring matrix of the reference (1.4), by hand: the kinds that feed an input. */
const FEEDERS: Readonly<Record<string, readonly PrimitiveKind[]>> = {
  source: [],
  compute: ['source', 'compute'],
  trigger: ['compute', 'trigger'],
  'action Event': ['trigger'],
  'action scalar': ['source', 'compute'],
}

interface Cell {
  readonly from: PrimitiveKind
  readonly to: PrimitiveKind
  readonly output: PortType
  readonly input: PortType
}

const CELLS: readonly Cell[] = PRIMITIVE_KINDS.flatMap((from) =>
  OUTPUTS[from].flatMap((output) =>
    PRIMITIVE_KINDS.flatMap((to) => (to === 'source' ? (['Number'] as const) : INPUTS[to]).map((input) => ({ from, to, output, input }))),
  ),
)

function rulesOf({ from, to, output, input }: Cell): (string | undefined)[] {
  const out = from === 'action' ? 'outcome' : `out_${output}`
  const document = {
    id: 'g',
    version: 1,
    nodes: {
      a: { impl: `any_${from}@1` },
      b: { impl: `any_${to}@1` },
      // Each action of the graph has its trigger.
      t: { impl: 'any_trigger@1' },
    },
    edges: [
      `a.${out} -> b.in_${input}`,
      ...(from === 'action' ? ['t.out_Event -> a.gate'] : []),
      ...(to === 'action' ? ['t.out_Event -> b.gate'] : []),
    ],
  }
  return compile(document, { primitives }).findings.map(({ rule }) => rule)
}

function expected({ from, to, output, input }: Cell): string[] {
  const column = to === 'action' ? (input === 'Event' ? 'action Event' : 'action scalar') : to
  const isLegal = FEEDERS[column]?.includes(from) === true
  // A source has no input whose type could differ.
  return [...(isLegal ? [] : ['V.2']), ...(output === input || to === 'source' ? [] : ['V.4'])]
}

describe('an edge', () => {
  it(`is accepted or refused as the matrix says, in each of ${CELLS.length} cells`, () => {
    const wrong = CELLS.filter((cell) => rulesOf(cell).join() !== expected(cell).join())
    expect(wrong.map((cell) => ({ ...cell, rules: rulesOf(cell) }))).toEqual([])
    expect(CELLS.filter((cell) => expected(cell).length === 0)).toHaveLength(3 + 4 + 3 + 3 + 1 + 4 + 1)
  })
})
