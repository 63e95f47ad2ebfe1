import type { Json } from '../../../kernel/index.ts'
import type { SlotCheck } from './decision.ts'

/** The slots of one proposal after filling: what the templates read, and what the decision says about each. */
export interface FilledSlots {
  readonly values: Readonly<Record<string, Json>>
  readonly checks: readonly SlotCheck[]
}
