import type { Machine } from './machine.ts'

/** Places of fields in bytes, for Lua 5.4 with pointers of 32 bits: of a closure, and of the prototype of a function. */
const CLOSURE_PROTO = 12
const PROTO_CODE_COUNT = 20
const PROTO_INNER_COUNT = 28
const PROTO_CODE = 52
const PROTO_INNER = 56

const OP_CALL = 68
const OP_TAILCALL = 69
const OP_RETURN = 70
const OP_MASK = 0x7f
/** The register of the function, bits 7 to 14. */
const REGISTER_MASK = 0x7f80
/** What a call keeps: its register and the number of its arguments. The number of its results becomes "all". */
const KEPT_MASK = REGISTER_MASK | 0x00ff0000

/**
 * Turns the tail calls of the function on top of the stack into calls that return: a tail call leaves no frame behind, and `return BT.tree(…)`, the
 * last line of every file, would have no line. `inner`: those of the functions in it too; otherwise their tail calls stay, as loops may need them.
 */
export function keepFrames(machine: Machine, inner: boolean): void {
  const closure = machine.engine.lua_topointer(machine.L, -1)
  rewrite(machine, machine.heap.int(closure + CLOSURE_PROTO), inner)
}

function rewrite(machine: Machine, proto: number, inner: boolean): void {
  const { heap } = machine
  const code = heap.int(proto + PROTO_CODE)
  const count = heap.int(proto + PROTO_CODE_COUNT)
  for (let i = 0; i + 1 < count; i++) {
    const instruction = heap.int(code + 4 * i)
    const next = heap.int(code + 4 * (i + 1))
    const isPair = (instruction & OP_MASK) === OP_TAILCALL && (next & OP_MASK) === OP_RETURN
    // The compiler writes a return of the same register behind each tail call.
    if (isPair && (instruction & REGISTER_MASK) === (next & REGISTER_MASK)) heap.setInt(code + 4 * i, (instruction & KEPT_MASK) | OP_CALL)
  }
  if (!inner) return
  const functions = heap.int(proto + PROTO_INNER)
  const functionCount = heap.int(proto + PROTO_INNER_COUNT)
  for (let i = 0; i < functionCount; i++) rewrite(machine, heap.int(functions + 4 * i), inner)
}
