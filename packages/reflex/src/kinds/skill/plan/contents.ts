import type { Redactor, Store } from '../../../kernel/index.ts'
import type { KindWorld } from '../../../programs/kind-module.ts'
import { faults } from './faults.ts'
import type { SkillHost } from './skill-host.ts'

/** The stores of which their hosts were told that secrets are written to them. */
const WARNED = new WeakSet<Store>()

/** Returns what takes secrets out of records: nothing for a host that wants them there, which is told so once. */
export function recordRedaction(
  { logContent }: Pick<SkillHost, 'logContent'>,
  { store, redact, report }: Pick<KindWorld, 'store' | 'redact' | 'report'>,
): Redactor {
  if (logContent !== 'full') return redact
  if (!WARNED.has(store)) {
    WARNED.add(store)
    report(
      faults.finding('R1478', `records of turns and skills in ${store.name} keep what looks like a secret`, { path: 'skill.logContent' }),
    )
  }
  return (value) => value
}
