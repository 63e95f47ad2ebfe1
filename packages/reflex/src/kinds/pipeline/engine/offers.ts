import { isList, isObject } from '../../../kernel/journal/json.ts'
import type { Call, Port } from '../../../kernel/ports/port.ts'
import type { RunFacts } from '../../../kernel/ports/settings.ts'
import { type Offer, offerOf, offeredTool, toolCapability, type Tools } from '../../../tools/index.ts'

/** What the port `offers` answers. */
export interface Offers {
  readonly offers: readonly Offer[]
  /** Names that nothing has. */
  readonly unknown: readonly string[]
  /** Tools that were named and that no model may call: what they cannot do without, only an author writes. */
  readonly withheld: readonly string[]
}

/**
 * The port `offers`: `{tools?: [name]}`; its result says how the tools of these names are offered to a model, without
 * names all that the policy may grant to the run. Asking grants nothing: each call is judged when it is made.
 */
export function offersPort<S extends RunFacts>(tools: Tools, allows: (call: Call<S>, capability: string) => boolean): Port<S> {
  return {
    leaves: false,
    repeat: 'free',
    simulate: 'perform',
    perform(call): Offers {
      const asked = isObject(call.args) && isList(call.args['tools']) ? call.args['tools'].map(String) : undefined
      if (asked === undefined) {
        const names = tools.names().filter((name) => allows(call, toolCapability(name)))
        return { offers: names.flatMap((name) => offerOf(tools.get(name)) ?? []), unknown: [], withheld: [] }
      }
      const found = [...new Set(asked)].map((name) => [name, offeredTool(tools, name)] as const)
      const offered = found.map(([name, tool]) => [name, tool, tool === undefined ? undefined : offerOf(tool)] as const)
      return {
        offers: offered.flatMap(([, , offer]) => offer ?? []),
        unknown: offered.flatMap(([name, tool]) => (tool === undefined ? [name] : [])),
        withheld: offered.flatMap(([name, tool, offer]) => (tool !== undefined && offer === undefined ? [name] : [])),
      }
    },
  }
}
