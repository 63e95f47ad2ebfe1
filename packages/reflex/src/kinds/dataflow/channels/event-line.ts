import { copyJson, type Json } from '../../../kernel/index.ts'

/** The most characters of a line that is too short to be nested too deeply. */
const SHORT = 1_000
/** The characters that are kept of a line that is not JSON. */
const KEPT = 200

/**
 * Returns a line as JSON, as a record holds it. A line that is not JSON, or nested too deeply, is a text of its first characters: the graph
 * refuses it at its place.
 */
export function eventOfLine(text: string): Json {
  try {
    const value = JSON.parse(text) as Json
    // Most lines have nothing that JSON has and a record has not.
    return text.length > SHORT || text.includes('-0') ? copyJson(value, 'an event') : value
  } catch {
    return text.slice(0, KEPT)
  }
}
