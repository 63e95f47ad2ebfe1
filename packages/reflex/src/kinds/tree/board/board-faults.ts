import type { Fault } from '../../../kernel/index.ts'
import { didYouMean, pathText, quote, suggest } from '../../../text/index.ts'
import { faults } from '../model/faults.ts'
import { toMb } from './board-family.ts'
import { namedError } from './errors.ts'
import { type SchemaIssue, stepName, type TreeSchema } from './schema.ts'
import { typeOf, valuePreview } from './value-text.ts'

/** The most keys and issues that an error lists. */
const MAX_LISTED = 50
const MAX_ISSUES = 5

/** Keys with this prefix belong to the runtime. */
const RESERVED_PREFIX = '_'

/** True for a key of the runtime, which nodes can read and not write. */
export function isReserved(key: string): boolean {
  return key.startsWith(RESERVED_PREFIX)
}

export function unregisteredKey(key: string, registered: readonly string[]): Fault {
  const guess = suggest(key, registered)
  const hint = didYouMean(guess)
  return namedError(
    faults.make('R1211', `the key ${quote(key)} is not registered${hint === undefined ? '' : `; ${hint}`}`, {
      rule: 'E1001',
      path: key,
      fix: guess === undefined ? `declare ${quote(key)} in blackboard with its schema` : `write ${quote(guess)}, or declare ${quote(key)}`,
      data: { key, available_keys: registered.slice(0, MAX_LISTED) },
    }),
  )
}

export function reservedKey(key: string): Fault {
  return namedError(
    faults.make('R1213', `the key ${quote(key)} begins with ${RESERVED_PREFIX}; such keys belong to the runtime`, {
      rule: 'E1003',
      path: key,
      fix: 'choose a key that begins with a letter',
      data: { key },
    }),
  )
}

/** Makes the fault for a value that the schema of its key refuses. */
export function schemaMismatch(key: string, schema: TreeSchema, value: unknown, issues: readonly SchemaIssue[]): Fault {
  const value_preview = valuePreview(value)
  const texts = issues.slice(0, MAX_ISSUES).map(({ message, path = [] }) => {
    const place = pathText(path.map(stepName))
    return place === '' ? message : `${place} ${message}`
  })
  if (issues.length > texts.length) texts.push(`and ${issues.length - texts.length} more`)
  const validation_error = texts.join('; ')
  return namedError(
    faults.make('R1212', `${quote(key)} cannot be ${value_preview}: ${validation_error}`, {
      rule: 'E1002',
      path: key,
      fix: `write a value of the schema ${schema.name}`,
      data: { key, expected_schema: schema.name, actual_type: typeOf(value), validation_error, value_preview },
    }),
  )
}

/** Makes the fault for a read that expects another schema than the registered one. */
export function otherSchema(key: string, registered: TreeSchema, expected: TreeSchema): Fault {
  const validation_error = `the key is registered as ${registered.name}, and the read expects ${expected.name}`
  return namedError(
    faults.make('R1212', `${quote(key)}: ${validation_error}`, {
      rule: 'E1002',
      path: key,
      fix: `read it as ${registered.name}`,
      data: { key, expected_schema: expected.name, actual_type: registered.name, validation_error },
    }),
  )
}

/** The sizes of a write that is refused, in bytes. */
export interface SizeRefusal {
  /** The size of the key and its value; undefined if it is too large to be measured. */
  readonly bytes: number | undefined
  readonly current: number
  readonly limit: number
  /** The limit of the key itself, if it is the one that was exceeded. */
  readonly keyLimit?: number | undefined
}

export function tooLarge(key: string, { bytes, current, limit, keyLimit }: SizeRefusal, cause?: unknown): Fault {
  const size = bytes === undefined ? 'more than 64 MB' : `${bytes} B`
  const why = keyLimit === undefined ? `the blackboard holds ${current} of ${limit} B` : `the key takes at most ${keyLimit} B`
  return namedError(
    faults.make('R1214', `${quote(key)} with ${size} is too large: ${why}`, {
      rule: 'E1004',
      path: key,
      fix: 'write less, delete keys, or write a file and keep its name',
      data: {
        key,
        key_being_written: key,
        value_size_bytes: bytes ?? null,
        current_size_mb: toMb(current),
        limit_mb: toMb(limit),
        ...(keyLimit === undefined ? {} : { key_limit_bytes: keyLimit }),
      },
      cause,
    }),
  )
}
