import { equalJson, type Json, type JsonObject } from '../../../kernel/index.ts'
import { valueAt } from '../../../text/index.ts'
import { inc } from 'semver'
import type { Manifest } from '../model/manifest.ts'
import { manifestJson } from './canonical.ts'
import type { Change, Field, Form } from './fields.ts'
import { MANIFEST } from './table.ts'

/** The part of a version that a change raises. */
export type VersionPart = 'major' | 'minor' | 'patch'

/** The suggested version, and the fields because of which it is raised so far, as paths such as `plan.steps`. */
export interface VersionSuggestion {
  readonly version: string
  /** Undefined if nothing changed that a version stands for. */
  readonly part: VersionPart | undefined
  readonly because: readonly string[]
}

interface FieldChange {
  readonly path: string
  readonly part: VersionPart
}

/**
 * Suggests the version of a changed manifest (reference skill 1.3): slots or outputs removed or retyped, tools added or effects widened are a major
 * change; steps, conditions and compensation a minor one; budgets, weights and texts a patch.
 */
export function suggestVersion(before: Manifest, after: Manifest): VersionSuggestion {
  const [left, right] = [manifestJson(before), manifestJson(after)]
  const changes = [...changesOf(MANIFEST.fields, left, right, ''), ...listChanges(before, after)]
  const part = (['major', 'minor', 'patch'] as const).find((one) => changes.some((change) => change.part === one))
  const because = [...new Set(changes.filter((change) => change.part === part).map(({ path }) => path))].toSorted()
  return { version: part === undefined ? before.version : (inc(before.version, part) ?? before.version), part, because }
}

/** Lists that have a class of their own: an entry that is added differs from one that is removed. */
const LISTS: readonly string[] = [
  'signature.inputs',
  'signature.outputs',
  'preconditions.tools_available',
  'effects.writes',
  'effects.external',
]

function changesOf(fields: Readonly<Record<string, Field>>, before: JsonObject, after: JsonObject, at: string): FieldChange[] {
  return Object.entries(fields).flatMap(([key, field]): FieldChange[] => {
    const path = at === '' ? key : `${at}.${key}`
    const [left, right] = [valueAt(before, [key]) as Json | undefined, valueAt(after, [key]) as Json | undefined]
    if (LISTS.includes(path) || equalJson(left, right)) return []
    if (field.change !== undefined) return partOf(field.change).map((part) => ({ path, part }))
    return field.form.kind === 'object' ? changesOf(field.form.fields, (left ?? {}) as JsonObject, (right ?? {}) as JsonObject, path) : []
  })
}

function partOf(change: Change): VersionPart[] {
  return change === 'identity' || change === 'none' ? [] : [change]
}

function listChanges(before: Manifest, after: Manifest): FieldChange[] {
  return [
    ...namedChanges('signature.inputs', before.signature.inputs, after.signature.inputs),
    ...namedChanges('signature.outputs', before.signature.outputs, after.signature.outputs),
    ...widened('preconditions.tools_available', before.preconditions.tools_available, after.preconditions.tools_available),
    ...widened('effects.writes', before.effects.writes, after.effects.writes),
    ...widened('effects.external', before.effects.external, after.effects.external),
  ]
}

interface Named {
  readonly name: string
  readonly required?: boolean
}

/** A slot or an output that is removed or changed is a major change, a slot that every caller must give, too. */
function namedChanges(path: string, before: readonly Named[], after: readonly Named[]): FieldChange[] {
  const find = (list: readonly Named[], wanted: string): Named | undefined => list.find(({ name }) => name === wanted)
  const fields = entryFields(path)
  const removed = before
    .filter(({ name }) => find(after, name) === undefined)
    .map(({ name }): FieldChange => ({ path: `${path}.${name}`, part: 'major' }))
  const other = after.flatMap((entry): FieldChange[] => {
    const old = find(before, entry.name)
    const at = `${path}.${entry.name}`
    if (old === undefined) return [{ path: at, part: entry.required === true ? 'major' : 'minor' }]
    const relaxed = old.required === true && entry.required === false
    return changesOf(fields, old as unknown as JsonObject, entry as unknown as JsonObject, at).map((change) =>
      relaxed && change.path.endsWith('.required') ? { ...change, part: 'minor' } : change,
    )
  })
  return [...removed, ...other]
}

/** Returns the fields of an entry of a list of the signature. */
function entryFields(path: string): Readonly<Record<string, Field>> {
  const form = path.split('.').reduce<Form | undefined>((at, key) => (at?.kind === 'object' ? at.fields[key]?.form : undefined), MANIFEST)
  return form?.kind === 'list' && form.of.kind === 'object' ? form.of.fields : {}
}

/** An entry that is added widens what the skill does, so it is a major change; one that is removed narrows it. */
function widened(path: string, before: readonly string[], after: readonly string[]): FieldChange[] {
  if (after.some((entry) => !before.includes(entry))) return [{ path, part: 'major' }]
  return before.some((entry) => !after.includes(entry)) ? [{ path, part: 'minor' }] : []
}
