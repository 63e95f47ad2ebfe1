import { equalJson } from '../kernel/index.ts'
import { brief } from '../text/index.ts'
import type { View } from './lookup.ts'
import type { Condition } from './spec.ts'

/** Whether a condition holds. A value that is missing equals nothing, and is neither above nor below. */
export function holds(condition: Condition, view: View): boolean {
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

/** What a condition saw, for people: `bump = "major"`, `total = 84, above 50`. */
export function seen(condition: Condition, view: View): string {
  const found = view.find(condition.key)
  const is = found === undefined ? `${condition.key} is missing` : `${condition.key} = ${brief(found)}`
  switch (condition.type) {
    case 'exists':
    case 'not-exists':
    case 'equals':
      return is
    case 'not-equals':
      return `${is}, not ${brief(condition.value)}`
    default:
      return `${is}, ${condition.type} ${condition.value}`
  }
}
