import { causeOf, copyJson, type Fault, isFault, isInterruption, isObject, type Json, type Repeat, type Traits } from '../kernel/index.ts'
import { toolCapability } from './capability.ts'
import { faults } from './faults.ts'
import type { Place, Tool, ToolCall } from './tool.ts'

/** Suggests a known name for a misspelt word; `suggest` of the text room is such a function. */
export type Guess = (word: string, names: readonly string[]) => string | undefined

/** A tool with arguments that fit it, ready to be checked and called. */
export interface PreparedCall {
  readonly tool: Tool
  /** Returns the facts that the runtime and the policy need before the call. */
  traits(place: Place): Traits
  /** Calls the tool. Throws only faults. */
  run(call: ToolCall): Promise<Json>
  /** Returns the result in a simulated run; refused like the call itself. */
  simulate(call: Pick<ToolCall, 'allows' | 'workdir' | 'runFolder'>): Json
  /** Returns one line about the result. */
  says(result: Json): string | undefined
}

const REPEATS: readonly Repeat[] = ['ask', 'free', 'keyed']
const NAME = /^[A-Za-z][\w.-]{0,99}$/

/** The tools that a run may call, by name. */
export class Tools {
  readonly #tools = new Map<string, Tool>()

  /** Returns the reason why there is no tool with a name; undefined if nothing is known about it. */
  explainMissing: ((name: string) => Fault | undefined) | undefined

  /** Throws `R4102` for two tools with one name, for an invalid name, and for a rule of repetition that does not exist. */
  constructor(tools: Iterable<Tool>) {
    for (const tool of tools) this.add(tool)
  }

  /** Adds a tool. Throws `R4102` like the constructor. */
  add(tool: Tool): void {
    if (!NAME.test(tool.name))
      throw faults.make('R4102', `${JSON.stringify(tool.name)} cannot be the name of a tool`, {
        fix: 'letters, digits, points, dashes and underscores',
      })
    if (!isRepeat(tool.repeat))
      throw faults.make(
        'R4102',
        `repeat of the tool ${tool.name} must be one of ${REPEATS.join(', ')}, found ${JSON.stringify(tool.repeat)}`,
        {
          fix: `write repeat: 'ask', or 'free' or 'keyed' if the tool may be called again`,
        },
      )
    if (this.#tools.has(tool.name)) throw faults.make('R4102', `there are two tools called ${tool.name}`)
    this.#tools.set(tool.name, tool)
  }

  /** Returns the names in the order of registration. */
  names(): readonly string[] {
    return [...this.#tools.keys()]
  }

  find(name: string): Tool | undefined {
    return this.#tools.get(name)
  }

  /** Returns the tool with a name. Throws `R4100` if there is none. */
  get(name: string, guess?: Guess): Tool {
    const tool = this.#tools.get(name)
    if (tool !== undefined) return tool
    const known = this.explainMissing?.(name)
    if (known !== undefined) throw known
    const meant = guess?.(name, this.names())
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`
    throw faults.make('R4100', `there is no tool ${JSON.stringify(name)}${hint}`, {
      fix: meant === undefined ? `tools: ${this.names().join(', ')}` : `write ${meant}`,
      data: { tools: this.names() },
    })
  }

  /** Checks a call without making it. Throws `R4100` for the name, `R4101` for the arguments. */
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
      traits: (place) => ({ leaves: tool.leaves, repeat: repeatOf(tool, checked), needs: needs(place), uses: () => `tool:${name}` }),
      async run(call) {
        demandAll(call)
        return checkedResult(tool, copyJson(await perform(tool, checked, call), name))
      },
      simulate(call) {
        demandAll(call)
        return tool.simulates?.(checked) ?? `[Simulated] ${name}`
      },
      says: (result) => tool.says?.(checked, result),
    }
  }
}

/** Types are not checked in a module that the command imports: a misspelt rule must not make a tool run twice. */
function isRepeat(word: unknown): word is Repeat {
  return (REPEATS as readonly unknown[]).includes(word)
}

/** Returns the rule for one call. A word that is no rule asks a person. */
function repeatOf(tool: Tool, args: unknown): Repeat {
  const word = tool.repeats?.(args) ?? tool.repeat
  return isRepeat(word) ? word : 'ask'
}

function checkArguments(tool: Tool, args: Json): unknown {
  if (!isObject(args)) throw faults.make('R4101', `${tool.name} takes an object of named arguments`)
  const result = tool.input?.['~standard'].validate(args)
  if (result === undefined) return args
  if (result instanceof Promise)
    throw faults.make('R4101', `${tool.name} checks its arguments asynchronously; its validator must return at once`)
  if (result.issues === undefined) return result.value
  const issues = result.issues.map(({ message, path }) => (path?.length ? `${path.map(String).join('.')}: ${message}` : message))
  throw faults.make('R4101', `${tool.name}: ${issues.join('; ')}`)
}

/** Returns a result as its validator has it. Throws `R4103` for one that does not fit: it reaches no program. */
function checkedResult({ name, output }: Tool, result: Json): Json {
  const checked = output?.['~standard'].validate(result)
  if (checked === undefined) return result
  if (checked instanceof Promise) throw faults.make('R4103', `${name} checks its result asynchronously; its validator must return at once`)
  if (checked.issues === undefined) return copyJson(checked.value, name)
  const issues = checked.issues.map(({ message, path }) => (path?.length ? `${path.map(String).join('.')}: ${message}` : message))
  throw faults.make('R4103', `${name} returned a result that does not fit its schema: ${issues.join('; ')}`)
}

async function perform(tool: Tool, args: unknown, call: ToolCall): Promise<Json> {
  try {
    return await tool.run(args, call)
  } catch (thrown) {
    if (isFault(thrown) || isInterruption(thrown)) throw thrown
    const cause = causeOf(thrown)
    throw faults.make('R4103', `${tool.name} failed: ${typeof cause === 'string' ? cause : cause.message}`, { cause: thrown })
  }
}
