import { equalJson } from '../kernel/index.ts'
import { shortJson } from '../text/index.ts'
import type { ValueView } from './lookup.ts'
import type { Condition } from './spec.ts'

/** True if a condition holds. A missing value equals nothing, and is neither above nor below. */
export function isMet(condition: Condition, view: ValueView): boolean {
  const found = view.find(condition.key)
  switch (condition.type) {
    case 'exists':
      return found !== undefined
    case 'not-exists':
      return found === undefined
    case 'equals':
      return found !== undefined && equalJson(found, condition.value)
    case 'not-equals':
      return found === undefined || !equalJson(found, condition.value)
    case 'above':
      return typeof found === 'number' && found > condition.value
    default:
      return typeof found === 'number' && found < condition.value
  }
}

/** Returns the observed value of a condition in words: `bump = "major"`, `total = 84, above 50`. */
export function observedText(condition: Condition, view: ValueView): string {
  const found = view.find(condition.key)
  const observed = found === undefined ? `${condition.key} is missing` : `${condition.key} = ${shortJson(found)}`
  switch (condition.type) {
    case 'exists':
    case 'not-exists':
    case 'equals':
      return observed
    case 'not-equals':
      return `${observed}, not ${shortJson(condition.value)}`
    default:
      return `${observed}, ${condition.type} ${condition.value}`
  }
}
