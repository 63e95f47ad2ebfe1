import type { SkillState } from '../../kinds/skill/model/decision.ts'

/** The states from which a version may come to a state (reference skill 1.24). */
const FROM: Readonly<Record<SkillState, readonly SkillState[]>> = {
  draft: ['draft', 'candidate', 'tested', 'unbound'],
  candidate: ['draft', 'candidate', 'tested', 'quarantined', 'unbound'],
  tested: ['draft', 'candidate', 'tested', 'quarantined', 'deprecated', 'unbound'],
  active: ['tested', 'active', 'deprecated'],
  deprecated: ['active', 'tested', 'deprecated'],
  quarantined: ['draft', 'candidate', 'tested', 'active', 'deprecated', 'quarantined', 'unbound'],
  evicted: ['deprecated', 'quarantined', 'evicted'],
  unbound: ['draft', 'candidate', 'tested', 'active', 'unbound'],
}

/** Returns undefined for a change that is allowed, otherwise the step that must come first. */
export function changeProblem(from: SkillState, to: SkillState): string | undefined {
  if (FROM[to].includes(from)) return undefined
  switch (to) {
    case 'active':
      return from === 'quarantined' ? 'test it again: reflex skill test' : 'test it first: reflex skill test'
    case 'evicted':
      return 'deprecate it first: reflex skill evict --deprecate'
    case 'deprecated':
      return 'only an active or tested skill can be deprecated'
    default:
      return `it is ${from}`
  }
}
