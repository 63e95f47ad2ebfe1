import { quote } from '../../text/index.ts'
import { faults } from './faults.ts'

/** A function of any library. */
export type AnyFunction = (this: unknown, ...args: readonly unknown[]) => unknown

/** Marks the functions that stand in for others: on the wrapper, since the original may be called past it. */
export const WRAPPED: unique symbol = Symbol.for('reflex.wrapped') as never

/** A property whose function is replaced, and how it was before. */
interface Interception {
  readonly owner: object
  readonly key: string
  /** Undefined for a method of a prototype. */
  readonly before: PropertyDescriptor | undefined
  users: number
}

const INTERCEPTIONS = new WeakMap<AnyFunction, Interception>()

/**
 * Replaces a function of an object in place, once, however many agents share it. Returns a function that restores the original when the
 * last of them is unwrapped. Throws `R2150` for a property that cannot be replaced; then nothing was changed.
 */
export function intercept(owner: object, key: string, wrap: (original: AnyFunction) => AnyFunction): () => void {
  const current = Reflect.get(owner, key) as AnyFunction
  const known = INTERCEPTIONS.get(current)
  if (known !== undefined) {
    known.users++
    return once(() => release(current, known))
  }
  const before = Object.getOwnPropertyDescriptor(owner, key)
  const wrapper = branded(wrap(current), current)
  const isReplaced = Reflect.defineProperty(owner, key, {
    value: wrapper,
    writable: true,
    configurable: true,
    enumerable: before?.enumerable ?? false,
  })
  if (!isReplaced) throw cannotIntercept(key, 'its object is frozen or the property is read-only')
  const interception: Interception = { owner, key, before, users: 1 }
  INTERCEPTIONS.set(wrapper, interception)
  return once(() => release(wrapper, interception))
}

/** Returns a function with the mark of a wrapper. */
export function branded(wrapper: AnyFunction, original: AnyFunction): AnyFunction {
  Object.defineProperty(wrapper, WRAPPED, { value: original })
  Object.defineProperty(wrapper, 'name', { value: original.name, configurable: true })
  return wrapper
}

/** Returns the function behind a wrapper, or the function itself. */
export function originalOf(given: AnyFunction): AnyFunction {
  return (given as AnyFunction & { readonly [WRAPPED]?: AnyFunction })[WRAPPED] ?? given
}

export function cannotIntercept(what: string, why: string, fix?: string): Error {
  const details = { rule: 'E_CANNOT_INTERCEPT', path: what, ...(fix === undefined ? {} : { fix }) }
  return faults.make('R2150', `${quote(what)} cannot be intercepted: ${why}`, details)
}

function release(wrapper: AnyFunction, interception: Interception): void {
  const { owner, key, before } = interception
  if (--interception.users > 0 || Reflect.get(owner, key) !== wrapper) return
  INTERCEPTIONS.delete(wrapper)
  if (before === undefined) Reflect.deleteProperty(owner, key)
  else Reflect.defineProperty(owner, key, before)
}

function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    act()
  }
}
