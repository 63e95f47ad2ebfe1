import { SANDBOX } from '../sandbox/parts.ts'
import { Abort } from './abort.ts'
import { findPlain } from './find-plain.ts'
import type { CountedLimits } from './limits.ts'
import { type Image, Machine, REGISTRY } from './machine.ts'
import { Printed } from './printed.ts'
import { pushText } from './push-value.ts'
import { readText } from './read-value.ts'
import { ScriptBoard } from './script-board.ts'
import type { WasmModule } from './web-assembly.ts'

/** The place of the global table in the registry. */
const GLOBALS = 2n
/** What `lua_pcallk` and `luaL_loadbufferx` return for success, and the number that asks for all results. */
export const OK = 0
export const ALL = -1

/** Steps for functions of the host, which take longer than instructions of Lua: a look at the stack, and an access to the board. */
const WHERE_STEPS = 500
const BOARD_STEPS = 50

/** The references of the registry that the host needs. */
interface References {
  readonly emptyLists: number
  /** Takes the context of a script. */
  readonly begin: number
  /** Returns the globals of a prelude. */
  readonly environment: number
  /** Takes the globals of a prelude, of which the user's text sees BT. */
  readonly publish: number
}

/** The state of Lua with the globals of user code, and the functions of the host that they call. Its image is where each call begins. */
export class Sandbox {
  readonly machine: Machine
  readonly image: Image
  readonly references: References
  /** What the current call has printed, read and written. */
  printed = new Printed()
  board = new ScriptBoard()
  /** The file of the user's text. */
  file = ''
  /** The functions of the host that the parts of the sandbox get. */
  readonly #host: Readonly<Record<string, number>>
  /** The handler of errors, for `lua_pcallk`. */
  readonly handler: number

  constructor(module: WasmModule) {
    const machine = new Machine(module)
    this.machine = machine
    this.#host = addHostFunctions(this)
    this.handler = machine.addFunction(() => {
      this.onError()
      return 1
    })
    this.references = this.#build()
    this.image = machine.image()
  }

  /** Called with the message of an error on top of the stack of Lua, before the stack unwinds. */
  onError: () => void = () => undefined

  /** Puts the image back, and forgets the last call. */
  begin(image: Image, file: string, limits: CountedLimits, board = new ScriptBoard()): void {
    this.machine.load(image, limits)
    this.printed = new Printed()
    this.board = board
    this.file = file
  }

  /** Compiles a text and leaves the function, or the message of the compiler, on the stack. Returns true if it is a function. */
  compile(text: string, name: string): boolean {
    const { engine, heap, L } = this.machine
    return heap.withText(name, (namePlace) =>
      heap.withText(text, (place, length) => engine.luaL_loadbufferx(L, place, length, namePlace, heap.constant('t')) === OK),
    )
  }

  /** Pushes what is at a reference of the registry. */
  push(reference: number): void {
    this.machine.engine.lua_rawgeti(this.machine.L, REGISTRY, BigInt(reference))
  }

  /** Sets a field of the table on top of the stack to a function of the host. */
  setFunction(name: string, index: number): void {
    pushText(this.machine, name)
    this.machine.pushFunction(index)
    this.machine.engine.lua_rawset(this.machine.L, -3)
  }

  #build(): References {
    const { engine, heap, L } = this.machine
    const libraries = { _G: engine.luaopen_base, string: engine.luaopen_string, table: engine.luaopen_table, math: engine.luaopen_math }
    for (const [name, open] of Object.entries(libraries)) {
      const index = engine.table.grow(1)
      engine.table.set(index, open)
      engine.luaL_requiref(L, heap.constant(name), index, 1)
    }
    engine.lua_settop(L, 0)
    engine.lua_createtable(L, 0, 16)
    for (const [name, index] of Object.entries(this.#host)) this.setFunction(name, index)
    pushText(this.machine, 'nan')
    engine.lua_pushnumber(L, NaN)
    engine.lua_rawset(L, -3)
    engine.lua_createtable(L, 0, 16)
    for (const [i, part] of SANDBOX.entries()) this.#runPart(part, i)
    pushText(this.machine, 'globals')
    engine.lua_rawget(L, 2)
    engine.lua_rawseti(L, REGISTRY, GLOBALS)
    const [begin, environment, publish] = [this.#keep('begin'), this.#keep('environment'), this.#keep('publish')]
    engine.lua_settop(L, 0)
    engine.lua_createtable(L, 0, 0)
    return { begin, environment, publish, emptyLists: engine.luaL_ref(L, REGISTRY) }
  }

  /** Runs a part with the host at place 1 of the stack and the shared table at place 2. */
  #runPart(part: string, place: number): void {
    const { engine, L } = this.machine
    const isCompiled = this.compile(part, '=reflex')
    if (isCompiled) {
      engine.lua_pushvalue(L, 1)
      engine.lua_pushvalue(L, 2)
      if (engine.lua_pcallk(L, 2, 0, 0, 0, 0) === OK) return
    }
    throw new Error(`part ${place} of the sandbox: ${readText(this.machine, -1)}`)
  }

  #keep(field: string): number {
    const { engine, L } = this.machine
    pushText(this.machine, field)
    engine.lua_rawget(L, 2)
    return engine.luaL_ref(L, REGISTRY)
  }
}

/** Adds the functions that the parts of the sandbox call, and returns their numbers by name. */
function addHostFunctions(sandbox: Sandbox): Readonly<Record<string, number>> {
  const { machine } = sandbox
  const number = (index: number) => machine.engine.lua_tonumberx(machine.L, index, 0)
  const text = (index: number) => readText(machine, index) ?? ''
  const border = () => ({ machine, emptyLists: sandbox.references.emptyLists })
  const board = (operation: 'get' | 'has' | 'set' | 'delete'): number => {
    machine.charge(BOARD_STEPS)
    return sandbox.board[operation](border(), text(1))
  }
  const functions: Readonly<Record<string, () => number>> = {
    charge() {
      machine.charge(Math.max(0, number(1)))
      return 0
    },
    blocked: () => machine.abort(new Abort('blocked', text(1))),
    too_deep: () => machine.abort(new Abort('depth', 'too many protected calls inside each other')),
    where() {
      machine.charge(WHERE_STEPS)
      const line = machine.stack.userLine(machine.L)
      pushText(machine, line === 0 ? '' : `${sandbox.file}:${line}: `)
      return 1
    },
    print() {
      sandbox.printed.add(text(1))
      return 0
    },
    find_plain: () => findPlain(machine, number(3)),
    get: () => board('get'),
    has: () => board('has'),
    set: () => board('set'),
    delete: () => board('delete'),
  }
  return Object.fromEntries(Object.entries(functions).map(([name, run]) => [name, machine.addFunction(run)]))
}
