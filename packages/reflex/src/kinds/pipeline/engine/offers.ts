import { isList, isObject, type Call, type Port, type RunFacts } from '../../../kernel/index.ts'
import { type Offer, offerOf, offeredTool, toolCapability, type Tools } from '../../../tools/index.ts'

/** The answer of the port `offers`. */
export interface Offers {
  readonly offers: readonly Offer[]
  /** The names for which there is no tool. */
  readonly unknown: readonly string[]
  /** The named tools that no model may call, because they need arguments that only an author may write. */
  readonly withheld: readonly string[]
}

/**
 * Returns the port `offers`: `{tools?: [name]}`. Its result describes the named tools for a model; without names, all
 * tools that the policy may grant to the run. It grants nothing: each call is checked when it is made.
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
