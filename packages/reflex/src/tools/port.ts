import {
  type Call,
  isFault,
  isList,
  isObject,
  type Json,
  type Port,
  type Repeat,
  type RunFacts,
  type Traits,
  usageOfResult,
} from '../kernel/index.ts'
import { faults } from './faults.ts'
import { hiddenParts, type HiddenValues, revealed, sealedResult, secretNeeds } from './hidden-values.ts'
import type { Guess, PreparedCall, Tools } from './registry.ts'
import { SimulatedTools } from './simulated-tools.ts'
import type { Place, Tool } from './tool.ts'

/** The settings of the port: the folders of calls and their permissions. */
export interface ToolPortSettings<S extends RunFacts> {
  readonly tools: Tools
  readonly guess?: Guess
  readonly place: (call: Call<S>) => Place
  readonly allows: (call: Call<S>, capability: string, exactly?: boolean) => boolean
  /** True if a rule of the operator denies something to a call. */
  readonly denies: (call: Call<S>, capability: string) => boolean
  /** The values that calls refer to. Absent: such calls fail. */
  readonly hidden?: HiddenValues
}

/**
 * The values of `on_resume`: what a program decides about a call whose outcome is unknown after a crash. Without a
 * value, the tool's own trait applies.
 */
const ON_RESUME: Readonly<Record<string, Repeat>> = { ask: 'ask', repeat: 'keyed', retry: 'keyed' }

/**
 * Creates the port `tool`: `{tool, args, on_resume?, by?, filled?}`; its result is that of the tool. With `by: "model"`, a model
 * chose the arguments, and `filled` names arguments that have values of a board: arguments that only an author may write are refused
 * then with `R4101`. `secrets`, `sealed` and `seals` say which parts are hidden: the tool gets their values, and no
 * record does. The traits are those of the tool with these arguments: the runtime gates the call and the policy judges it accordingly.
 * A call that cannot be read has no effect and fails. A replay takes the recorded result.
 */
export function toolPort<S extends RunFacts>({ tools, guess, place, allows, denies, hidden }: ToolPortSettings<S>): Port<S> {
  const simulated = new SimulatedTools(tools)
  const prepare = ({ args, settings }: Call<S>, revealedArgs?: Json): PreparedCall => {
    const { tool, args: recorded = {}, by, filled } = isObject(args) ? args : {}
    const given = revealedArgs ?? recorded
    if (typeof tool !== 'string') throw faults.make('R4100', 'the call names no tool')
    if (by === 'model') refuseAuthored(tools.get(tool, guess), given)
    if (isList(filled)) refuseFilled(tools.get(tool, guess), filled)
    return (settings.simulated ? simulated : tools).prepare(tool, given, guess)
  }
  const run = (call: Call<S>, prepared: PreparedCall): Promise<Json> =>
    prepared.run({
      ...place(call),
      signal: call.signal,
      key: call.key,
      run: call.run,
      answers: call.answers,
      part: (delta: Json, begins?: boolean) => call.part(delta, begins),
      allows: (capability, exactly) => allows(call, capability, exactly),
      denies: (capability) => denies(call, capability),
    })
  return {
    leaves: false,
    repeat: 'free',
    // A simulated run has tools of its own, some of which still read files.
    simulate: 'perform',
    traits(call) {
      const traits = withSecrets(
        call,
        preparedTraits(() => prepare(call).traits(place(call))),
      )
      const word = isObject(call.args) ? call.args['on_resume'] : undefined
      const repeat = typeof word === 'string' && traits.repeat !== 'free' ? ON_RESUME[word] : undefined
      return repeat === undefined ? traits : { ...traits, repeat }
    },
    used: usageOfResult,
    async perform(call) {
      // The traits are those of the call as it is recorded, so it must be a call of the tool without its hidden values too.
      const prepared = prepare(call)
      const parts = hiddenParts(call.args)
      if (parts === undefined || call.settings.simulated) return run(call, prepared)
      if (hidden === undefined) throw faults.make('R4146', 'there are no hidden values here')
      const given = givenArgs(call)
      const args = await revealed(given, parts, hidden)
      const result = await run(call, args === given ? prepared : prepare(call, args))
      return sealedResult(result, parts, hidden)
    },
  }
}

function givenArgs<S extends RunFacts>({ args }: Call<S>): Json {
  return (isObject(args) ? args['args'] : undefined) ?? {}
}

/** Adds the capabilities of the secrets that a call names. */
function withSecrets<S extends RunFacts>(call: Call<S>, traits: Traits): Traits {
  const parts = hiddenParts(call.args)
  if (parts === undefined || parts.secrets.length === 0) return traits
  return { ...traits, needs: [...(traits.needs ?? []), ...secretNeeds(givenArgs(call), parts)] }
}

function refuseAuthored({ name, authored = [] }: Tool, given: Json): void {
  const wrong = authored.find((argument) => isObject(given) && Object.hasOwn(given, argument))
  if (wrong === undefined) return
  throw faults.make('R4101', `${name}: only the author of a program may write ${wrong}, not a model`, {
    fix: 'call a tool whose arguments a model may choose, such as a command that the operator named',
  })
}

/** Refuses a value of a board in an argument that only an author writes. */
function refuseFilled({ name, authored = [] }: Tool, filled: readonly Json[]): void {
  const wrong = authored.find((argument) => filled.includes(argument))
  if (wrong === undefined) return
  throw faults.make('R4101', `${name}: the argument ${wrong} must not be a template, because no value may become part of it`, {
    fix: `put the value under a name into "environment", and write "$name" in ${wrong}`,
  })
}

const NO_EFFECT: Traits = { leaves: false, repeat: 'free' }
/**
 * The traits of a call that fails because its tool is unknown. If the tool existed before a crash, the effect of the
 * call is unknown.
 */
const UNKNOWN_TOOL: Traits = { leaves: false, repeat: 'ask' }

function preparedTraits(read: () => Traits): Traits {
  try {
    return read()
  } catch (thrown) {
    return isFault(thrown) && thrown.code === 'R4100' ? UNKNOWN_TOOL : NO_EFFECT
  }
}
