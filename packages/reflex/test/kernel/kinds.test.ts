import { describe, it } from 'vitest'
import { kindSuite } from '../../src/testing/index.ts'
import { SUBJECTS } from './probes/subjects.ts'

for (const subject of SUBJECTS) {
  describe(`the kind suite: ${subject.name}`, () => {
    for (const { name, run } of kindSuite(subject)) it(name, run)
  })
}
