import { readDuration } from '../agents/duration.ts'
import { faults } from '../runs/faults.ts'
import { copyJson, type Json, type JsonObject, isObject } from '../kernel/index.ts'
import { readText } from '../programs/read-text.ts'
import { readJson } from '../text/index.ts'

/** Reads a file that an argument names; `-` is standard input. */
export type ReadFile = (name: string) => Promise<string>

/** Returns the reader of `@FILE`, relative to the folder in which the command was started. */
export function fileReader(resolve: (name: string) => string, readInput: () => Promise<string>): ReadFile {
  return async (name) => (name === '-' ? readInput() : readText(resolve(name)))
}

/**
 * Named inputs, and the names of those that were written as text: these are converted to the types that the program
 * declares.
 */
export interface Inputs {
  readonly input: JsonObject
  readonly texts: readonly string[]
}

/**
 * Reads named inputs: `k=text`, `k:=JSON`, `k=@file` (JSON if the file's name ends in `.json`, else its text),
 * `k:=@file` (always JSON), `@file` (an object with all inputs). The last one wins. `flag` is the option that precedes
 * them. Throws `R2032`.
 */
export async function readInputs(given: readonly string[], read: ReadFile, flag = '--input'): Promise<Inputs> {
  const inputs = new Map<string, { readonly value: Json; readonly text: boolean }>()
  for (const input of given) {
    const text = !input.startsWith('@') && !input.slice(0, input.indexOf('=')).endsWith(':')
    for (const [key, value] of Object.entries(await readInput(input, read, flag))) inputs.set(key, { value, text })
  }
  // `fromEntries` defines properties; an assignment would make `__proto__` the prototype.
  const input = Object.fromEntries(Array.from(inputs, ([key, { value }]) => [key, value]))
  return { input, texts: [...inputs].flatMap(([key, { text }]) => (text ? [key] : [])) }
}

async function readInput(input: string, read: ReadFile, flag: string): Promise<JsonObject> {
  if (input.startsWith('@')) return readInputFile(input.slice(1), read)
  const equals = input.indexOf('=')
  if (equals <= 0) {
    throw faults.make('R2032', `${flag} ${JSON.stringify(input)} is not NAME=VALUE`, {
      fix: 'write k=text, k:=JSON, k=@file or @file.json',
    })
  }
  const typed = input[equals - 1] === ':'
  const key = input.slice(0, typed ? equals - 1 : equals)
  if (key === '') throw faults.make('R2032', `${flag} ${JSON.stringify(input)} has no name`, { fix: 'write k:=JSON' })
  return { [key]: await readValue(input.slice(equals + 1), typed, `${flag} ${key}`, read) }
}

async function readInputFile(name: string, read: ReadFile): Promise<JsonObject> {
  const value = readData(await read(name), name)
  if (isObject(value)) return value
  throw faults.make('R2032', `${name} is not an object of inputs`, { file: name, fix: 'write {"name": value}' })
}

/** Reads an answer: text, `:=JSON`, `@file`, `:=@file`. */
export async function readAnswer(text: string, read: ReadFile): Promise<Json> {
  return text.startsWith(':=') ? readValue(text.slice(2), true, 'the answer', read) : readValue(text, false, 'the answer', read)
}

async function readValue(text: string, typed: boolean, what: string, read: ReadFile): Promise<Json> {
  if (!text.startsWith('@') || text === '@') return typed ? readData(text, what) : copyJson(text, what)
  const name = text.slice(1)
  const content = await read(name)
  return typed || name.endsWith('.json') ? readData(content, name) : copyJson(content, what)
}

/** Reads JSON that an argument contains or names. Throws `R2032`. */
export function readData(text: string, name: string, fix = 'write text as k=text, and JSON as k:=JSON'): Json {
  const { value, findings } = readJson(text, name.startsWith('--') ? undefined : name)
  if (value !== undefined) return value
  const [first] = findings
  const options = { fix, cause: first }
  throw faults.make('R2032', `${name} is not JSON: ${first?.message ?? 'it is empty'}`, {
    ...options,
    file: first?.file,
    line: first?.line,
    column: first?.column,
    frame: first?.frame,
  })
}

/** Returns the milliseconds of a duration in an option or a variable, such as `30d`; zero is allowed. Throws `R2031`. */
export function durationOf(text: string, name: string): number {
  const ms = /^0(ms|s|m|h|d)?$/.test(text) ? 0 : readDuration(text)
  if (ms !== undefined) return ms
  const write = name.startsWith('-') ? `${name} ` : `${name}=`
  throw faults.make('R2031', `${name} ${JSON.stringify(text)} is not a duration`, { fix: `write ${write}30s, ${write}12h` })
}
