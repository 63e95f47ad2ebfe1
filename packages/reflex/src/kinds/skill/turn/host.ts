import { type Call, type Json, type Store, storeOfEffects } from '../../../kernel/index.ts'
import type { RunSettings } from '../../../policy/index.ts'

/** The code of an agent during one turn, in the process that runs it: it performs what the run of the turn asks for. */
export interface TurnHost {
  /** Composes the bulletin of the turn. */
  cards(call: Call<RunSettings>): Promise<Json>
  /** Asks the agent's own model, and returns what it replied without anything of its provider. */
  model(call: Call<RunSettings>): Promise<Json>
  /** Calls a tool, or other code of the agent, that was given to the turn. */
  act(call: Call<RunSettings>): Promise<Json>
}

const HOSTS = new WeakMap<Store, Map<string, TurnHost>>()

/** Returns the turns of a store whose code runs in this process, by run. The store for ports of a store has the same turns. */
export function turnHosts(ofStore: Store): Map<string, TurnHost> {
  const store = storeOfEffects(ofStore)
  const known = HOSTS.get(store)
  if (known !== undefined) return known
  const hosts = new Map<string, TurnHost>()
  HOSTS.set(store, hosts)
  return hosts
}
