import { copyJson, type Host, type Json, type JsonObject } from '../../kernel/index.ts'
import { createTools, type Guess, type Tool, type ToolCall, Tools } from '../../tools/index.ts'
import type { Outside } from './outside.ts'
import type { ScriptedOptions, ScriptedTool } from './script.ts'

/** Returns the names of the built-in tools. */
export function builtInTools(host: Host): ReadonlySet<string> {
  return new Set(createTools({ environment: {}, host }).names())
}

/** Returns a tool that answers from the script. The other fields are those of the real tool with its name, if there is one. */
function scriptedTool(name: string, given: ScriptedTool, outside: Outside, real?: Tool): Tool {
  const { run, ...rest } = typeof given === 'function' ? { run: given } : { ...given, run: given.run.bind(given) }
  const tool = { ...(real ?? unknownTool(name)), ...rest }
  const answerTo = async (args: JsonObject, call: ToolCall): Promise<Json> => copyJson((await run(args, call)) ?? null, name)
  return {
    ...tool,
    async run(given, call): Promise<Json> {
      const args = given as JsonObject
      outside.record('tool', name, args, call.key)
      const answer = await outside.waitForTest(() => answerTo(args, call))
      if ((tool.repeats?.(args) ?? tool.repeat) === 'keyed')
        outside.keyed.push({ name, key: call.key, answer, again: () => outside.waitForTest(() => answerTo(args, call)) })
      return answer
    },
  }
}

/** Returns the traits of an unknown tool: it leaves and must not be repeated without a question. */
function unknownTool(name: string): Omit<Tool, 'run'> {
  return { name, description: name, leaves: true, repeat: 'ask' }
}

/** Returns the tools of a script. `real` has the tools that they replace. */
export function scriptedTools(given: ScriptedOptions['tools'] = {}, outside: Outside, real?: Tools): ReadonlyMap<string, Tool> {
  return new Map(Object.entries(given).map(([name, tool]) => [name, scriptedTool(name, tool, outside, real?.find(name))]))
}

/** The tools of a run. A scripted tool comes before the real tool with its name. */
export class ScriptedTools extends Tools {
  readonly #real: Tools
  readonly #scripted: ReadonlyMap<string, Tool>
  readonly #outside: Outside
  readonly #allowsUnknown: boolean

  /** `allowsUnknown`: an unknown tool is not an error, as in a recorded run. */
  constructor(real: Tools, given: ScriptedOptions['tools'], outside: Outside, allowsUnknown: boolean) {
    super([])
    this.#real = real
    this.#scripted = scriptedTools(given, outside, real)
    this.#outside = outside
    this.#allowsUnknown = allowsUnknown
  }

  override names(): readonly string[] {
    return [...new Set([...this.#scripted.keys(), ...this.#real.names()])]
  }

  override find(name: string): Tool | undefined {
    const real = this.#real.find(name)
    return this.#scripted.get(name) ?? (real === undefined ? this.#unknownTool(name) : this.#watchedTool(real))
  }

  #unknownTool(name: string): Tool | undefined {
    if (!this.#allowsUnknown) return undefined
    return { ...unknownTool(name), run: () => Promise.reject(new Error(`the recording has no answer of ${name}`)) }
  }

  override get(name: string, guess?: Guess): Tool {
    return this.find(name) ?? super.get(name, guess)
  }

  #watchedTool(tool: Tool): Tool {
    return {
      ...tool,
      run: (args, call) => {
        this.#outside.record('tool', tool.name, args, call.key)
        return this.#outside.waitForReal(() => tool.run(args, call))
      },
    }
  }
}
