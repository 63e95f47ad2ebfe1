import type { Machine } from './machine.ts'

/**
 * Finds the text at place 2 of the stack in the text at place 1, from a byte on, and pushes the place or nil. The time is proportional to the length of
 * both, and both are charged.
 */
export function findPlain(machine: Machine, from: number): number {
  const { engine, L } = machine
  const text = bytesAt(machine, 1).subarray(from - 1)
  const wanted = bytesAt(machine, 2)
  machine.charge(Math.ceil((text.length + wanted.length) / 4))
  const found = search(text, wanted)
  if (found < 0) engine.lua_pushnil(L)
  else engine.lua_pushinteger(L, BigInt(found + from))
  return 1
}

function bytesAt({ engine, L, heap }: Machine, index: number): Uint8Array {
  const top = engine.stackSave()
  const length = engine.stackAlloc(16)
  const place = engine.lua_tolstring(L, index, length)
  const bytes = heap.bytes.subarray(place, place + heap.int(length))
  engine.stackRestore(top)
  return bytes
}

/** Searches with the table of Knuth, Morris and Pratt: no text makes it slow. */
function search(text: Uint8Array, wanted: Uint8Array): number {
  if (wanted.length === 0) return 0
  if (wanted.length === 1) return text.indexOf(wanted[0] ?? 0)
  const back = new Int32Array(wanted.length)
  for (let i = 1, length = 0; i < wanted.length; i++) {
    while (length > 0 && wanted[i] !== wanted[length]) length = back[length - 1] ?? 0
    if (wanted[i] === wanted[length]) length++
    back[i] = length
  }
  for (let i = 0, length = 0; i < text.length; i++) {
    while (length > 0 && text[i] !== wanted[length]) length = back[length - 1] ?? 0
    if (text[i] === wanted[length] && ++length === wanted.length) return i - length + 1
  }
  return -1
}
