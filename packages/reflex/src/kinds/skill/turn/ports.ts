import {
  type Call,
  isObject,
  type Json,
  type Port,
  type PortRun,
  type Redactor,
  type StatedUsage,
  type Store,
  type Traits,
} from '../../../kernel/index.ts'
import type { RunSettings } from '../../../policy/index.ts'
import type { ModelReply, ToolFacts, TurnSource } from '../model/turn.ts'
import { type Perform, withoutSecrets } from '../plan/without-secrets.ts'
import { faults } from './faults.ts'
import { type TurnHost, turnHosts } from './host.ts'

type TurnPort = 'wrap.model' | 'wrap.agent' | 'wrap.tool' | 'wrap.once' | 'skills.cards'

/**
 * The ports of turns. Each finds the code of its run in this process; without it the run is left as it is (`R1480`), so nothing is lost. A
 * call of a model, a nested agent and a tool without side effects may be repeated after a crash; a tool that is declared idempotent is repeated under its
 * key; the outcome of any other is asked about.
 * What they give is recorded without texts that look like secrets; the code of the agent gets it whole.
 */
export function turnPorts(store: Store, redact: Redactor): Readonly<Record<TurnPort, Port<RunSettings>>> {
  const open = ({ id }: PortRun<RunSettings>): TurnHost => {
    const host = turnHosts(store).get(id)
    if (host === undefined)
      throw faults.make('R1480', `the agent of the turn ${id} does not run in this process`, {
        run: id,
        fix: `resume it where the agent is wrapped: await wrapped.resume('${id}')`,
      })
    return host
  }
  const clean = (act: Perform): Perform => withoutSecrets(act, redact)
  const free = { leaves: false, repeat: 'free', simulate: 'perform', open } as const
  return {
    'skills.cards': { ...free, perform: (call) => hostOf(call).cards(call) },
    'wrap.model': { ...free, perform: clean((call) => hostOf(call).model(call)), used: usedOf },
    'wrap.agent': { ...free, perform: clean((call) => hostOf(call).act(call)) },
    'wrap.tool': { leaves: true, repeat: 'ask', open, traits: toolTraits, perform: clean((call) => hostOf(call).act(call)) },
    'wrap.once': { leaves: true, repeat: 'ask', open, perform: clean((call) => hostOf(call).act(call)) },
  }
}

function hostOf({ session }: Call<RunSettings>): TurnHost {
  return session as TurnHost
}

/** A tool that says nothing of itself changes something outside and cannot be repeated (reference skill 1.6). */
function toolTraits({ args, def }: Call<RunSettings>): Traits {
  const { tool: name, facts } = isObject(args) ? args : {}
  const declared = isObject(facts) ? (facts as unknown as ToolFacts) : (def as TurnSource).tools.find((tool) => tool.name === name)
  if (declared?.sideEffects === 'none') return { leaves: false, repeat: 'free' }
  return { leaves: true, repeat: declared?.idempotent === true ? 'keyed' : 'ask' }
}

/** Returns the usage of a model call: tokens, and US dollars where the reply states them. */
export function usedOf(result: Json): StatedUsage {
  const { usage } = isObject(result) ? (result as unknown as Pick<ModelReply, 'usage'>) : {}
  const { input = 0, output = 0, usd } = usage ?? {}
  const tokens = input + output
  return { tokens, calls: 1, ...(usd === undefined ? { unpriced: tokens } : { cost: usd }) }
}
