import { type Fault, isFault } from '../journal/fault.ts'
import type { Store } from './store.ts'

/** The faults of a request that a store does not perform for anyone: they are the outcome of the effect that made it. */
const OF_REQUEST: ReadonlySet<string> = new Set(['R2004', 'R2012', 'R2019', 'R5051', 'R5052', 'R5053', 'R5054', 'R5055', 'R5056', 'R5085'])

const outages = new WeakSet<Fault>()
/** The store for ports of each store, and of itself: what belongs to a store is found from either. */
const stores = new WeakMap<Store, Store>()

/**
 * True for a fault of the store of the run, thrown by a store that `storeOfEffects` returned. It is not the outcome of an effect: the run
 * stops in this process, as after a failed commit, and the effect stays pending.
 */
export function isOutage(thrown: unknown): thrown is Fault {
  return isFault(thrown) && outages.has(thrown)
}

/**
 * Returns the store for ports of a store, the same one each time. If it cannot do what an effect needs, because the connection is lost or
 * its disk is full, the effect has no outcome (`isOutage`). Otherwise a program would take the outage for the outcome of its tool.
 */
export function storeOfEffects(store: Store): Store {
  const known = stores.get(store)
  if (known !== undefined) return known
  const created = new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...args: readonly unknown[]): unknown => marked(() => Reflect.apply(member, target, args) as unknown)
    },
  })
  stores.set(store, created).set(created, created)
  return created
}

function marked(act: () => unknown): unknown {
  try {
    const result = act()
    return result instanceof Promise ? result.catch(rethrow) : result
  } catch (thrown) {
    return rethrow(thrown)
  }
}

function rethrow(thrown: unknown): never {
  if (isFault(thrown) && thrown.code.startsWith('R50') && !OF_REQUEST.has(thrown.code)) outages.add(thrown)
  throw thrown
}
