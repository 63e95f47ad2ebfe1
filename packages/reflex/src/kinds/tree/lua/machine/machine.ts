import { Abort } from './abort.ts'
import { Heap } from './heap.ts'
import { BYTES_PER_STEP, type CountedLimits, HOOK_INSTRUCTIONS, RECURSION_BYTES, STACK_BYTES } from './limits.ts'
import { Stack } from './stack.ts'
import type { WasmModule } from './web-assembly.ts'
import { type Engine, makeEngine, type Pointer } from './wasm.ts'

/** The memory of a state of Lua at rest. Loaded into any instance of the engine, it continues there. */
export interface Image {
  readonly L: Pointer
  /** The static data, below the stack of C. */
  readonly data: Uint8Array
  /** What is allocated, above the stack of C. Everything above it is zero. */
  readonly heap: Uint8Array
  readonly stackTop: Pointer
  readonly live: number
  readonly luaStack: Pointer
  readonly constants: Map<string, Pointer>
}

/** A function of the host that Lua calls, with its arguments on the stack. It returns the number of its results on top of the stack. */
export type HostFunction = (L: Pointer) => number

const TOO_DEEP = 'too many calls inside each other, or too many values at once'
const COUNT_MASK = 8
/** The second block that `lua_newstate` allocates is the stack: 45 values of 16 bytes. */
const NEW_STACK_BYTES = 720
/** Memory above the highest block that the allocator of C may have touched. */
const ALLOCATOR_MARGIN = 128 * 1024

const UNLIMITED: CountedLimits = { steps: Infinity, memoryBytes: 64 * 1024 * 1024, resultBytes: Infinity }

/**
 * An instance of the engine with one state of Lua, whose instructions and bytes are counted. Every limit ends the call with an `Abort`. Before
 * each call `load` puts the memory image back, so each call finds the same bytes at the same addresses.
 */
export class Machine {
  readonly #module: WasmModule
  #engine: Engine
  #heap: Heap
  #stack: Stack
  #limits: CountedLimits = UNLIMITED
  #left = Infinity
  #live = 0
  /** The highest address that was allocated since the image was loaded. */
  #high = 0
  #luaStack: Pointer = 0
  #stackBytes = NEW_STACK_BYTES
  #blocks = 0
  /** A request that was refused: Lua collects garbage and asks for the same again, or has no more memory. */
  #refused: { readonly block: Pointer; readonly size: number } | undefined
  /** A limit that was reached when the call could not end, as while its stack was moved: it ends at the next occasion. */
  #due: Abort | undefined
  readonly #functions: HostFunction[] = []
  L: Pointer = 0
  /** Called before an abort leaves the stack of Lua, which can still be read then. */
  onAbort: (abort: Abort) => void = () => undefined

  constructor(module: WasmModule) {
    this.#module = module
    this.#engine = this.#instance()
    this.#heap = new Heap(this.#engine)
    this.#stack = new Stack(this.#engine, this.#heap)
    for (const text of ['nSl', 'Sl', '=reflex', 't', '_G', 'string', 'table', 'math']) this.#heap.keep(text)
    this.L = this.#engine.lua_newstate(this.#engine.callbacks.allocate, 0)
    if (this.L === 0) throw new Error('the engine of Lua has no memory')
  }

  get engine(): Engine {
    return this.#engine
  }

  get heap(): Heap {
    return this.#heap
  }

  get stack(): Stack {
    return this.#stack
  }

  get limits(): CountedLimits {
    return this.#limits
  }

  /** The steps since the image was loaded. */
  get steps(): number {
    return this.#limits.steps - Math.max(0, this.#left)
  }

  /** Makes a function of the host callable: the number that `pushFunction` takes. The same functions must be added on each machine. */
  addFunction(run: HostFunction): number {
    return this.#functions.push(run) - 1
  }

  pushFunction(index: number): void {
    this.#engine.lua_pushnumber(this.L, index)
    this.#engine.lua_pushcclosure(this.L, this.#engine.callbacks.call, 1)
  }

  /** Charges steps. Throws an Abort if there are too few left. */
  charge(steps: number): void {
    this.#left -= steps
    this.checkDue()
    if (this.#left < 0) this.abort(new Abort('steps', `more than ${this.#limits.steps.toLocaleString('en')} steps`))
  }

  /** Ends the call if a limit was reached before. */
  checkDue(): void {
    if (this.#due !== undefined) this.abort(this.#due)
  }

  abort(abort: Abort): never {
    this.#look(abort)
    throw abort
  }

  #look(abort: Abort): void {
    const left = this.#left
    // What `onAbort` reads is not counted.
    this.#left = Infinity
    this.onAbort(abort)
    this.#left = left
  }

  /** Returns the memory as it is, for `load`. Nothing of Lua may be running. */
  image(): Image {
    const { bytes } = this.#heap
    const [bottom, base] = [this.#engine.emscripten_stack_get_end(), this.#engine.emscripten_stack_get_base()]
    let end = Math.min(bytes.length, this.#high + ALLOCATOR_MARGIN)
    while (end > base && bytes[end - 1] === 0) end--
    return {
      L: this.L,
      data: bytes.slice(0, bottom),
      heap: bytes.slice(base, end),
      stackTop: this.#engine.stackSave(),
      live: this.#live,
      luaStack: this.#luaStack,
      constants: this.#heap.constants,
    }
  }

  /** Puts an image back and begins to count. An instance whose memory has grown is replaced, since memory of WebAssembly never shrinks. */
  load(image: Image, limits: CountedLimits): void {
    const hasGrown = this.#heap.bytes.length > INITIAL_BYTES
    if (hasGrown) this.#engine = this.#instance()
    this.#heap = new Heap(this.#engine, image.constants)
    this.#stack = new Stack(this.#engine, this.#heap)
    const { bytes } = this.#heap
    const base = this.#engine.emscripten_stack_get_base()
    bytes.set(image.data)
    bytes.set(image.heap, base)
    if (!hasGrown) bytes.fill(0, base + image.heap.length, Math.max(base + image.heap.length, this.#high + ALLOCATOR_MARGIN))
    this.#engine.stackRestore(image.stackTop)
    this.L = image.L
    this.#live = image.live
    this.#luaStack = image.luaStack
    this.#stackBytes = NEW_STACK_BYTES
    this.#high = base + image.heap.length
    this.#refused = undefined
    this.#due = undefined
    this.#limits = limits
    this.#left = limits.steps
    this.#engine.lua_sethook(this.L, this.#engine.callbacks.hook, COUNT_MASK, HOOK_INSTRUCTIONS)
  }

  #instance(): Engine {
    return makeEngine(this.#module, {
      call: (L) => {
        const run = this.#functions[this.#engine.lua_tonumberx(L, FIRST_UPVALUE, 0)]
        if (run === undefined) throw new TypeError('Lua has called a function of the host that does not exist')
        return run(L)
      },
      hook: () => {
        if (this.#stackBytes > RECURSION_BYTES) this.abort(new Abort('depth', TOO_DEEP))
        this.charge(HOOK_INSTRUCTIONS)
      },
      allocate: (_data, block, oldSize, newSize) => this.#allocate(block, oldSize, newSize),
    })
  }

  #allocate(block: Pointer, oldSize: number, newSize: number): Pointer {
    const before = block === 0 ? 0 : oldSize
    if (newSize === 0) {
      if (block !== 0) this.#engine.free(block)
      this.#live -= before
      return 0
    }
    const isStack = block !== 0 && block === this.#luaStack
    const live = this.#live + newSize - before
    if (newSize > before && !this.#mayGrow(isStack, block, newSize, live)) return 0
    const place = this.#engine.realloc(block, newSize)
    if (place === 0) return this.#refuse(block, newSize)
    if (newSize > before) this.#refused = undefined
    this.#live = live
    if (place + newSize > this.#high) this.#high = place + newSize
    if (this.#blocks < 2 && ++this.#blocks === 2) this.#findStack(place, newSize)
    else if (isStack) {
      this.#luaStack = place
      this.#stackBytes = newSize
    }
    return place
  }

  #mayGrow(isStack: boolean, block: Pointer, newSize: number, live: number): boolean {
    const steps = Math.floor(newSize / BYTES_PER_STEP)
    const isTooMuch = live > this.#limits.memoryBytes
    if (isStack) {
      this.#left -= steps
      if (newSize > STACK_BYTES) this.#due = new Abort('depth', TOO_DEEP)
      else if (isTooMuch) this.#due = this.#memoryAbort()
      return this.#due === undefined
    }
    // Lua has collected its garbage and tries again.
    if (this.#refused?.block === block && this.#refused.size === newSize) this.#due = undefined
    this.charge(steps)
    if (!isTooMuch) return true
    // If this call ends in Lua, its stack is gone before the call ends here.
    this.#look(this.#memoryAbort())
    this.#refuse(block, newSize)
    return false
  }

  /**
   * The first refusal makes Lua collect its garbage and ask for the same again. If there is still no memory, the call ends; it also ends if Lua
   * does not ask again, as its buffers of text do not.
   */
  #refuse(block: Pointer, size: number): Pointer {
    if (this.#refused !== undefined) this.abort(this.#memoryAbort())
    this.#refused = { block, size }
    this.#due = this.#memoryAbort()
    // The collection visits everything that is alive.
    this.#left -= Math.floor(this.#live / BYTES_PER_STEP)
    return 0
  }

  #memoryAbort(): Abort {
    return new Abort('memory', `more than ${(this.#limits.memoryBytes / 1024 / 1024).toFixed(0)} MB of memory`)
  }

  #findStack(place: Pointer, size: number): void {
    if (size !== NEW_STACK_BYTES) throw new Error('this build of Lua is not the one that Reflex knows')
    this.#luaStack = place
  }
}

/** The memory of a new instance in bytes. */
const INITIAL_BYTES = 16 * 1024 * 1024
/** The pseudo index of the registry: -LUAI_MAXSTACK - 1000. */
export const REGISTRY = -1_001_000
const FIRST_UPVALUE = REGISTRY - 1
