import { expect, test } from 'vitest'
import { treeSubjects } from '../../../../../scripts/faults/trees.ts'
import { type FaultPoint, FaultSuite, pointText } from '../../../src/testing/index.ts'

/** Points of each subject, evenly spread. `npm run faults` tries all of them. */
const POINTS = 12

test.each(treeSubjects().map((subject) => [subject.name, subject] as const))(
  '%s: a fault at any moment changes nothing',
  async (_, subject) => {
    const suite = await FaultSuite.of(subject)
    const all: FaultPoint[] = []
    for await (const point of suite.points([], ['slow', 'posts', 'retries'])) all.push(point)
    const step = all.length / POINTS
    const chosen = Array.from({ length: POINTS }, (_each, i) => all[Math.floor(i * step)]).filter((point) => point !== undefined)
    const wrong: (readonly [string, unknown])[] = []
    for (const point of chosen) {
      const { violations } = await suite.inject(point)
      if (violations.length > 0) wrong.push([pointText(point), violations])
    }
    expect(wrong).toEqual([])
  },
)
