import type { Json } from '../../../../kernel/index.ts'
import { Abort } from './abort.ts'
import { VALUE_DEPTH } from './limits.ts'
import { type Machine, REGISTRY } from './machine.ts'

/** A value of Lua that is not JSON, with the place in it: `items[3].name`. */
export class NotJson extends Error {}

/** The types of values, as `lua_type` returns them. */
export const TYPE = { none: -1, nil: 0, boolean: 1, number: 3, string: 4, table: 5, function: 6 } as const
const NAMES = ['nil', 'boolean', 'light userdata', 'number', 'string', 'table', 'function', 'userdata', 'thread']

const SLOTS = 6
/** What a value counts against the limit of results besides its text, in bytes. */
const VALUE_BYTES = 8

/** Counts what leaves Lua in one call. */
export class ResultMeter {
  readonly #machine: Machine
  #bytes = 0

  constructor(machine: Machine) {
    this.#machine = machine
  }

  add(bytes: number): void {
    this.#bytes += bytes + VALUE_BYTES
    this.#machine.charge(1)
    const { resultBytes } = this.#machine.limits
    if (this.#bytes > resultBytes)
      this.#machine.abort(new Abort('result', `results of more than ${resultBytes.toLocaleString('en')} bytes`))
  }
}

/**
 * Reads the value at an index of the stack as JSON. Tables with exactly the keys 1 to n are lists, all others objects; an empty one is a list if it
 * came in as one. Throws NotJson with the place of what is no JSON.
 */
export function readValue(machine: Machine, index: number, emptyLists: number, meter: ResultMeter): Json {
  return new Reader(machine, emptyLists, meter).read(index, '')
}

/** Reads a text of the stack for a message: never throws for bytes that are not UTF-8. */
export function readText(machine: Machine, index: number): string | undefined {
  const { engine, L, heap } = machine
  const type = engine.lua_type(L, index)
  if (type !== TYPE.string) return undefined
  const [place, length] = textPlace(machine, index)
  return heap.lenientText(place, length)
}

function textPlace({ engine, L, heap }: Machine, index: number): readonly [place: number, length: number] {
  const top = engine.stackSave()
  const length = engine.stackAlloc(16)
  const place = engine.lua_tolstring(L, index, length)
  const bytes = heap.int(length)
  engine.stackRestore(top)
  return [place, bytes]
}

class Reader {
  readonly #machine: Machine
  readonly #emptyLists: number
  readonly #meter: ResultMeter
  /** The tables around the value that is being read. */
  readonly #open: number[] = []

  constructor(machine: Machine, emptyLists: number, meter: ResultMeter) {
    this.#machine = machine
    this.#emptyLists = emptyLists
    this.#meter = meter
  }

  read(index: number, path: string): Json {
    const { engine, L } = this.#machine
    this.#meter.add(0)
    const type = engine.lua_type(L, index)
    if (type === TYPE.nil || type === TYPE.none) return null
    if (type === TYPE.boolean) return engine.lua_toboolean(L, index) !== 0
    if (type === TYPE.number) return this.#number(index, path)
    if (type === TYPE.string) return this.#text(index, path)
    if (type === TYPE.table) return this.#table(index, path)
    throw new NotJson(`${named(path)} is a ${NAMES[type] ?? 'value of the host'}`)
  }

  #number(index: number, path: string): number {
    const { engine, L } = this.#machine
    const value = engine.lua_tonumberx(L, index, 0)
    if (!Number.isFinite(value)) throw new NotJson(`${named(path)} is ${Number.isNaN(value) ? 'not a number (nan)' : 'infinite'}`)
    return value === 0 ? 0 : value
  }

  #text(index: number, path: string): string {
    const [place, length] = textPlace(this.#machine, index)
    this.#meter.add(length)
    try {
      return this.#machine.heap.text(place, length)
    } catch {
      throw new NotJson(`${named(path)} has bytes that are not UTF-8`)
    }
  }

  #table(index: number, path: string): Json {
    const { engine, L } = this.#machine
    const pointer = engine.lua_topointer(L, index)
    if (this.#open.includes(pointer)) throw new NotJson(`${named(path)} contains itself`)
    if (this.#open.length >= VALUE_DEPTH) throw new NotJson(`${named(path)} is nested deeper than ${VALUE_DEPTH} tables`)
    if (engine.lua_getmetatable(L, index) !== 0) throw new NotJson(`${named(path)} belongs to the sandbox and cannot leave it`)
    engine.lua_checkstack(L, SLOTS)
    this.#open.push(pointer)
    const entries = this.#entries(index < 0 ? engine.lua_gettop(L) + index + 1 : index, path)
    this.#open.pop()
    if (entries.length === 0) return this.#isEmptyList(index) ? [] : {}
    if (entries.every(([key]) => typeof key === 'number' && key >= 1 && key <= entries.length)) {
      return entries.sort((a, b) => Number(a[0]) - Number(b[0])).map(([, value]) => value)
    }
    return this.#object(entries, path)
  }

  #entries(table: number, path: string): [key: string | number, value: Json][] {
    const { engine, L } = this.#machine
    const entries: [key: string | number, value: Json][] = []
    engine.lua_pushnil(L)
    while (engine.lua_next(L, table) !== 0) {
      const key = this.#key(path)
      entries.push([key, this.read(-1, typeof key === 'number' ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`)])
      engine.lua_settop(L, -2)
    }
    return entries
  }

  /** Reads the key below the top of the stack. */
  #key(path: string): string | number {
    const { engine, L } = this.#machine
    const type = engine.lua_type(L, -2)
    if (type === TYPE.string) return this.#text(-2, `a key of ${named(path)}`)
    if (type === TYPE.number) {
      const key = engine.lua_tonumberx(L, -2, 0)
      if (engine.lua_isinteger(L, -2) !== 0) return key
      throw new NotJson(`${named(path)} has the key ${key}; keys are texts and whole numbers`)
    }
    throw new NotJson(`${named(path)} has a ${NAMES[type] ?? 'strange'} key; keys are texts and whole numbers`)
  }

  /** Makes an object with the keys in order. A key `__proto__` is a key like others. */
  #object(entries: readonly (readonly [key: string | number, value: Json])[], path: string): Json {
    const texts = entries.map(([key, value]) => [String(key), value] as const)
    const sorted = texts.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    const twice = sorted.find(([key], i) => sorted[i + 1]?.[0] === key)
    if (twice !== undefined) throw new NotJson(`${named(path)} has the key ${twice[0]} as a text and as a number`)
    return Object.fromEntries(sorted)
  }

  #isEmptyList(index: number): boolean {
    const { engine, L } = this.#machine
    engine.lua_pushvalue(L, index)
    engine.lua_rawgeti(L, REGISTRY, BigInt(this.#emptyLists))
    engine.lua_rotate(L, -2, 1)
    engine.lua_rawget(L, -2)
    const isList = engine.lua_toboolean(L, -1) !== 0
    engine.lua_settop(L, -3)
    return isList
  }
}

function named(path: string): string {
  return path === '' ? 'the value' : path
}
