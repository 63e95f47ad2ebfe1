import { causeOf, copyJson, isFault, isObject, type Json, type Traits } from '../kernel/index.ts'
import { toolCapability } from './capability.ts'
import { faults } from './faults.ts'
import type { Place, Tool, ToolCall } from './tool.ts'

/** Finds the name that a misspelt word was meant to be; `suggest` of the text room is one. */
export type Guess = (word: string, names: readonly string[]) => string | undefined

/** A tool with arguments that fit it, ready to be judged and called. */
export interface PreparedCall {
  readonly tool: Tool
  /** What the runtime and the policy must know of this call before it is made. */
  traits(place: Place): Traits
  /** Calls the tool; only faults are thrown. */
  run(call: ToolCall): Promise<Json>
  /** What stands in for a result in a run that is simulated; refused like the call. */
  simulate(call: Pick<ToolCall, 'allows' | 'workdir' | 'runFolder'>): Json
  /** One line about what came of it. */
  says(result: Json): string | undefined
}

const NAME = /^[A-Za-z][\w.-]{0,99}$/

/** The tools that a run may call, by name: those and no others. */
export class Tools {
  readonly #tools = new Map<string, Tool>()

  /** Refuses two tools of one name, and names that cannot be written, with `R4102`. */
  constructor(tools: Iterable<Tool>) {
    for (const tool of tools) this.add(tool)
  }

  /** Takes in one more. `R4102` as above. */
  add(tool: Tool): void {
    if (!NAME.test(tool.name))
      throw faults.make('R4102', `${JSON.stringify(tool.name)} cannot be the name of a tool`, {
        fix: 'letters, digits, points, dashes and underscores',
      })
    if (this.#tools.has(tool.name)) throw faults.make('R4102', `there are two tools called ${tool.name}`)
    this.#tools.set(tool.name, tool)
  }

  /** Names in the order of registration. */
  names(): readonly string[] {
    return [...this.#tools.keys()]
  }

  find(name: string): Tool | undefined {
    return this.#tools.get(name)
  }

  /** The tool of a name, or the fault `R4100`. */
  get(name: string, guess?: Guess): Tool {
    const tool = this.#tools.get(name)
    if (tool !== undefined) return tool
    const meant = guess?.(name, this.names())
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`
    throw faults.make('R4100', `there is no tool ${JSON.stringify(name)}${hint}`, {
      fix: meant === undefined ? `tools: ${this.names().join(', ')}` : `write ${meant}`,
      data: { tools: this.names() },
    })
  }

  /** Checks a call without making it: `R4100` for the name, `R4101` for the arguments. */
  prepare(name: string, args: Json, guess?: Guess): PreparedCall {
    const tool = this.get(name, guess)
    const checked = checkArguments(tool, args)
    const needs = (place: Place): readonly string[] => [toolCapability(name), ...(tool.needs?.(checked, place) ?? [])]
    const demandAll = (call: Pick<ToolCall, 'allows'> & Place): void => {
      const refused = needs(call).find((need) => !call.allows(need))
      if (refused !== undefined)
        throw faults.make('R4105', `${name} needs ${refused}, which is not granted`, { data: { needs: [refused] } })
    }
    return {
      tool,
      traits: (place) => ({ leaves: tool.leaves, repeat: tool.repeats?.(checked) ?? tool.repeat, needs: needs(place) }),
      async run(call) {
        demandAll(call)
        return copyJson(await perform(tool, checked, call), name)
      },
      simulate(call) {
        demandAll(call)
        return tool.simulates?.(checked) ?? `[Simulated] ${name}`
      },
      says: (result) => tool.says?.(checked, result),
    }
  }
}

function checkArguments(tool: Tool, args: Json): unknown {
  if (!isObject(args)) throw faults.make('R4101', `${tool.name} takes named arguments, an object`)
  const result = tool.input?.['~standard'].validate(args)
  if (result === undefined) return args
  if (result instanceof Promise) throw faults.make('R4101', `${tool.name} checks its arguments later; they are needed at once`)
  if (result.issues === undefined) return result.value
  const issues = result.issues.map(({ message, path }) => (path?.length ? `${path.map(String).join('.')}: ${message}` : message))
  throw faults.make('R4101', `${tool.name}: ${issues.join('; ')}`)
}

async function perform(tool: Tool, args: unknown, call: ToolCall): Promise<Json> {
  try {
    return await tool.run(args, call)
  } catch (thrown) {
    if (isFault(thrown)) throw thrown
    const cause = causeOf(thrown)
    throw faults.make('R4103', `${tool.name} failed: ${typeof cause === 'string' ? cause : cause.message}`, { cause: thrown })
  }
}
