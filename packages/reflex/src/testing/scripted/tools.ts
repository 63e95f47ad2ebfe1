import { copyJson, type Host, type Json, type JsonObject } from '../../kernel/index.ts'
import { createTools, type Guess, type Tool, Tools } from '../../tools/index.ts'
import type { Outside } from './outside.ts'
import type { ScriptedTool } from './script.ts'

/** The names of the tools that Reflex has by itself. */
export function ownTools(host: Host): ReadonlySet<string> {
  return new Set(createTools({ environment: {}, host }).names())
}

/** A tool that answers as a script says. */
export function scriptedTool(name: string, given: ScriptedTool, outside: Outside): Tool {
  const { run, ...rest } = typeof given === 'function' ? { run: given } : { ...given, run: given.run.bind(given) }
  return {
    name,
    description: name,
    leaves: true,
    repeat: 'ask',
    ...rest,
    run(args, call): Promise<Json> {
      outside.tell('tool', name, args, call.key)
      return outside.own(async () => copyJson((await run(args as JsonObject, call)) ?? null, name))
    },
  }
}

/** The tools of a run, of which those of a script come first. */
export class ScriptedTools extends Tools {
  readonly #real: Tools
  readonly #scripted: ReadonlyMap<string, Tool>
  readonly #outside: Outside

  constructor(real: Tools, scripted: ReadonlyMap<string, Tool>, outside: Outside) {
    super([])
    this.#real = real
    this.#scripted = scripted
    this.#outside = outside
  }

  override names(): readonly string[] {
    return [...new Set([...this.#scripted.keys(), ...this.#real.names()])]
  }

  override find(name: string): Tool | undefined {
    const real = this.#real.find(name)
    return this.#scripted.get(name) ?? (real === undefined ? undefined : this.#watched(real))
  }

  override get(name: string, guess?: Guess): Tool {
    return this.find(name) ?? super.get(name, guess)
  }

  #watched(tool: Tool): Tool {
    return {
      ...tool,
      run: (args, call) => {
        this.#outside.tell('tool', tool.name, args, call.key)
        return this.#outside.real(() => tool.run(args, call))
      },
    }
  }
}
