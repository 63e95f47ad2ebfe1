import { isObject, type Json, type JsonObject } from '../../../../kernel/journal/json.ts'

/**
 * The result of a command. A person who answers that it happened states what he knows: everything that he leaves out is as
 * after a success without output, and text alone is the output.
 */
export function commandResult(value: Json): JsonObject {
  const fields = isObject(value) ? value : typeof value === 'string' ? { stdout: value } : {}
  return { code: 0, stdout: '', stderr: '', ...fields }
}
