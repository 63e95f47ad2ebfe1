import type { KindSubject } from '../../packages/reflex/src/testing/index.ts'
import { PLANS } from '../../packages/reflex/test/kinds/skill/plan/subjects.ts'
import { TURNS } from '../../packages/reflex/test/kinds/skill/turn/subject.ts'

/** Plans that do what a plan can, and turns of a plain loop whose model proposes such plans. */
export function skillSubjects(): readonly KindSubject[] {
  return [...PLANS, ...TURNS]
}
