import { equalJson, type Host, isList, isObject, type Json, type JsonObject, type Port } from '../../kernel/index.ts'
import type { SkillTool } from '../../kinds/skill/model/skill-tool.ts'
import type { RunSettings } from '../../policy/index.ts'
import type { ExpectedCall, RecordedCall } from './case.ts'
import { faults } from './faults.ts'

/** A call of a tool in a test. */
export interface CaseCall {
  /** The id of the step, or `undo` and its place. */
  readonly step: string
  readonly tool: string
  readonly args: JsonObject
  /** The program and its arguments, of a tool that takes a command. */
  readonly argv?: readonly string[]
  readonly result: 'answered' | 'failed' | 'hangs' | 'unmatched'
}

/** How the recorded tools of a mutated case differ from those of the case. */
export interface ToolChange {
  /** A call gets the next answer of its tool, whatever its arguments are. */
  readonly ignoresArgs?: boolean
  /** The answer of one step, in place of the recorded one. */
  readonly at?: { readonly step: string; readonly answer: Partial<RecordedCall> }
}

/** The tools of one test: each call gets its recorded answer after its recorded time, by the clock of the test. Nothing else is reached. */
export class RecordedTools {
  readonly calls: CaseCall[] = []
  cost = 0
  readonly #host: Host
  readonly #recorded: { readonly entry: RecordedCall; left: number }[]
  readonly #commands: ReadonlyMap<string, string | undefined>
  readonly #change: ToolChange

  constructor(host: Host, recorded: readonly RecordedCall[], tools: readonly SkillTool[], change: ToolChange = {}) {
    this.#host = host
    this.#recorded = recorded.map((entry) => ({ entry, left: entry.times ?? Number.POSITIVE_INFINITY }))
    this.#commands = new Map(tools.map(({ name, commandLine }) => [name, commandLine]))
    this.#change = change
  }

  readonly port: Port<RunSettings> = {
    leaves: true,
    repeat: 'keyed',
    perform: (call) => {
      const { tool, args } = call.args as unknown as { readonly tool: string; readonly args: JsonObject }
      return this.#perform(call.place.slice(call.place.lastIndexOf('/') + 1), tool, args)
    },
  }

  #perform(step: string, tool: string, args: JsonObject): Promise<Json> | Json {
    const argv = argvOf(args, this.#commands.get(tool))
    const called = { step, tool, args, ...(argv === undefined ? {} : { argv }) }
    const found = this.#answerTo(called)
    if (found === undefined) {
      this.calls.push({ ...called, result: 'unmatched' })
      throw faults.make('R1496', `the case has no answer for ${tool} ${JSON.stringify(argv ?? args)}`, { path: step })
    }
    const { at } = this.#change
    const { latency_ms, hangs, error, retry, result, cost_usd } = at?.step === step ? { ...found, ...at.answer } : found
    this.cost += cost_usd
    this.calls.push({ ...called, result: hangs ? 'hangs' : error === undefined ? 'answered' : 'failed' })
    if (hangs) return new Promise(() => undefined)
    const settle = (): Json => {
      if (error === undefined) return result
      throw Object.assign(new Error(error), { verdict: retry ? 'retry' : 'fail' })
    }
    if (latency_ms === 0) return settle()
    const { promise, resolve } = Promise.withResolvers<undefined>()
    this.#host.at(this.#host.now() + latency_ms, () => resolve(undefined))
    return promise.then(settle)
  }

  #answerTo(called: Pick<CaseCall, 'tool' | 'args' | 'argv'>): RecordedCall | undefined {
    const fits = this.#recorded.filter(
      ({ entry, left }) => left > 0 && entry.tool === called.tool && (this.#change.ignoresArgs === true || isMatch(entry.match, called)),
    )
    // Answers to one call each come first, in their order; one that answers all comes after them.
    const found = fits.find(({ entry }) => entry.times !== undefined) ?? fits.find(({ entry }) => isMatch(entry.match, called)) ?? fits[0]
    if (found !== undefined) found.left--
    return found?.entry
  }
}

function argvOf(args: JsonObject, commandLine: string | undefined): readonly string[] | undefined {
  const argv = (commandLine === undefined ? undefined : args[commandLine]) ?? args['argv']
  return isList(argv) ? argv.map(String) : undefined
}

/** True if a call is as a case writes it. */
export function isMatch({ argv, args }: Partial<Pick<ExpectedCall, 'argv' | 'args'>>, called: Pick<CaseCall, 'args' | 'argv'>): boolean {
  if (argv !== undefined && (called.argv === undefined || !isListMatch(argv, called.argv))) return false
  return args === undefined || Object.entries(args).every(([name, value]) => isValueMatch(value, called.args[name]))
}

function isListMatch(pattern: readonly Json[], values: readonly Json[]): boolean {
  const isOpen = pattern.at(-1) === '*'
  if (isOpen ? values.length < pattern.length - 1 : values.length !== pattern.length) return false
  const fixed = isOpen ? pattern.slice(0, -1) : pattern
  return fixed.every((part, index) => isValueMatch(part, values[index]))
}

function isValueMatch(pattern: Json, value: Json | undefined): boolean {
  if (pattern === '*') return value !== undefined
  if (value === undefined) return false
  if (isList(pattern)) return isList(value) && isListMatch(pattern, value)
  if (isObject(pattern))
    return (
      isObject(value) &&
      Object.entries(pattern).every(([name, part]) => isValueMatch(part, Object.hasOwn(value, name) ? value[name] : undefined))
    )
  return equalJson(pattern, value)
}
