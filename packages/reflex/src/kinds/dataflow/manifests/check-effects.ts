import { type Path, quote } from '../../../text/index.ts'
import { SET_CONTEXT } from '../model/effect.ts'
import type { InputPort, IntentDeclaration, IntentField, Manifest, MirrorWrite } from '../model/manifest.ts'
import type { ManifestReport } from './report.ts'

/** Checks the writes and intents of an action. */
export function checkEffects(report: ManifestReport): void {
  const { writes = [], intents = [] } = report.kind === 'action' ? (report.manifest.effects ?? {}) : {}
  report.addRepeats('writeNames', writtenNames(report.manifest), 'a write of')
  writes.forEach((write, i) => {
    const at = (field: string): Path => ['effects', 'writes', i, field]
    if (write.type === ('Event' as string))
      report.add('writeTypes', at('type'), `writes ${quote(write.name)} as an Event`, 'use Number, Series, Bool or String')
    else
      checkOrigin(report, {
        subject: `writes ${quote(write.name)}`,
        type: write.type,
        input: write.from_input,
        path: at('from_input'),
        rules: ['writeInput', 'writeInputType'],
      })
  })
  report.addRepeats(
    'intentNames',
    intents.map(({ name }, i) => [name, ['effects', 'intents', i, 'name']] as const),
    'intent',
  )
  intents.forEach((intent, i) => checkIntent(report, intent, ['effects', 'intents', i]))
}

/** Returns the names of the writes and mirror writes of a manifest, with their paths. */
export function writtenNames({ effects: { writes = [], intents = [] } = {} }: Manifest): (readonly [name: string, path: Path])[] {
  const mirrors = intents.flatMap(({ mirror_writes: list = [] }, i) =>
    list.map(({ name }, j) => [name, ['effects', 'intents', i, 'mirror_writes', j, 'name']] as const),
  )
  return [...writes.map(({ name }, i) => [name, ['effects', 'writes', i, 'name']] as const), ...mirrors]
}

interface Origin {
  readonly subject: string
  readonly type: string
  readonly input: string
  readonly path: Path
  readonly rules: readonly ['writeInput', 'writeInputType'] | readonly ['fieldInput', 'fieldInputType']
}

/** Checks that a value comes from a required input of its type. */
function checkOrigin(report: ManifestReport, { subject, type, input, path, rules: [exists, fits] }: Origin): void {
  const port: InputPort | undefined = report.manifest.inputs.find(({ name }) => name === input)
  if (port === undefined) report.add(exists, path, `${subject} from input ${quote(input)}, which does not exist`, 'name one of the inputs')
  else if (port.type !== type || port.type === 'Event')
    report.add(fits, path, `${subject} as ${type} from input ${quote(input)}, which is of type ${port.type}`, 'use one type for both')
  else if (port.required === false)
    report.add('originRequired', path, `${subject} from input ${quote(input)}, which can be unconnected`, 'make the input required')
}

function checkIntent(report: ManifestReport, { name, fields, mirror_writes: mirrors = [] }: IntentDeclaration, path: Path): void {
  if (name === SET_CONTEXT)
    report.add('reservedIntent', [...path, 'name'], `has an intent "${SET_CONTEXT}"`, 'rename it, or declare a write')
  report.addRepeats(
    'fieldNames',
    fields.map((field, i) => [field.name, [...path, 'fields', i, 'name']] as const),
    'field',
  )
  fields.forEach((field, i) => checkField(report, name, field, [...path, 'fields', i]))
  mirrors.forEach((mirror, i) => checkMirror(report, mirror, fields, [...path, 'mirror_writes', i]))
}

function checkField(report: ManifestReport, intent: string, field: IntentField, path: Path): void {
  const { name, type, from_input: input, from_param: parameter } = field
  const subject = `sets field ${quote(name)} of intent ${quote(intent)}`
  if (input === undefined && parameter === undefined)
    report.add('fieldOrigin', path, `${subject} from nothing`, 'add "from_input" or "from_param"')
  else if (input !== undefined && parameter !== undefined)
    report.add('fieldOneOrigin', path, `${subject} from an input and a parameter`, 'keep one of the two')
  else if (input !== undefined)
    checkOrigin(report, { subject, type, input, path: [...path, 'from_input'], rules: ['fieldInput', 'fieldInputType'] })
  else if (parameter !== undefined) checkParameterOrigin(report, { subject, type, parameter, path: [...path, 'from_param'] })
}

function checkParameterOrigin(
  report: ManifestReport,
  { subject, type, parameter, path }: { subject: string; type: string; parameter: string; path: Path },
): void {
  const declared = report.manifest.parameters.find(({ name }) => name === parameter)
  if (declared === undefined)
    report.add('fieldParameter', path, `${subject} from parameter ${quote(parameter)}, which does not exist`, 'name one of the parameters')
  else if (declared.type !== type || !['Number', 'Bool', 'String'].includes(declared.type))
    report.add(
      'fieldParameterType',
      path,
      `${subject} as ${type} from parameter ${quote(parameter)}, which is of type ${declared.type}`,
      'use Number, Bool or String for both',
    )
}

function checkMirror(
  report: ManifestReport,
  { name, type, from_field: from }: MirrorWrite,
  fields: readonly IntentField[],
  path: Path,
): void {
  const field = fields.find((other) => other.name === from)
  const subject = `writes ${quote(name)} from field ${quote(from)}`
  if (field === undefined) report.add('mirrorField', [...path, 'from_field'], `${subject}, which does not exist`, 'name one of the fields')
  else if (field.type !== type)
    report.add('mirrorFieldType', [...path, 'type'], `${subject} as ${type}; the field is of type ${field.type}`, 'use one type for both')
}
