import { quote } from '../../../text/index.ts'
import type { PrimitiveKind } from '../model/manifest.ts'
import { type PortType, SCALAR_TYPES } from '../model/value.ts'
import type { ManifestReport } from './report.ts'

/** The types of ports that each kind can have (reference 1.2). */
const INPUT_TYPES: Readonly<Record<PrimitiveKind, readonly PortType[]>> = {
  source: [],
  compute: ['Number', 'Series', 'Bool'],
  trigger: ['Number', 'Series', 'Bool', 'Event'],
  action: ['Event', ...SCALAR_TYPES],
}
const OUTPUT_TYPES: Readonly<Record<PrimitiveKind, readonly PortType[]>> = {
  source: SCALAR_TYPES,
  compute: SCALAR_TYPES,
  trigger: ['Event'],
  action: ['Event'],
}

/** Checks the number, names and types of the ports of a manifest. */
export function checkPorts(report: ManifestReport): void {
  checkInputs(report)
  checkOutputs(report)
}

function checkInputs(report: ManifestReport): void {
  const { kind, manifest } = report
  const { inputs } = manifest
  if (kind === 'source') {
    if (inputs.length > 0) report.add('inputCount', ['inputs'], 'has an input', 'remove it; a value from another node needs a compute')
    return
  }
  if (kind === 'action' && !inputs.some(({ type }) => type === 'Event'))
    report.add('inputCount', ['inputs'], 'has no Event input', 'add one; a trigger decides through it if the action runs')
  if (kind !== 'action' && inputs.length === 0) report.add('inputCount', ['inputs'], 'has no input', 'add one, or use a source')
  report.addRepeats(
    'inputNames',
    inputs.map(({ name }, i) => [name, ['inputs', i, 'name']] as const),
    'input',
  )
  inputs.forEach(({ name, type, cardinality }, i) => {
    if (!INPUT_TYPES[kind].includes(type))
      report.add('inputTypes', ['inputs', i, 'type'], `has input ${quote(name)} of type ${type}`, `use ${listed(INPUT_TYPES[kind])}`)
    if (cardinality === 'multiple')
      report.add('cardinality', ['inputs', i, 'cardinality'], `has input ${quote(name)} for several edges`, 'write "single"')
  })
}

function checkOutputs(report: ManifestReport): void {
  const { kind, manifest } = report
  const { outputs } = manifest
  const single = kind === 'trigger' || kind === 'action'
  if (outputs.length === 0) report.add('outputCount', ['outputs'], 'has no output', single ? 'add one of type Event' : 'add one')
  else if (single && outputs.length > 1) report.add('outputCount', ['outputs'], `has ${outputs.length} outputs`, 'keep one')
  if (!single)
    report.addRepeats(
      'outputNames',
      outputs.map(({ name }, i) => [name, ['outputs', i, 'name']] as const),
      'output',
    )
  const [first] = outputs
  if (kind === 'action' && outputs.length === 1 && first?.name !== 'outcome')
    report.add('outputNames', ['outputs', 0, 'name'], `has output ${quote(first?.name ?? '')}`, 'rename it to "outcome"')
  outputs.forEach(({ name, type }, i) => {
    if (!OUTPUT_TYPES[kind].includes(type))
      report.add('outputTypes', ['outputs', i, 'type'], `has output ${quote(name)} of type ${type}`, `use ${listed(OUTPUT_TYPES[kind])}`)
  })
}

function listed(types: readonly string[]): string {
  return types.length === 1 ? types.join('') : `${types.slice(0, -1).join(', ')} or ${types.at(-1)}`
}
