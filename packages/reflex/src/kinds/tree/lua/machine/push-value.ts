import type { Json } from '../../../../kernel/index.ts'
import { Abort } from './abort.ts'
import { type Machine, REGISTRY } from './machine.ts'

/** The deepest nesting of a value that goes in. What comes out is limited more (`VALUE_DEPTH`). */
const DEEPEST = 200

/** Stack slots that one level of a value needs. */
const SLOTS = 6

/**
 * Pushes JSON as a value of Lua: null as nil, whole numbers as integers, lists as tables from 1 with holes for null, objects as tables. Nothing
 * else crosses the border. `emptyLists` is a table of the registry that remembers which tables came in as empty lists.
 */
export function pushValue(machine: Machine, value: Json | undefined, emptyLists: number, depth = 0): void {
  const { engine, L } = machine
  if (depth > DEEPEST) machine.abort(new Abort('depth', `a value that is nested deeper than ${DEEPEST}`))
  if (engine.lua_checkstack(L, SLOTS) === 0) throw new RangeError('no stack for a value')
  if (value === null || value === undefined) engine.lua_pushnil(L)
  else if (typeof value === 'boolean') engine.lua_pushboolean(L, value ? 1 : 0)
  else if (typeof value === 'number') pushNumber(machine, value)
  else if (typeof value === 'string') pushText(machine, value)
  else if (Array.isArray(value)) pushList(machine, value as readonly Json[], emptyLists, depth + 1)
  else pushObject(machine, value as Readonly<Record<string, Json>>, emptyLists, depth + 1)
}

/** Pushes a text. Halves of surrogate pairs, which UTF-8 cannot express, become U+FFFD. */
export function pushText(machine: Machine, text: string): void {
  machine.heap.withText(text, (pointer, length) => machine.engine.lua_pushlstring(machine.L, pointer, length))
}

/** Notes that the table on top of the stack is a list, so that it comes back as one if it is empty. */
export function markList(machine: Machine, emptyLists: number): void {
  const { engine, L } = machine
  engine.lua_rawgeti(L, REGISTRY, BigInt(emptyLists))
  engine.lua_pushvalue(L, -2)
  engine.lua_pushboolean(L, 1)
  engine.lua_rawset(L, -3)
  engine.lua_settop(L, -2)
}

function pushNumber({ engine, L }: Machine, value: number): void {
  if (Number.isSafeInteger(value)) engine.lua_pushinteger(L, BigInt(value))
  else engine.lua_pushnumber(L, value)
}

function pushList(machine: Machine, list: readonly Json[], emptyLists: number, depth: number): void {
  const { engine, L } = machine
  engine.lua_createtable(L, list.length, 0)
  if (list.length === 0) markList(machine, emptyLists)
  for (const [i, item] of list.entries()) {
    if (item === null) continue
    pushValue(machine, item, emptyLists, depth)
    engine.lua_rawseti(L, -2, BigInt(i + 1))
  }
}

function pushObject(machine: Machine, object: Readonly<Record<string, Json>>, emptyLists: number, depth: number): void {
  const { engine, L } = machine
  const keys = Object.keys(object)
  engine.lua_createtable(L, 0, keys.length)
  for (const key of keys) {
    const value = object[key]
    if (value === null || value === undefined) continue
    pushText(machine, key)
    pushValue(machine, value, emptyLists, depth)
    engine.lua_rawset(L, -3)
  }
}
