import type { Fault } from '../../../kernel/index.ts'
import { quote } from '../../../text/index.ts'
import type { Adapter, ContextKey } from '../model/adapter.ts'
import { type Effect, type EffectIntent, type EffectWrite, SET_CONTEXT } from '../model/effect.ts'
import { type Scalar, type ScalarType, typeOf, untagged } from '../model/value.ts'
import { HANDLERS } from './coverage.ts'
import { faults } from './faults.ts'

/** A write of a pass that the adapter allows. */
export interface AllowedWrite {
  readonly key: string
  readonly type: ScalarType
  readonly value: Scalar
}

/** The part of the effects of a pass that can be realized: all, or those before `failure`. */
export interface Realization {
  /** In the order of the effects; the last write of a key counts. */
  readonly writes: readonly AllowedWrite[]
  /** The intents to send, in order. A mirror write comes before its intent: the store says "asked", not "happened". */
  readonly intents: readonly EffectIntent[]
  /** `R1359`: the run fails. Writes before it stay, and nothing after it is done. */
  readonly failure?: Fault
}

/** The owners of effects, prepared for many passes. */
export interface EffectOwners {
  readonly keys: ReadonlyMap<string, ContextKey>
  readonly handlers: ReadonlySet<string>
  readonly routes: ReadonlySet<string>
  readonly hasAdapter: boolean
}

/** Prepares an adapter and the kinds with a route for `realizeEffects`. */
export function effectOwners(adapter: Adapter | undefined, routes: Iterable<string>, handlers: Iterable<string> = HANDLERS): EffectOwners {
  const keys = new Map((adapter?.context_keys ?? []).map((key) => [key.name, key]))
  return { keys, handlers: new Set(handlers), routes: new Set(routes), hasAdapter: adapter !== undefined }
}

/** The rules of the reference for effects that cannot be realized (5.6). */
type Failure =
  | 'EffectsWithoutAdapter'
  | 'LifecycleViolation'
  | 'UnhandledEffectKind'
  | 'UndeclaredKey'
  | 'NonWritableKey'
  | 'TypeMismatch'
  | 'InvalidValueConversion'

/**
 * Decides what is done with the drained effects of a pass (reference 5.6): writes of `set_context` are checked one by one (HST-2), external
 * effects must have a route and exactly the form of one. Pure: the caller applies the writes and sends the intents. A replay applies the
 * writes too, and compares the intents.
 */
export function realizeEffects(owners: EffectOwners, effects: readonly Effect[]): Realization {
  const writes: AllowedWrite[] = []
  const intents: EffectIntent[] = []
  const end = (failure?: Fault): Realization => (failure === undefined ? { writes, intents } : { writes, intents, failure })
  for (const effect of effects) {
    const misfit = formFailure(owners, effect)
    if (misfit !== undefined) return end(misfit)
    if (!owners.handlers.has(effect.kind)) {
      intents.push(...effect.intents)
      continue
    }
    for (const write of effect.writes) {
      const judged = judgeWrite(owners, write)
      if ('failure' in judged) return end(judged.failure)
      writes.push(judged.write)
    }
  }
  return end()
}

function fail(rule: Failure, message: string, fix: string): Fault {
  return faults.make('R1359', message, { rule, fix })
}

function formFailure({ hasAdapter, handlers, routes }: EffectOwners, { kind, writes, intents }: Effect): Fault | undefined {
  const name = quote(kind)
  if (!hasAdapter) return fail('EffectsWithoutAdapter', `the pass has the effect ${name}, and there is no adapter`, 'pass an adapter')
  const isHandled = handlers.has(kind)
  const isRouted = routes.has(kind)
  if (isHandled && isRouted)
    return fail('LifecycleViolation', `${name} is realized by the host and has a route`, 'remove the route from the host file')
  if (isHandled) {
    if (intents.length === 0 && kind === SET_CONTEXT) return undefined
    return fail('LifecycleViolation', `${name} is realized by the host and has an intent`, 'this is a bug of Reflex; report it')
  }
  if (!isRouted) return fail('UnhandledEffectKind', `nothing realizes the effect ${name}`, `add a route for ${name} to the host file`)
  if (writes.length === 0 && intents.length > 0 && intents.every((intent) => intent.kind === kind)) return undefined
  return fail('LifecycleViolation', `${name} has not the form of an external effect`, 'this is a bug of Reflex; report it')
}

function judgeWrite({ keys }: EffectOwners, { key, value }: EffectWrite): { readonly write: AllowedWrite } | { readonly failure: Fault } {
  const declared = keys.get(key)
  const name = quote(key)
  if (declared === undefined)
    return { failure: fail('UndeclaredKey', `the pass writes the key ${name}, which the adapter does not declare`, 'declare it') }
  if (!declared.writable)
    return { failure: fail('NonWritableKey', `the pass writes the key ${name}, which is read-only`, 'write "writable": true') }
  const [type] = Object.keys(value)
  if (type !== declared.type) {
    const message = `the pass writes a ${type} to the key ${name}, which is a ${declared.type}`
    return { failure: fail('TypeMismatch', message, 'make the types of the action and of the adapter equal') }
  }
  const plain = untagged(value)
  if (typeOf(plain) === declared.type) return { write: { key, type: declared.type, value: plain } }
  const message = `the pass writes a value to the key ${name} that JSON does not have`
  return { failure: fail('InvalidValueConversion', message, 'write a finite number, well-formed text, true, false or a list of numbers') }
}
