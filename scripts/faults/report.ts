import { encodeRecord, type Rec } from '../../packages/reflex/src/kernel/index.ts'
import type { Breach, Violation } from '../../packages/reflex/src/testing/index.ts'

/** What came of one point. */
export interface Finding {
  readonly subject: string
  readonly point: string
  readonly violations: readonly Violation[]
  readonly records: readonly Rec[]
}

/** Findings beyond these are counted and not shown. */
const SHOWN = 10
/** Records shown of a journal, and characters of each. */
const LINES = 40
const WIDTH = 180

/** Counts points and what went wrong in them. */
export class Report {
  readonly #breaches = new Map<Breach, number>([
    ['lost', 0],
    ['repeated', 0],
  ])
  #shown = 0
  points = 0

  add(finding: Finding): void {
    this.points++
    if (finding.violations.length === 0) return
    for (const { breach } of finding.violations) this.#breaches.set(breach, (this.#breaches.get(breach) ?? 0) + 1)
    if (this.#shown++ < SHOWN) console.log(describe(finding))
  }

  get failed(): boolean {
    return [...this.#breaches.values()].some((count) => count > 0)
  }

  /** `12,480 points: 0 lost, 0 repeated`, and other breaches if there are any. */
  get line(): string {
    const counts = [...this.#breaches].map(([breach, count]) => `${count.toLocaleString('en-US')} ${breach}`)
    return `${this.points.toLocaleString('en-US')} points: ${counts.join(', ')}`
  }
}

function describe({ subject, point, violations, records }: Finding): string {
  const journal = records.slice(-LINES).map((record, i) => {
    const text = encodeRecord(record).text
    return `    ${records.length - Math.min(LINES, records.length) + i + 1}  ${text.length > WIDTH ? `${text.slice(0, WIDTH)}…` : text}`
  })
  return [
    ...violations.map(({ breach, text }) => `${breach}  ${subject}, at ${point}: ${text}`),
    `  again  npm run faults -- --subject '${subject}' --only '${point}'`,
    '  journal',
    ...journal,
    '',
  ].join('\n')
}
