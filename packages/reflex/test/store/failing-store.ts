import type { Store } from '../../src/kernel/ports/store.ts'

export interface FailingStore {
  readonly store: Store
  /** From now on everything works. */
  readonly mend: () => void
}

export interface Failure {
  /** True: the method throws, false: it rejects. */
  readonly throws?: boolean
  /** True for the calls that fail. Default: all. */
  readonly isHit?: (...args: readonly unknown[]) => boolean
}

/** Returns a store of which one method fails until it is mended. */
export function failingStore(
  store: Store,
  method: keyof Store,
  fault: () => Error,
  { throws = false, isHit = () => true }: Failure = {},
): FailingStore {
  let isAway = true
  const failing = new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...args: readonly unknown[]): unknown => {
        if (!isAway || name !== method || !isHit(...args)) return Reflect.apply(member, target, args) as unknown
        if (throws) throw fault()
        return Promise.reject(fault())
      }
    },
  })
  return { store: failing, mend: () => void (isAway = false) }
}
