import { isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'

/**
 * Returns the result of a command. If a person answers for a command with an unknown outcome, the missing fields are those of a
 * success without output, and a text is the output.
 */
export function commandResult(value: Json): JsonObject {
  const fields = isObject(value) ? value : typeof value === 'string' ? { stdout: value } : {}
  return { code: 0, stdout: '', stderr: '', ...fields }
}
