import { type Call, type Frame, isObject, type Json, type JsonObject, type Ref } from '../../../kernel/index.ts'
import type { RunSettings } from '../../../policy/index.ts'
import { readKey } from './read-key.ts'

/** Returns the arguments of a call of code. */
export function codeArgs({ args }: Pick<Call<RunSettings>, 'args'>): JsonObject {
  return isObject(args) ? args : {}
}

/** Returns a reader of the blackboard as the node that has called the code sees it. */
export function codeReader(call: Pick<Call<RunSettings>, 'args' | 'frame'>): (key: string) => Json | undefined {
  const { scope = null } = codeArgs(call)
  const frame = call.frame.reader()
  const scopes = chainOf(call.frame, scope as Ref | null)
  const inner = scope === null ? frame : call.frame.reader(scope as Ref)
  return (key) =>
    readKey(
      key,
      (name) => inner.get(name),
      (name) => frame.get(name),
      (at) => at === null || scopes.includes(at),
    )
}

/** The inner scopes around a scope, with it. */
function chainOf({ subs }: Frame, scope: Ref | null): readonly Ref[] {
  const chain: Ref[] = []
  for (let at = scope; at !== null; at = subs?.get(at)?.under ?? null) chain.push(at)
  return chain
}
