import { faults } from '../runs/faults.ts'
import type { RunLimits } from '../policy/index.ts'
import { quote, suggest } from '../text/index.ts'

const LIMIT_NAMES = ['steps', 'time', 'tokens', 'cost'] as const satisfies readonly (keyof RunLimits)[]

/**
 * Checks the limits of a run. Throws `R2031` for an unknown name, and for a value that is not a number above 0. Programs
 * without types may pass any value.
 */
export function checkLimits(limits: RunLimits): void {
  for (const [name, amount] of Object.entries(limits) as [string, unknown][]) {
    if (!LIMIT_NAMES.some((known) => known === name)) {
      const meant = suggest(name, LIMIT_NAMES)
      const hint = meant === undefined ? `; it knows ${LIMIT_NAMES.join(', ')}` : `; did you mean ${quote(meant)}?`
      throw faults.make('R2031', `limits has ${quote(name)}, which is no limit${hint}`, { fix: 'correct the name' })
    }
    if (amount === undefined || (typeof amount === 'number' && amount > 0 && Number.isFinite(amount))) continue
    const shown = typeof amount === 'number' ? String(amount) : JSON.stringify(amount)
    throw faults.make('R2031', `limits.${name} is ${shown}, which is no number above 0`, { fix: 'give a number above 0, or leave it out' })
  }
}
