import { copyJson, type Fault, isFault, isList, isObject, type Json } from '../../../kernel/index.ts'

/** The characters that are kept of a line that is not JSON. */
const KEPT = 200
/** The levels of objects and lists that every record can hold. */
const MOST_LEVELS = 400
/** The most characters of a path that a problem names. */
const LONGEST_PATH = 100

/** Returns a line as JSON. A line that is not JSON is a text of its first characters, so that the graph refuses it at its place. */
export function jsonOf(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text.slice(0, KEPT)
  }
}

/** Returns a line as the event that a record holds, or the reason why no record can hold it. */
export function eventOfLine(text: string): { readonly event: Json } | { readonly problem: string } {
  const event = jsonOf(text)
  if (isRecordable(event, MOST_LEVELS)) return { event }
  try {
    return { event: copyJson(event, 'event') }
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    return { problem: problemOf(thrown, 'event') }
  }
}

/** True for JSON that a record holds as it is: not nested too deeply, and without numbers that texts have and JSON has not. */
function isRecordable(value: Json, levels: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0)
  if (isList(value)) return levels > 0 && value.every((item) => isRecordable(item, levels - 1))
  if (!isObject(value)) return true
  return levels > 0 && Object.keys(value).every((key) => isRecordable(value[key] as Json, levels - 1))
}

/** Returns the reason why no record can hold an event, with the place inside the event unless that is very deep. `where`: the path of the event. */
export function problemOf({ message, path = '' }: Fault, where: string): string {
  if (!message.startsWith(path)) return message
  const inside = path.startsWith(where) ? path.slice(where.length) : path
  const place = inside.startsWith('.') ? inside.slice(1) : inside
  return `${place.length > LONGEST_PATH ? 'a value' : place}${message.slice(path.length)}`
}
