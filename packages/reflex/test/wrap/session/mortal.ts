import type { Store } from '../../../src/kernel/index.ts'
import { connection } from './world.ts'

/** A process that dies at one of its commits, before the store has it or before it hears so. */
export class Mortal {
  readonly store: Store
  isDead = false
  commits = 0

  constructor(under: Store, dies?: { readonly at: number; readonly after: boolean }) {
    this.store = connection(under, (name, act) => {
      if (name !== 'commit') return this.isDead ? () => NEVER : undefined
      return (...args) => {
        const isLast = ++this.commits === dies?.at
        if (this.isDead || (isLast && !dies.after)) return this.#die()
        const done = act(...args)
        return isLast ? this.#die() : done
      }
    })
  }

  #die(): Promise<never> {
    this.isDead = true
    return NEVER
  }
}

export const NEVER = new Promise<never>(() => undefined)
