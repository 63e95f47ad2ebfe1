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
}

/**
 * The values of `on_resume`: what a program decides about a call whose outcome is unknown after a crash. Without a
 * value, the tool's own trait applies.
 */
const ON_RESUME: Readonly<Record<string, Repeat>> = { ask: 'ask', repeat: 'keyed', retry: 'keyed' }

/**
 * Creates the port `tool`: `{tool, args, on_resume?, by?, filled?}`; its result is that of the tool. With `by: "model"`, a model
 * chose the arguments, and `filled` names arguments that have values of a board: arguments that only an author may write are refused
 * then with `R4101`. The traits are those of the
 * tool with these arguments: the runtime gates the call and the policy judges it accordingly. A call that cannot be
 * read has no effect and fails. A replay takes the recorded result.
 */
export function toolPort<S extends RunFacts>({ tools, guess, place, allows, denies }: ToolPortSettings<S>): Port<S> {
  const simulated = new SimulatedTools(tools)
  const prepare = ({ args, settings }: Call<S>): PreparedCall => {
    const { tool, args: given = {}, by, filled } = isObject(args) ? args : {}
    if (typeof tool !== 'string') throw faults.make('R4100', 'the call names no tool')
    if (by === 'model') refuseAuthored(tools.get(tool, guess), given)
    if (isList(filled)) refuseFilled(tools.get(tool, guess), filled)
    return (settings.simulated ? simulated : tools).prepare(tool, given, guess)
  }
  return {
    leaves: false,
    repeat: 'free',
    // A simulated run has tools of its own, some of which still read files.
    simulate: 'perform',
    traits(call) {
      const traits = preparedTraits(() => prepare(call).traits(place(call)))
      const word = isObject(call.args) ? call.args['on_resume'] : undefined
      const repeat = typeof word === 'string' && traits.repeat !== 'free' ? ON_RESUME[word] : undefined
      return repeat === undefined ? traits : { ...traits, repeat }
    },
    used: usageOfResult,
    perform: (call) =>
      prepare(call).run({
        ...place(call),
        signal: call.signal,
        key: call.key,
        run: call.run,
        answers: call.answers,
        part: (delta: Json, begins?: boolean) => call.part(delta, begins),
        allows: (capability, exactly) => allows(call, capability, exactly),
        denies: (capability) => denies(call, capability),
      }),
  }
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
