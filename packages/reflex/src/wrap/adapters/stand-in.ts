import type { AnyFunction } from '../session/intercept.ts'

const STAND_INS = new WeakSet<object>()

/**
 * Returns an object that stands in for another: the given functions replace its own, and everything else is its own, also private fields. The
 * other object is not changed.
 */
export function standIn<Target extends object>(target: Target, functions: Readonly<Record<string, AnyFunction>>): Target {
  const replaced = (key: PropertyKey): AnyFunction | undefined =>
    typeof key === 'string' && Object.hasOwn(functions, key) ? functions[key] : undefined
  // An own target: a proxy must show the read-only properties of its target as they are, and a frozen object has only such.
  const proxy = new Proxy(Object.create(Object.getPrototypeOf(target) as object | null) as Target, {
    get: (_, key) => replaced(key) ?? ownOrBound(target, key),
    has: (_, key) => Reflect.has(target, key),
    set: (_, key, value) => Reflect.set(target, key, value),
    // Frameworks copy objects by their own properties.
    ownKeys: () => Reflect.ownKeys(target),
    getOwnPropertyDescriptor: (_, key) => {
      const own = Reflect.getOwnPropertyDescriptor(target, key)
      if (own === undefined) return undefined
      return { value: replaced(key) ?? ownOrBound(target, key), writable: true, enumerable: own.enumerable ?? false, configurable: true }
    },
  })
  STAND_INS.add(proxy)
  return proxy
}

/** True for an object that stands in for another. */
export function isStandIn(value: unknown): boolean {
  return typeof value === 'object' && value !== null && STAND_INS.has(value)
}

/** Methods of a class need their own object, for its private fields. A function of the object itself may have properties of its own. */
function ownOrBound(target: object, key: PropertyKey): unknown {
  const value: unknown = Reflect.get(target, key)
  const isMethod = typeof value === 'function' && key !== 'constructor' && !Object.hasOwn(target, key)
  return isMethod ? (value as AnyFunction).bind(target) : value
}
