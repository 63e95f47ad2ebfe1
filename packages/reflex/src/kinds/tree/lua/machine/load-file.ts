import { Abort } from './abort.ts'
import { describeEnd, type LuaAnswer, LuaError } from './call.ts'
import type { CountedLimits } from './limits.ts'
import { type Image, REGISTRY } from './machine.ts'
import { markList, pushText } from './push-value.ts'
import { readText, TYPE } from './read-value.ts'
import { callChunk, compileChunk, compileCondition, readResults } from './run-chunk.ts'
import type { Sandbox } from './sandbox.ts'
import { keepFrames } from './tail-calls.ts'

/** A definition file that is loaded. */
export interface LoadJob {
  readonly text: string
  readonly file: string
  /** Lua that defines `BT`. It runs with a table of functions as its argument (`...`), and may return a function that takes what the file returns. */
  readonly prelude: string
  readonly limits: CountedLimits
}

/** The parts of the prelude that the machine finds again after its image was loaded: references of the registry. */
interface Prelude {
  readonly text: string
  readonly image: Image
  /** The function that takes what the file returns; 0 if there is none. */
  readonly finish: number
}

/** The limits of a prelude, which is our own text. */
const PRELUDE_LIMITS: CountedLimits = { steps: 50_000_000, memoryBytes: 64 * 1024 * 1024, resultBytes: 1024 }

/** Loads definition files. It keeps the image of the last prelude, so that files with the same prelude begin with it. */
export class Loader {
  readonly #sandbox: Sandbox
  readonly #functions: Readonly<Record<string, number>>
  #prelude: Prelude | undefined

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox
    this.#functions = addPreludeFunctions(sandbox)
  }

  /** Runs a file and returns what it returns as JSON. An error of the prelude itself is thrown. */
  load(job: LoadJob): LuaAnswer {
    const sandbox = this.#sandbox
    const prelude = this.#prelude?.text === job.prelude ? this.#prelude : this.#read(job.prelude)
    this.#prelude = prelude
    sandbox.begin(prelude.image, job.file, job.limits)
    return describeEnd(sandbox, () => {
      if (prelude.finish !== 0) sandbox.push(prelude.finish)
      compileChunk(sandbox, job.text)
      keepFrames(sandbox.machine, true)
      const results = callChunk(sandbox)
      return readResults(sandbox, prelude.finish === 0 ? results : callChunk(sandbox, results))
    })
  }

  #read(text: string): Prelude {
    const sandbox = this.#sandbox
    const { machine, references } = sandbox
    const { engine } = machine
    sandbox.begin(sandbox.image, 'prelude', PRELUDE_LIMITS)
    const ended = describeEnd(sandbox, () => {
      sandbox.push(references.environment)
      callChunk(sandbox)
      if (!sandbox.compile(text, '=prelude')) throw new LuaError({ kind: 'syntax', message: readText(machine, -1) ?? '' })
      engine.lua_pushvalue(machine.L, 1)
      engine.lua_setupvalue(machine.L, 2, 1)
      engine.lua_createtable(machine.L, 0, 8)
      for (const [name, index] of Object.entries(this.#functions)) sandbox.setFunction(name, index)
      const results = callChunk(sandbox, 1)
      const hasFinish = results > 0 && engine.lua_type(machine.L, 2) === TYPE.function
      if (hasFinish) engine.lua_settop(machine.L, 2)
      const finish = hasFinish ? engine.luaL_ref(machine.L, REGISTRY) : 0
      sandbox.push(references.publish)
      engine.lua_pushvalue(machine.L, 1)
      callChunk(sandbox, 1)
      return finish
    })
    if (!ended.ok) throw new Error(`the prelude of Lua: ${ended.failure.message}`)
    engine.lua_settop(machine.L, 0)
    return { text, image: machine.image(), finish: Number(ended.value) }
  }
}

/** The functions that a prelude gets. User code cannot reach them. */
function addPreludeFunctions(sandbox: Sandbox): Readonly<Record<string, number>> {
  const { machine } = sandbox
  const functions: Readonly<Record<string, () => number>> = {
    /** `line()`: the line of the user's file that is being executed, also inside its own functions; nil if there is none. */
    line() {
      const line = machine.stack.userLine(machine.L)
      if (line === 0) machine.engine.lua_pushnil(machine.L)
      else machine.engine.lua_pushinteger(machine.L, BigInt(line))
      return 1
    },
    /** `fail(message, line?)`: ends the load with E4002. */
    fail() {
      const line = machine.engine.lua_tonumberx(machine.L, 2, 0)
      return machine.abort(new Abort('definition', readText(machine, 1) ?? 'the definition is invalid', line > 0 ? line : undefined))
    },
    /** `list(table)`: the table, which is a list in JSON even if it is empty. */
    list() {
      machine.engine.lua_settop(machine.L, 1)
      markList(machine, sandbox.references.emptyLists)
      return 1
    },
    /** `syntax(code, is_condition)`: nil if the code can be compiled; otherwise the message and the line in the code. */
    syntax() {
      const isCondition = machine.engine.lua_toboolean(machine.L, 2) !== 0
      try {
        const compile = isCondition ? compileCondition : compileChunk
        compile(sandbox, readText(machine, 1) ?? '', 1)
        return 0
      } catch (thrown) {
        if (!(thrown instanceof LuaError)) throw thrown
        pushText(machine, thrown.failure.message)
        machine.engine.lua_pushinteger(machine.L, BigInt(thrown.failure.line ?? 1))
        return 2
      }
    },
  }
  return Object.fromEntries(Object.entries(functions).map(([name, run]) => [name, machine.addFunction(run)]))
}
