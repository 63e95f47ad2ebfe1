import type { Json } from '../../kernel/index.ts'
import { valueKey } from './values.ts'

/** A fact tells successes from failures if it differs in this share of failures, and there are at least so many. */
const DIFFERENT = 0.8
const FEWEST_FAILED = 5

/** The labels and facts that all occurrences of a pattern share. */
export class Shared {
  labels: Readonly<Record<string, string>> = {}
  facts: Readonly<Record<string, Json>> = {}
  #isFirst = true

  add(labels: Readonly<Record<string, string>>, facts: ReadonlyMap<string, Json>): void {
    if (this.#isFirst) {
      this.labels = { ...labels }
      this.facts = Object.fromEntries(facts)
    } else {
      if (Object.entries(this.labels).some(([key, value]) => labels[key] !== value))
        this.labels = Object.fromEntries(Object.entries(this.labels).filter(([key, value]) => labels[key] === value))
      const isShared = ([path, value]: readonly [string, Json]): boolean => {
        const found = facts.get(path)
        return found !== undefined && valueKey(found) === valueKey(value)
      }
      const known = Object.entries(this.facts)
      if (!known.every(isShared)) this.facts = Object.fromEntries(known.filter(isShared))
    }
    this.#isFirst = false
  }

  /** Returns the shared facts that differ in at least 80 % of the failures. */
  invariants(failures: readonly ReadonlyMap<string, Json>[]): readonly (readonly [path: string, value: Json])[] {
    if (failures.length < FEWEST_FAILED) return []
    return Object.entries(this.facts)
      .filter(([path, value]) => {
        const differs = failures.filter((facts) => {
          const found = facts.get(path)
          return found === undefined || valueKey(found) !== valueKey(value)
        })
        return differs.length >= DIFFERENT * failures.length
      })
      .sort(([a], [b]) => (a < b ? -1 : 1))
  }
}
