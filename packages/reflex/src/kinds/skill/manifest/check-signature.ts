import { linearPattern, type Path, quote, quoteAll, suggest } from '../../../text/index.ts'
import type { Manifest } from '../model/manifest.ts'
import type { Slot } from '../model/slot.ts'
import { ROOTS, UNSAFE_NAMES } from '../templates/scope.ts'
import type { ManifestReport } from './report.ts'
import { checkSlotValue, wholePattern } from './slot-values.ts'
import { BOARD_PATH } from './patterns.ts'

/** Names that have a meaning of their own in templates and expressions. */
const RESERVED: ReadonlySet<string> = new Set([...ROOTS, 'policy', 'args', 'principal', ...UNSAFE_NAMES])
const NUMBERS: readonly string[] = ['integer', 'number']
const NOT_TEXTS: readonly string[] = [...NUMBERS, 'boolean', 'json']

/** Checks the slots, the outputs and their places on the blackboard. */
export function checkSignature({ signature, effects, preconditions }: Manifest, report: ManifestReport): void {
  const { inputs, outputs, blackboard_bindings: bindings } = signature
  for (const [index, slot] of inputs.entries()) checkSlot(slot, ['signature', 'inputs', index], report)
  checkNames(inputs, ['signature', 'inputs'], report)
  checkNames(outputs, ['signature', 'outputs'], report)
  const slots = inputs.map(({ name }) => name)
  checkBindings(bindings.inputs, slots, 'slot', ['signature', 'blackboard_bindings', 'inputs'], report)
  const results = outputs.map(({ name }) => name)
  checkBindings(bindings.outputs, results, 'output', ['signature', 'blackboard_bindings', 'outputs'], report)
  for (const [name, path] of Object.entries(bindings.outputs))
    checkWritten(path, effects.writes, ['signature', 'blackboard_bindings', 'outputs', name], report)
  for (const [index, name] of preconditions.data_present.entries()) {
    if (slots.includes(name) || BOARD_PATH.test(name)) continue
    const guess = suggest(name, slots)
    report.add(
      'E_REF',
      ['preconditions', 'data_present', index],
      `${quote(name)} is neither a slot nor a path of the blackboard`,
      guess === undefined ? 'declare the slot, or write a path such as work.name' : `write ${quote(guess)}`,
      { guess },
    )
  }
}

/** Reports a path of the blackboard that is written without being listed. */
export function checkWritten(path: string, writes: readonly string[], at: Path, report: ManifestReport, part?: 'key'): void {
  if (writes.includes(path)) return
  const fix = `add ${quote(path)} to effects.writes`
  report.add('E_EFFECT_UNDECLARED', at, `${quote(path)} is written and not listed in effects.writes`, fix, { part })
}

/** Returns a fix for a name that is none of the known names. */
export function nameFix(known: readonly string[], guess: string | undefined, noun: string): string {
  if (guess !== undefined) return `write ${quote(guess)}`
  return known.length === 0 ? `declare the ${noun}` : `write one of ${quoteAll(known)}`
}

function checkNames(list: readonly { readonly name: string }[], at: Path, report: ManifestReport): void {
  const seen = new Set<string>()
  for (const [index, { name }] of list.entries()) {
    const path = [...at, index, 'name']
    if (RESERVED.has(name)) report.add('E_SLOT_NAME', path, `${quote(name)} has a meaning of its own`, 'use another name')
    else if (seen.has(name)) report.add('E_DUP_SLOT', path, `${quote(name)} is declared twice`, 'rename or remove one of the two')
    if (name !== '') seen.add(name)
  }
}

function checkBindings(
  bindings: Readonly<Record<string, string>>,
  known: readonly string[],
  noun: string,
  at: Path,
  report: ManifestReport,
): void {
  for (const name of Object.keys(bindings)) {
    if (known.includes(name)) continue
    const guess = suggest(name, known)
    report.add('E_BINDING', [...at, name], `there is no ${noun} ${quote(name)}`, nameFix(known, guess, noun), { part: 'key', guess })
  }
}

function checkSlot(slot: Slot, at: Path, report: ManifestReport): void {
  if (report.isBroken([...at, 'type'])) return
  const before = report.hasProblemBelow(at)
  checkPattern(slot, at, report)
  checkConstraints(slot, at, report)
  if (slot.default === undefined) return
  const path = [...at, 'default']
  if (slot.required)
    report.add(
      'E_DEFAULT',
      path,
      `the slot ${quote(slot.name)} is required and has a default`,
      'write "required": false, or remove the default',
    )
  else if (!before && !report.hasProblemBelow(at)) {
    const problem = checkSlotValue(slot, slot.default)
    if (problem !== undefined)
      report.add('E_DEFAULT', path, `the default of the slot ${quote(slot.name)} ${problem}`, 'write a value that the slot can have')
  }
}

function checkPattern({ name, type, pattern }: Slot, at: Path, report: ManifestReport): void {
  if (pattern === undefined) return
  const path = [...at, 'pattern']
  if (NOT_TEXTS.includes(type))
    return report.add('E_CONSTRAINT', path, `a slot of the type ${type} has no pattern`, 'remove it, or use min and max')
  const made = linearPattern(pattern)
  // A pattern such as "a)|(b" can be read only between the brackets that are put around it.
  const problem = 'problem' in made ? made : linearPattern(wholePattern(pattern))
  if ('problem' in problem)
    report.add(
      'E_PATTERN',
      path,
      `the pattern of the slot ${quote(name)} cannot be read: ${problem.problem}`,
      'write a pattern of RE2: no look-around, no back references',
    )
}

function checkConstraints(slot: Slot, at: Path, report: ManifestReport): void {
  const { type, min, max, minLength, maxLength } = slot
  const add = (key: string, message: string, fix: string): void => report.add('E_CONSTRAINT', [...at, key], message, fix)
  for (const [key, value] of Object.entries({ min, max }))
    if (value !== undefined && !NUMBERS.includes(type)) add(key, `a slot of the type ${type} has no ${key}`, 'remove it')
  if (min !== undefined && max !== undefined && min > max) add('min', 'min is more than max', `write at most ${max}`)
  if (minLength !== undefined && NOT_TEXTS.includes(type)) add('minLength', `a slot of the type ${type} has no length`, 'remove it')
  if (minLength !== undefined && minLength > maxLength) add('minLength', 'minLength is more than maxLength', `write at most ${maxLength}`)
  if (slot.enum === undefined && type === 'enum') add('enum', 'a slot of the type enum has no values', 'add "enum": the list of its values')
  if (slot.enum !== undefined && type !== 'enum' && type !== 'string')
    add('enum', `a slot of the type ${type} has no list of values`, 'use the type enum')
  if (slot.enum?.length === 0) add('enum', 'the list of values is empty', 'add a value')
}
