import { isList, isObject, type Json, type JsonObject, type Port } from '../../kernel/index.ts'
import type { Manifest } from '../../kinds/skill/model/manifest.ts'
import type { LookResult, PlannedCall } from '../../kinds/skill/plan/compiled-plan.ts'
import type { DryProgram } from '../../kinds/skill/plan/look-port.ts'
import { readArgs } from '../../kinds/skill/plan/args.ts'
import { boardRoots } from '../../kinds/skill/plan/board-roots.ts'
import type { SkillProgram } from '../../kinds/skill/plan/skill-program.ts'
import type { RunSettings } from '../../policy/index.ts'
import type { ExpressionFunction } from '../../text/index.ts'
import type { UnitCase } from './case.ts'

/** The port `skills.look` of a test: everything outside that the gate reads is in the case. */
export function recordedLook(
  one: UnitCase,
  settings: { readonly tau: number; readonly prompts: Readonly<Record<string, string>>; readonly remote?: LookResult['remote'] },
): Port<RunSettings> {
  return {
    leaves: false,
    repeat: 'free',
    perform: (call) => {
      const program = call.def as DryProgram
      const { manifest } = program
      const { inputs } = isObject(call.args) ? call.args : {}
      const { compat, others } = factsOf(one, manifest)
      const look: LookResult = {
        env: textOf(compat['env']) ?? 'test',
        project: 'test',
        now: one.turn.now,
        facts: compat,
        principal: one.turn.principal ?? { id: 'tester', roles: manifest.policy.allow_roles },
        state: 'active',
        tools: toolsOf(manifest),
        hostFacts: others,
        stats: { successes: 0, runs: 0 },
        tau: settings.tau,
        policyMode: 'enforce',
        functionResults: [],
        confirmed: [],
        ...(manifest.policy.require_confirmation ? { asks_confirmation: 'host' } : {}),
        prompts: settings.prompts,
        ...(settings.remote === undefined ? {} : { remote: settings.remote }),
      }
      const board = boardRoots(call.reader().snapshot())
      const { proposal } = readArgs(call.frame.args)
      const question = { inputs: isObject(inputs) ? inputs : {}, proposal, look, board, parsed: [], isExact: false }
      return { ...look, functionResults: program.dryRun(question) }
    },
  }
}

/** The facts of a case: those that `compat` asks for, which are met if the case does not name them, and those that expressions read. */
export function factsOf(
  { turn }: UnitCase,
  { compat }: Pick<Manifest, 'compat'>,
): { readonly compat: Readonly<Record<string, string | readonly string[]>>; readonly others: JsonObject } {
  const asked = Object.entries(compat).map(
    ([key, want]) => [key, turn.facts[key] === undefined ? metBy(want) : (turn.facts[key] as string)] as const,
  )
  const others = Object.entries(turn.facts).filter(([key]) => !Object.hasOwn(compat, key))
  return { compat: Object.fromEntries(asked), others: Object.fromEntries(others) }
}

/** A fact that meets what compat asks for: of a range of versions, its first version. */
function metBy(want: string | readonly string[]): string {
  const first = textOf(want) ?? ''
  return /^[<>^~]/.test(first) ? (/\d{1,9}(?:\.\d{1,9}){0,2}/.exec(first)?.[0] ?? first) : first
}

function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0]
}

function toolsOf({ preconditions, plan }: Manifest): readonly string[] {
  const called = [
    ...plan.steps,
    ...(plan.verify === undefined ? [] : [plan.verify]),
    ...(plan.compensation === 'none' ? [] : plan.compensation),
  ]
  return [...new Set([...preconditions.tools_available, ...called.map(({ tool }) => tool)])]
}

/** The functions of a host with their recorded answers; a call without one fails, and with it its expression. */
export function recordedFunctions(one: UnitCase, known: readonly ExpressionFunction[]): readonly ExpressionFunction[] {
  return Object.entries(one.functions).map(([name, answers]) => {
    const declared = known.find((other) => other.name === name)
    const byArgs = new Map(Object.entries(answers).map(([key, value]) => [argsKey(key), value]))
    const call = (...args: Json[]): Json => {
      const answer = byArgs.get(JSON.stringify(args)) ?? byArgs.get('*')
      if (answer === undefined) throw new Error(`the case has no answer for ${name}(${JSON.stringify(args).slice(1, -1)})`)
      return answer
    }
    return declared === undefined ? { name, params: paramsOf(byArgs), returns: 'any', call } : { ...declared, call }
  })
}

/** The key of recorded answers: the arguments as a JSON list, also in single quotes. */
function argsKey(key: string): string {
  if (key === '*') return key
  for (const text of [key, key.replaceAll("'", '"')]) {
    try {
      const args = JSON.parse(text) as Json
      return JSON.stringify(isList(args) ? args : [args])
    } catch {
      // The other spelling is tried.
    }
  }
  return key
}

function paramsOf(byArgs: ReadonlyMap<string, Json>): readonly 'any'[] {
  const [first = '[null]'] = [...byArgs.keys()].filter((key) => key !== '*')
  const args = JSON.parse(first) as readonly Json[]
  return args.map(() => 'any')
}

/** A skill whose calls of programs are calls of recorded tools, too: a test starts no program. */
export function withRecordedPrograms(program: SkillProgram): DryProgram {
  const asTool = <Call extends PlannedCall>(call: Call): Call => ({ ...call, isProgram: false })
  return {
    manifest: program.manifest,
    hash: program.hash,
    unbound: program.unbound,
    hasEffects: program.hasEffects,
    steps: program.steps.map(asTool),
    verify: program.verify === undefined ? undefined : asTool(program.verify),
    undos: program.undos.map(asTool),
    key: (values) => program.key(values),
    outputs: (values) => program.outputs(values),
    parsers: (question) => program.parsers(question),
    features: (question) => program.features(question),
    decide: (question, features) => program.decide(question, features),
    dryRun: (question) => program.dryRun(question),
    ask: (missing) => program.ask(missing),
  }
}

/** The port `model` of a test: a parser gets its recorded reply. */
export function recordedParsers(one: UnitCase, { llm_support }: Manifest, prompts: Readonly<Record<string, string>>): Port<RunSettings> {
  return {
    leaves: true,
    repeat: 'keyed',
    perform: (call) => {
      const asked = isObject(call.args) && isList(call.args['messages']) ? call.args['messages'][0] : undefined
      const prompt = isObject(asked ?? null) ? (asked as JsonObject)['content'] : undefined
      const parser = llm_support.parsers.find(({ name, prompt_ref }) => prompts[prompt_ref] === prompt && Object.hasOwn(one.parsers, name))
      const reply = parser === undefined ? undefined : one.parsers[parser.name]
      if (parser === undefined || reply === undefined) throw new Error('the case has no reply of this parser')
      return { model: parser.model, text: typeof reply === 'string' ? reply : JSON.stringify(reply) }
    },
  }
}
