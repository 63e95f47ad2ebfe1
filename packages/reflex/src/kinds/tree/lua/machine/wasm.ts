import { wasm, type WasmMemory, type WasmModule, type WasmTable } from './web-assembly.ts'

/** A state of Lua, a place in the memory of the engine, or a number that is one. */
export type Pointer = number

/** The functions of the engine that are used, as `lua.h` and `lauxlib.h` of Lua 5.4 declare them. Integers of Lua are bigints. */
interface EngineExports {
  readonly memory: WasmMemory
  readonly emscripten_stack_init: () => void
  readonly emscripten_stack_get_base: () => Pointer
  readonly emscripten_stack_get_end: () => Pointer
  readonly stackSave: () => Pointer
  readonly stackRestore: (pointer: Pointer) => void
  readonly stackAlloc: (bytes: number) => Pointer
  readonly setThrew: (threw: number, value: number) => void
  readonly malloc: (bytes: number) => Pointer
  readonly realloc: (pointer: Pointer, bytes: number) => Pointer
  readonly free: (pointer: Pointer) => void
  readonly lua_newstate: (allocate: number, data: number) => Pointer
  readonly lua_sethook: (L: Pointer, hook: number, mask: number, count: number) => void
  readonly lua_gettop: (L: Pointer) => number
  readonly lua_settop: (L: Pointer, index: number) => void
  readonly lua_checkstack: (L: Pointer, slots: number) => number
  readonly lua_pushvalue: (L: Pointer, index: number) => void
  readonly lua_rotate: (L: Pointer, index: number, n: number) => void
  readonly lua_type: (L: Pointer, index: number) => number
  readonly lua_isinteger: (L: Pointer, index: number) => number
  readonly lua_toboolean: (L: Pointer, index: number) => number
  readonly lua_tonumberx: (L: Pointer, index: number, isNumber: Pointer) => number
  readonly lua_tointegerx: (L: Pointer, index: number, isInteger: Pointer) => bigint
  readonly lua_tolstring: (L: Pointer, index: number, length: Pointer) => Pointer
  readonly lua_topointer: (L: Pointer, index: number) => Pointer
  readonly lua_pushnil: (L: Pointer) => void
  readonly lua_pushboolean: (L: Pointer, value: number) => void
  readonly lua_pushnumber: (L: Pointer, value: number) => void
  readonly lua_pushinteger: (L: Pointer, value: bigint) => void
  readonly lua_pushlstring: (L: Pointer, text: Pointer, length: number) => Pointer
  readonly lua_pushcclosure: (L: Pointer, callback: number, upvalues: number) => void
  readonly lua_createtable: (L: Pointer, list: number, fields: number) => void
  readonly lua_getmetatable: (L: Pointer, index: number) => number
  readonly lua_setupvalue: (L: Pointer, index: number, upvalue: number) => Pointer
  readonly lua_next: (L: Pointer, index: number) => number
  readonly lua_rawget: (L: Pointer, index: number) => number
  readonly lua_rawset: (L: Pointer, index: number) => void
  readonly lua_rawgeti: (L: Pointer, index: number, n: bigint) => number
  readonly lua_rawseti: (L: Pointer, index: number, n: bigint) => void
  readonly lua_callk: (L: Pointer, args: number, results: number, context: number, then: number) => void
  readonly lua_pcallk: (L: Pointer, args: number, results: number, handler: number, context: number, then: number) => number
  readonly lua_getstack: (L: Pointer, level: number, record: Pointer) => number
  readonly lua_getinfo: (L: Pointer, fields: Pointer, record: Pointer) => number
  readonly luaL_loadbufferx: (L: Pointer, text: Pointer, length: number, name: Pointer, mode: Pointer) => number
  readonly luaL_requiref: (L: Pointer, name: Pointer, open: number, asGlobal: number) => void
  readonly luaL_ref: (L: Pointer, table: number) => number
  readonly luaopen_base: (L: Pointer) => number
  readonly luaopen_string: (L: Pointer) => number
  readonly luaopen_table: (L: Pointer) => number
  readonly luaopen_math: (L: Pointer) => number
}

/** The callbacks that the engine calls. An error that one of them throws goes through all of Lua to the host: no `pcall` sees it. */
export interface Callbacks {
  /** A function of Lua, as `lua_CFunction`. */
  call(L: Pointer): number
  /** As `lua_Hook`. */
  hook(L: Pointer, record: Pointer): void
  /** As `lua_Alloc`. */
  allocate(data: Pointer, block: Pointer, oldSize: number, newSize: number): Pointer
}

/** An instance of the engine. */
export interface Engine extends EngineExports {
  /** The table of functions. */
  readonly table: WasmTable
  /** The places of the callbacks in the table of functions. */
  readonly callbacks: { readonly call: number; readonly hook: number; readonly allocate: number }
}

/** Lua throws and catches its own errors with this one. */
const LONG_JUMP = new Error('a jump of Lua')

/** The most memory of an instance in bytes, whatever the limits of its scripts: their limit is reached first. */
const MOST_MEMORY = 512 * 1024 * 1024
const PAGE = 65_536

/** The parts of the engine that read files, clocks and the environment do nothing. */
const ABSENT = -1

/** Makes an instance of wasmoon's `glue.wasm`, without its JavaScript: no clock, no file and no randomness is within reach of Lua. */
export function makeEngine(module: WasmModule, callbacks: Callbacks): Engine {
  const imports: Record<string, Record<string, unknown>> = {}
  for (const { module: from, name } of wasm.Module.imports(module)) (imports[from] ??= {})[name] = () => ABSENT
  const memory = (): WasmMemory => engine.memory
  Object.assign((imports['env'] ??= {}), {
    invoke_vii(index: number, first: number, second: number) {
      const top = engine.stackSave()
      try {
        ;(table.get(index) as (first: number, second: number) => void)(first, second)
      } catch (thrown) {
        if (thrown !== LONG_JUMP) throw thrown
        engine.stackRestore(top)
        engine.setThrew(1, 0)
      }
    },
    _emscripten_throw_longjmp() {
      throw LONG_JUMP
    },
    // The seed of hashes is made of it: equal everywhere, and with it the order in tables.
    emscripten_date_now: () => 0,
    emscripten_resize_heap(bytes: number) {
      const missing = Math.ceil((bytes - memory().buffer.byteLength) / PAGE)
      if (bytes > MOST_MEMORY) return 0
      try {
        memory().grow(Math.max(0, missing))
        return 1
      } catch {
        return 0
      }
    },
    abort() {
      throw new Error('the engine of Lua has aborted')
    },
    exit() {
      throw new Error('the engine of Lua has exited')
    },
  })
  const { __indirect_function_table, __wasm_call_ctors: construct, ...rest } = new wasm.Instance(module, imports).exports
  const engine = rest as unknown as EngineExports
  const table = __indirect_function_table as WasmTable
  engine.emscripten_stack_init()
  ;(construct as () => void)()
  return { ...engine, table, callbacks: addCallbacks(table, callbacks) }
}

function addCallbacks(table: WasmTable, callbacks: Callbacks): Engine['callbacks'] {
  const typed = new wasm.Instance(trampolineModule(), {
    h: {
      c: (L: Pointer) => callbacks.call(L),
      h: (L: Pointer, record: Pointer) => callbacks.hook(L, record),
      a: (data: Pointer, block: Pointer, oldSize: number, newSize: number) => callbacks.allocate(data, block, oldSize >>> 0, newSize >>> 0),
    },
  }).exports
  const first = table.grow(3)
  for (const [i, name] of ['c', 'h', 'a'].entries()) table.set(first + i, typed[name])
  return { call: first, hook: first + 1, allocate: first + 2 }
}

let trampolines: WasmModule | undefined

/** A module that imports three functions of the host and exports them with the types that the table of the engine asks for. */
function trampolineModule(): WasmModule {
  const i32 = 0x7f
  const named = (name: string) => [1, name.charCodeAt(0)]
  const types = [3, 0x60, 1, i32, 1, i32, 0x60, 2, i32, i32, 0, 0x60, 4, i32, i32, i32, i32, 1, i32]
  const imports = [3, ...['c', 'h', 'a'].flatMap((name, type) => [...named('h'), ...named(name), 0, type])]
  const exports = [3, ...['c', 'h', 'a'].flatMap((name, index) => [...named(name), 0, index])]
  const section = (id: number, body: readonly number[]) => [id, body.length, ...body]
  const bytes = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...section(1, types), ...section(2, imports), ...section(7, exports)]
  return (trampolines ??= new wasm.Module(new Uint8Array(bytes)))
}
