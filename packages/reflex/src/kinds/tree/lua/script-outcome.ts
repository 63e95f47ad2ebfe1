import type { Json, JsonObject } from '../../../kernel/index.ts'
import { isObject } from '../../../kernel/index.ts'

/** The meaning of what a script has returned (reference 2.6). */
export type ScriptOutcome =
  | {
      readonly status: 'success' | 'running' | 'failure'
      /** Of a failure that is intended (E5004). */
      readonly reason?: string
      /** Of RUNNING: the operation that an event completes. */
      readonly asyncId?: string
      /** The values under `blackboard`, to be written. */
      readonly writes: JsonObject
      /** The other fields of the result, which are written if they are registered keys. */
      readonly fields: JsonObject
    }
  /** The result has no meaning (E5002). */
  | { readonly status: 'invalid'; readonly message: string }

const STATUSES = ['success', 'failure', 'running'] as const
const OWN_FIELDS: ReadonlySet<string> = new Set(['status', 'reason', 'error', 'message', 'blackboard', 'async_id'])
const NOTHING: JsonObject = {}

/**
 * Returns the meaning of a script's result. Nothing, true and a table without a status are SUCCESS, false is FAILURE, and a table with a status says
 * itself what it is. Several values, which arrive as a list, are a table without a status.
 */
export function scriptOutcome(value: Json): ScriptOutcome {
  if (value === null || value === true || Array.isArray(value)) return { status: 'success', writes: NOTHING, fields: NOTHING }
  if (value === false) return { status: 'failure', reason: 'the script returned false', writes: NOTHING, fields: NOTHING }
  if (!isObject(value)) return invalid(`a script returns a table, true, false or nothing, not the ${typeof value} ${preview(value)}`)
  const status = value['status'] === undefined ? 'success' : statusOf(value['status'])
  if (status === undefined) return invalid(`the status ${preview(value['status'] ?? null)} is none of ${STATUSES.join(', ')}`)
  const writes = value['blackboard'] ?? NOTHING
  if (!isObject(writes)) return invalid(`the field blackboard is a table of keys and values, not ${preview(writes)}`)
  const fields = Object.fromEntries(Object.entries(value).filter(([key]) => !OWN_FIELDS.has(key)))
  const { async_id: asyncId } = value
  return {
    status,
    ...(status === 'failure' ? { reason: reasonOf(value) } : {}),
    ...(status === 'running' && typeof asyncId === 'string' ? { asyncId } : {}),
    writes,
    fields,
  }
}

function statusOf(value: Json): (typeof STATUSES)[number] | undefined {
  return typeof value === 'string' ? STATUSES.find((status) => status === value.toLowerCase()) : undefined
}

function reasonOf({ reason, error, message }: JsonObject): string {
  const given = reason ?? error ?? message ?? 'the script returned a failure without a reason'
  return typeof given === 'string' ? given : JSON.stringify(given)
}

function invalid(message: string): ScriptOutcome {
  return { status: 'invalid', message }
}

/** The longest preview of a value in a message, in characters (reference 0.3). */
const PREVIEW = 100

function preview(value: Json): string {
  const text = JSON.stringify(value)
  return text.length > PREVIEW ? `${text.slice(0, PREVIEW)}…` : text
}
