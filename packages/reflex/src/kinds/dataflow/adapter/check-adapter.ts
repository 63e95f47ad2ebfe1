import { lt } from 'semver'
import type { Fault, JsonObject } from '../../../kernel/index.ts'
import { checkSchema, didYouMean, type Locator, type Path, pathOnly, quote, quoteAll, suggest } from '../../../text/index.ts'
import { isVersion } from '../manifests/version.ts'
import type { Adapter } from '../model/adapter.ts'
import { SET_CONTEXT } from '../model/effect.ts'
import { SCALAR_TYPES, type ScalarType } from '../model/value.ts'
import { adapterFile } from './adapter-schema.ts'
import { faults } from './faults.ts'
import { eventProblems, propertiesOf, propertyType, requiredOf, restrictionProblems, type SchemaProblem } from './payload-schema.ts'

export interface CheckAdapterOptions {
  readonly locate?: Locator | undefined
  /** The version of the runtime, for ADP-3. Without it the rule only asks for a version. */
  readonly runtime?: string | undefined
}

type Code = Parameters<typeof faults.finding>[0]
interface Violation {
  readonly path: Path
  readonly message: string
  readonly fix: string
  readonly note?: string | undefined
  readonly part?: 'key' | undefined
}

/** A rule of adapters: its id, its code, and what breaks it. */
interface Rule {
  readonly id: string
  readonly code: Code
  readonly find: (adapter: Adapter, options: CheckAdapterOptions) => Iterable<Violation>
}

/**
 * Returns the rules that an adapter breaks (reference 6.1), all of them, in the order of their numbers and then of the text. A value that
 * has not the shape of an adapter gets the faults of its shape (`R1011` to `R1015`) and no others.
 */
export function checkAdapter(value: unknown, options: CheckAdapterOptions = {}): Fault[] {
  const { locate = pathOnly } = options
  const shape = checkSchema(adapterFile(), value, { locate })
  if (shape.length > 0) return shape
  const adapter = value as Adapter
  return RULES.flatMap(({ id, code, find }) =>
    [...find(adapter, options)].map(({ path, message, fix, note, part }) =>
      faults.finding(code, message, { rule: id, ...locate(path, { note, part }), fix }),
    ),
  )
}

const effectsOf = ({ accepts }: Adapter): readonly { readonly name: string; readonly payload_schema: JsonObject }[] =>
  accepts?.effects ?? []

const RULES: readonly Rule[] = [
  { id: 'ADP-1', code: 'R1351', find: badId },
  { id: 'ADP-2', code: 'R1351', find: ({ version }) => badVersion(version, ['version']) },
  { id: 'ADP-3', code: 'R1352', find: incompatible },
  { id: 'ADP-4', code: 'R1353', find: empty },
  { id: 'ADP-5', code: 'R1353', find: ({ context_keys }) => repeats(context_keys, ['context_keys'], 'context key') },
  { id: 'ADP-6', code: 'R1353', find: badTypes },
  { id: 'ADP-7', code: 'R1353', find: ({ event_kinds }) => repeats(event_kinds, ['event_kinds'], 'event kind') },
  { id: 'ADP-8', code: 'R1354', find: ({ event_kinds }) => schemas(event_kinds, ['event_kinds'], restrictionProblems) },
  { id: 'ADP-9', code: 'R1355', find: emptyFormat },
  { id: 'ADP-10', code: 'R1355', find: unknownFields },
  { id: 'ADP-11', code: 'R1353', find: unstatedWritable },
  { id: 'ADP-12', code: 'R1353', find: (adapter) => repeats(effectsOf(adapter), ['accepts', 'effects'], 'effect') },
  { id: 'ADP-13', code: 'R1354', find: (adapter) => schemas(effectsOf(adapter), ['accepts', 'effects'], restrictionProblems) },
  { id: 'ADP-14', code: 'R1353', find: unacceptedWrites },
  { id: 'ADP-17', code: 'R1353', find: requiredWrites },
  { id: 'ADP-18', code: 'R1354', find: undeclaredFields },
  { id: 'ADP-19', code: 'R1354', find: ({ event_kinds }) => schemas(event_kinds, ['event_kinds'], eventProblems) },
]

function* badId({ id }: Adapter): Generator<Violation> {
  if (/^[a-z][a-z0-9_]*$/.test(id)) return
  const fix = 'use lower-case letters, digits and underscores, a letter first'
  yield { path: ['id'], message: `the id ${quote(id)} is not an identifier`, fix }
}

function* badVersion(version: string, path: Path): Generator<Violation> {
  if (isVersion(version)) return
  const fix = 'write three parts, such as "1.0.0"'
  yield { path, message: `${path.join('.')} ${quote(version)} is not a semantic version`, fix }
}

function* incompatible({ runtime_compatibility: needed }: Adapter, { runtime }: CheckAdapterOptions): Generator<Violation> {
  const path = ['runtime_compatibility']
  if (!isVersion(needed)) yield* badVersion(needed, path)
  else if (runtime !== undefined && lt(runtime, needed))
    yield { path, message: `the adapter needs version ${needed} of the runtime; this is ${runtime}`, fix: 'update Reflex' }
}

function* empty({ context_keys, event_kinds }: Adapter): Generator<Violation> {
  if (context_keys.length + event_kinds.length > 0) return
  yield { path: [], message: 'the adapter has neither a context key nor an event kind', fix: 'declare an event kind' }
}

function* repeats(named: readonly { readonly name: string }[], base: Path, noun: string): Generator<Violation> {
  const seen = new Set<string>()
  for (const [index, { name }] of named.entries()) {
    const path = [...base, index, 'name']
    if (seen.has(name)) yield { path, message: `${noun} ${quote(name)} occurs twice`, fix: 'rename or remove one of the two' }
    seen.add(name)
  }
}

function* badTypes({ context_keys }: Adapter): Generator<Violation> {
  for (const [index, { name, type }] of context_keys.entries()) {
    if (SCALAR_TYPES.includes(type)) continue
    const guess = suggest(type, SCALAR_TYPES)
    const fix = guess === undefined ? `write one of ${quoteAll(SCALAR_TYPES)}` : `write ${quote(guess)}`
    const message = `context key ${quote(name)} has the type ${quote(type)}, which a context cannot hold`
    yield { path: ['context_keys', index, 'type'], message, fix, note: didYouMean(guess) }
  }
}

function* schemas(
  declared: readonly { readonly payload_schema: JsonObject }[],
  base: Path,
  problems: (schema: JsonObject, at: Path) => readonly SchemaProblem[],
): Generator<Violation> {
  for (const [index, { payload_schema: schema }] of declared.entries()) yield* problems(schema, [...base, index, 'payload_schema'])
}

function* emptyFormat({ capture }: Adapter): Generator<Violation> {
  if (capture.format_version !== '') return
  yield { path: ['capture', 'format_version'], message: 'the version of the capture format is empty', fix: 'write "1"' }
}

/** Returns the fields that a capture can have. */
export function captureFields(kinds: readonly { readonly name: string }[]): readonly string[] {
  return [...kinds.map(({ name }) => `event.${name}`), 'meta.adapter_id', 'meta.adapter_version', 'meta.timestamp']
}

function* unknownFields({ event_kinds, capture }: Adapter): Generator<Violation> {
  const known = captureFields(event_kinds)
  for (const [index, field] of capture.fields.entries()) {
    if (known.includes(field)) continue
    const guess = suggest(field, known)
    const fix = guess === undefined ? `write one of ${quoteAll(known)}` : `write ${quote(guess)}`
    yield { path: ['capture', 'fields', index], message: `a capture has no field ${quote(field)}`, fix, note: didYouMean(guess) }
  }
}

function* unstatedWritable({ context_keys }: Adapter): Generator<Violation> {
  for (const [index, { name, writable }] of context_keys.entries()) {
    if (writable !== undefined) continue
    const message = `context key ${quote(name)} does not state if it is writable`
    yield {
      path: ['context_keys', index],
      message,
      fix: 'add "writable": false, or true if an action writes it',
      note: '"writable" is missing',
    }
  }
}

function* unacceptedWrites(adapter: Adapter): Generator<Violation> {
  const key = adapter.context_keys.findIndex(({ writable }) => writable)
  if (key < 0 || effectsOf(adapter).some(({ name }) => name === SET_CONTEXT)) return
  const message = `context key ${quote(adapter.context_keys[key]?.name ?? '')} is writable, and the adapter does not accept ${SET_CONTEXT}`
  yield { path: ['context_keys', key, 'writable'], message, fix: `add ${SET_CONTEXT} to accepts.effects, or write "writable": false` }
}

function* requiredWrites({ context_keys }: Adapter): Generator<Violation> {
  for (const [index, { name, writable, required }] of context_keys.entries()) {
    if (!writable || !required) continue
    const message = `context key ${quote(name)} is writable and required; nothing has written it before the first event`
    yield { path: ['context_keys', index, 'required'], message, fix: 'write "required": false' }
  }
}

function* undeclaredFields({ context_keys, event_kinds }: Adapter): Generator<Violation> {
  const types = new Map<string, ScalarType>(context_keys.map(({ name, type }) => [name, type]))
  for (const [index, { name: kind, payload_schema: schema }] of event_kinds.entries()) {
    for (const [at, field] of requiredOf(schema).entries()) {
      const path = ['event_kinds', index, 'payload_schema', 'required', at]
      const declared = types.get(field)
      const type = propertyType(propertiesOf(schema)[field])
      const where = `field ${quote(field)} of ${quote(kind)} is required`
      if (declared === undefined) {
        const guess = suggest(field, types.keys())
        const fix = guess === undefined ? 'declare it under context_keys' : `write ${quote(guess)}, or declare it under context_keys`
        yield { path, message: `${where} and is not a context key`, fix, note: didYouMean(guess) }
      } else if (type !== undefined && type !== declared)
        yield { path, message: `${where} and is a ${type}; its context key is a ${declared}`, fix: 'make the two types equal' }
    }
  }
}
