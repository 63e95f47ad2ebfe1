import { Fault, faultData } from '../../../kernel/index.ts'
import { checkSchema, type Locator, type Path, pathOnly, quote, quoteAll, valueAt } from '../../../text/index.ts'
import { type Manifest, type ParameterDeclaration, PRIMITIVE_KINDS, type PrimitiveKind } from '../model/manifest.ts'
import { bindParameter } from './bind-parameter.ts'
import { checkEffects, writtenNames } from './check-effects.ts'
import { checkPorts } from './check-ports.ts'
import { ManifestReport } from './report.ts'
import { RULES } from './rules.ts'
import { manifestFile } from './schema.ts'
import { isVersion } from './version.ts'

export interface CheckManifestOptions {
  /** The kind of the function. Default: that of the manifest. */
  readonly kind?: PrimitiveKind | undefined
  readonly locate?: Locator | undefined
  /** Returns the text of a number, for a manifest that was read from a text: an integer beyond 2^53 is rounded in its value. */
  readonly numberText?: ((path: Path) => string) | undefined
}

/**
 * Returns the rules that a manifest breaks (reference 3.6), in the order of their numbers. A value that has not the shape of a manifest gets
 * the faults of its shape (`R1011` to `R1015`) and no others; a port type that does not exist has its rule.
 */
export function checkManifest(value: unknown, { kind, locate = pathOnly, numberText }: CheckManifestOptions = {}): Fault[] {
  const shape = checkSchema(manifestFile(), value, { locate })
  if (shape.length > 0) return shape.map((fault) => withRule(fault, kind ?? kindOf(value)))
  const manifest = value as Manifest
  const report = new ManifestReport(manifest, kind ?? manifest.kind, locate)
  checkIdentity(report)
  checkPorts(report)
  checkObligations(report)
  checkParameters(report, numberText)
  checkKeys(report)
  checkEffects(report)
  return report.faults()
}

/** The rules about the types of ports, which a word that is no type breaks, too. */
const TYPE_RULES = [
  [/(?:^|\.)inputs\[\d+\]\.type$/, 'inputTypes'],
  [/(?:^|\.)outputs\[\d+\]\.type$/, 'outputTypes'],
  [/(?:^|\.)writes\[\d+\]\.type$/, 'writeTypes'],
] as const

function withRule(fault: Fault, kind: PrimitiveKind | undefined): Fault {
  const subject = fault.code === 'R1014' ? TYPE_RULES.find(([path]) => path.test(fault.path ?? ''))?.[1] : undefined
  const rule = subject === undefined || kind === undefined ? undefined : RULES[subject].ids[kind]
  return rule === undefined ? fault : new Fault(fault.code, fault.message, fault.verdict, { ...faultData(fault), rule })
}

function kindOf(value: unknown): PrimitiveKind | undefined {
  const kind = valueAt(value, ['kind'])
  return PRIMITIVE_KINDS.find((each) => each === kind)
}

function checkIdentity(report: ManifestReport): void {
  const { id, version, kind } = report.manifest
  if (!/^[a-z][a-z0-9_]*$/.test(id))
    report.add('id', ['id'], 'has an id that is not an identifier', 'use lower-case letters, digits and underscores, a letter first')
  if (!isVersion(version))
    report.add(
      'version',
      ['version'],
      `has version ${quote(version)}, which is not a semantic version`,
      'write three parts, such as "1.0.0"',
    )
  if (kind !== report.kind)
    report.add('kind', ['kind'], `has a manifest of kind ${quote(kind)}`, `write ${quote(report.kind)}, or give a function of that kind`)
}

function checkObligations(report: ManifestReport): void {
  const { kind, manifest } = report
  const { state, execution, side_effects: sideEffects, errors } = manifest
  if (state.allowed && !(kind === 'compute' && state.resettable === true))
    report.add('state', ['state', 'allowed'], 'keeps state', 'keep it in a key of the context, which an action writes and a source reads')
  if (sideEffects !== (kind === 'action'))
    report.add(
      'sideEffects',
      ['side_effects'],
      kind === 'action' ? 'has no side effects' : 'has side effects',
      kind === 'action' ? 'write true; what decides without an effect is a compute' : 'write false; only actions have side effects',
    )
  if (!execution.deterministic) report.add('deterministic', ['execution', 'deterministic'], 'is not deterministic', 'write true')
  if (execution.cadence === 'event')
    report.add('cadence', ['execution', 'cadence'], 'has cadence "event"', 'write "continuous"; every primitive runs once for each event')
  if (execution.retryable === true) report.add('retryable', ['execution', 'retryable'], 'can be retried', 'write false')
  if (errors?.allowed === true && !errors.deterministic)
    report.add('errors', ['errors', 'deterministic'], 'has errors that are not deterministic', 'write true')
  for (const [block, owner] of BLOCKS)
    if (manifest[block] !== undefined && kind !== owner)
      report.add('misplacedBlock', [block], `has ${quote(block)}, which only ${owner}s have`, `remove ${quote(block)}`)
}

const BLOCKS = [
  ['requires', 'source'],
  ['errors', 'compute'],
  ['effects', 'action'],
] as const

function checkParameters(report: ManifestReport, numberText: CheckManifestOptions['numberText']): void {
  const { kind, manifest } = report
  const { parameters } = manifest
  report.addRepeats(
    'parameterNames',
    parameters.map(({ name }, i) => [name, ['parameters', i, 'name']] as const),
    'parameter',
  )
  parameters.forEach((parameter, i) => {
    const { name, type, values } = parameter
    const at = (field: string) => ['parameters', i, field] as const
    if (kind === 'compute' && (type === 'String' || type === 'Enum'))
      report.add('parameterTypes', at('type'), `has parameter ${quote(name)} of type ${type}`, 'use Number, Int or Bool')
    else if (type === 'Enum' && (values === undefined || values.length === 0))
      report.add('enumValues', at('type'), `has parameter ${quote(name)} of type Enum without values`, 'list them in "values"')
    else if (parameter.default !== undefined) checkDefault(report, parameter, at('default'), numberText)
  })
}

function checkDefault(
  report: ManifestReport,
  parameter: ParameterDeclaration,
  path: Path,
  numberText: CheckManifestOptions['numberText'],
): void {
  const text = typeof parameter.default === 'number' ? numberText?.(path) : undefined
  const bound = bindParameter(parameter, parameter.default, text)
  if ('problem' in bound)
    report.add('defaults', path, `has a wrong default: parameter ${quote(parameter.name)} ${bound.problem.reason}`, bound.problem.fix)
}

/** Checks each `$name` in place of a key. */
function checkKeys(report: ManifestReport): void {
  const { requires, parameters } = report.manifest
  const required = (requires?.context ?? []).map(({ name }, i) => [name, ['requires', 'context', i, 'name']] as const)
  const keys = [...required, ...writtenNames(report.manifest)]
  for (const [key, path] of keys) {
    if (!key.startsWith('$')) continue
    const parameter = parameters.find(({ name }) => name === key.slice(1))
    const texts = parameters.filter(({ type }) => type === 'String').map(({ name }) => `$${name}`)
    const fix = texts.length === 0 ? 'declare it as a String' : `declare it as a String, or write ${quoteAll(texts)}`
    if (parameter === undefined) report.add('keyParameter', path, `has the key ${quote(key)} and no such parameter`, fix)
    else if (parameter.type !== 'String')
      report.add('keyParameterType', path, `has the key ${quote(key)}, and the parameter is of type ${parameter.type}`, fix)
  }
}
