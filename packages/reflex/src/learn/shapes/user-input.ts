import { type Input, isList, isObject, type Json, type Rec, type State } from '../../kernel/index.ts'

/** The most characters of one text, levels of a value, and facts of one write. */
const LONGEST = 20_000
const DEEPEST = 8
const MOST = 200

/** The roots of the blackboard that a skill can read. */
const ROOT = /^(?:ctx|env|work)(?:\.[a-z0-9_]+){0,6}$/
const KEY = /^[a-z0-9_]+$/

/** Returns the texts in a value, in the order of its keys. */
export function textsIn(value: Json | undefined): readonly string[] {
  const found: string[] = []
  collectTexts(value, found, 0)
  return found
}

function collectTexts(value: Json | undefined, found: string[], depth: number): void {
  if (found.length >= MOST || depth > DEEPEST) return
  if (typeof value === 'string' && value.length <= LONGEST && value.trim() !== '') found.push(value)
  else if (isList(value)) for (const item of value) collectTexts(item, found, depth + 1)
  else if (isObject(value)) for (const key of Object.keys(value)) collectTexts(value[key], found, depth + 1)
}

/** Returns the texts that people sent with an input: answers to questions of programs, and messages. Call it before the record is applied. */
export function userTexts(input: Input | undefined, { waits }: State): readonly string[] {
  if (input?.[0] === 'answer') return (waits.get(input[1])?.asker ?? 'program') === 'program' ? textsIn(input[2]) : []
  if (input?.[0] === 'message') return textsIn(input[2])
  // A request of the model in a turn of a wrapped agent.
  if (input?.[0] === 'host') return isObject(input[1]) ? textsIn(input[1]['userText']) : []
  return input?.[0] === 'messages' ? input[2].flatMap(([, body]) => textsIn(body)) : []
}

/** Returns the scalars that a record writes below `ctx`, `env` and `work`, with their paths. */
export function boardFacts({ writes, more }: Rec): readonly (readonly [path: string, value: Json])[] {
  if (writes === undefined && more?.root === undefined) return []
  const found: (readonly [string, Json])[] = []
  for (const flat of [writes ?? [], more?.root ?? []])
    for (let i = 0; i + 1 < flat.length; i += 2) {
      const key = flat[i]
      if (typeof key === 'string' && ROOT.test(key)) collectFacts(key, flat[i + 1] ?? null, found)
    }
  return found
}

function collectFacts(path: string, value: Json, found: (readonly [string, Json])[]): void {
  if (found.length >= MOST || path.split('.').length > 7) return
  if (isObject(value)) {
    for (const key of Object.keys(value)) if (KEY.test(key)) collectFacts(`${path}.${key}`, value[key] ?? null, found)
  } else if (!isList(value) && value !== null && path.includes('.') && String(value).length <= LONGEST) found.push([path, value])
}
