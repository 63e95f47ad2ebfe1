import type { Heap } from './heap.ts'
import type { Engine, Pointer } from './wasm.ts'

/** A call on the stack of Lua. */
export interface StackFrame {
  /** True for functions of the user's text; false for the library, the prelude and the engine. */
  readonly isUser: boolean
  /** The line that is being executed; 0 if it is unknown. */
  readonly line: number
  /** The name by which it was called, as Lua sees it: `local 'f'`; undefined if it has none. */
  readonly name: string | undefined
  readonly isMain: boolean
}

/** The places of the fields of `lua_Debug` in bytes, and its size, for pointers of 32 bits. */
const NAME = 4
const NAME_WHAT = 8
const WHAT = 12
const SOURCE = 16
const CURRENT_LINE = 24
const SIZE = 112

/** The sources of the user begin with @, those of Reflex and of C with =. */
const USER_MARK = 64

/** The frames of a traceback that are kept at each end. */
const FIRST = 12
const LAST = 10

/** The longest name of a function in a traceback, in bytes. */
const NAME_BYTES = 80

/** The frames that are looked at to find the line of the user. */
const MOST_FRAMES = 1000

/** Reads the stack of calls of a state. It allocates nothing in Lua, so that it can be read at any moment. */
export class Stack {
  readonly #engine: Engine
  readonly #heap: Heap

  constructor(engine: Engine, heap: Heap) {
    this.#engine = engine
    this.#heap = heap
  }

  /** Returns the frame of a level, 0 being the innermost; undefined if there are fewer. */
  frame(L: Pointer, level: number): StackFrame | undefined {
    const engine = this.#engine
    const top = engine.stackSave()
    try {
      const record = engine.stackAlloc(SIZE)
      if (engine.lua_getstack(L, level, record) === 0) return undefined
      engine.lua_getinfo(L, this.#heap.constant('nSl'), record)
      const what = this.#text(record + WHAT) ?? ''
      const name = this.#text(record + NAME)
      const kind = this.#text(record + NAME_WHAT)
      return {
        isUser: this.#heap.bytes[this.#heap.int(record + SOURCE)] === USER_MARK,
        line: Math.max(0, this.#heap.int(record + CURRENT_LINE)),
        name: name === undefined ? undefined : `${kind === undefined || kind === '' ? 'function' : kind} '${name}'`,
        isMain: what === 'main',
      }
    } finally {
      engine.stackRestore(top)
    }
  }

  /** Returns the line of the user's text that is being executed, also inside calls of the library; 0 if it is unknown. */
  userLine(L: Pointer): number {
    const engine = this.#engine
    const heap = this.#heap
    const top = engine.stackSave()
    const record = engine.stackAlloc(SIZE)
    let line = 0
    for (let level = 0; line <= 0 && level < MOST_FRAMES && engine.lua_getstack(L, level, record) !== 0; level++) {
      engine.lua_getinfo(L, heap.constant('Sl'), record)
      if (heap.bytes[heap.int(record + SOURCE)] === USER_MARK) line = heap.int(record + CURRENT_LINE)
    }
    engine.stackRestore(top)
    return Math.max(0, line)
  }

  /**
   * Returns the traceback as Lua writes it, with the file of the user in full and without addresses. Of the library it has the functions that
   * the user's text called. Undefined if no text of the user is running. `from`: the innermost level that counts.
   */
  traceback(L: Pointer, file: string, from = 0): string | undefined {
    const depth = this.#depth(L)
    const lines = ['stack traceback:']
    for (let level = from; level < depth; level++) {
      if (level === FIRST && depth > FIRST + LAST) {
        lines.push(`\t...\t(skipping ${depth - FIRST - LAST} levels)`)
        level = depth - LAST
      }
      const frame = this.frame(L, level)
      const caller = frame?.isUser === false ? this.frame(L, level + 1) : undefined
      if (frame !== undefined && (frame.isUser || caller?.isUser === true)) lines.push(`\t${describe(frame, file)}`)
    }
    return lines.length === 1 ? undefined : lines.join('\n')
  }

  #depth(L: Pointer): number {
    let [low, high] = [0, 1]
    while (this.#has(L, high)) [low, high] = [high, high * 2]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#has(L, middle)) low = middle + 1
      else high = middle
    }
    return low
  }

  #has(L: Pointer, level: number): boolean {
    const top = this.#engine.stackSave()
    const found = this.#engine.lua_getstack(L, level, this.#engine.stackAlloc(SIZE)) !== 0
    this.#engine.stackRestore(top)
    return found
  }

  #text(place: Pointer): string | undefined {
    const pointer = this.#heap.int(place)
    return pointer === 0 ? undefined : this.#heap.cText(pointer, NAME_BYTES)
  }
}

function describe(frame: StackFrame, file: string): string {
  const where = frame.isUser ? `${file}:${frame.line === 0 ? '?' : frame.line}` : '[Reflex]'
  if (frame.isMain && frame.isUser) return `${where}: in main chunk`
  return `${where}: in ${frame.name ?? 'function <anonymous>'}`
}
