import { type CatalogueEntry, defineFaults } from '../../../kernel/index.ts'

const BEFORE = 'before a run'
const DURING = 'during a run'

/** Returns the reasons of a decision as a catalogue entry lists them. */
function reasons(names: string): readonly string[] {
  return names.split(' ').map((name) => `skill ${name}`)
}

/** The faults of the gate of skills (R1445 to R1459). The reasons of decisions are their rules. */
export const faults = defineFaults({
  R1445: {
    title: 'A function of the host cannot have this name',
    verdict: 'fail',
    when: BEFORE,
    means:
      'Expressions of skills call functions of the host by their names. A name is a word that neither CEL nor Reflex uses, and comes once.',
    fix: 'Rename the function.',
  },
  R1446: {
    title: 'There is no skill of this name',
    verdict: 'fail',
    when: DURING,
    rules: reasons('unknown_skill'),
    means: 'A proposal names a skill that is not in the registry of this project. Nothing runs.',
    often: 'a misspelt id; the decision lists the nearest active ones',
    fix: 'Propose one of the skills of the bulletin.',
  },
  R1447: {
    title: 'A skill does not fit this host',
    verdict: 'fail',
    when: DURING,
    rules: reasons('compat'),
    means: 'The compat of a skill names facts that a host must have: environment, toolset, repository. One of them is absent or different.',
    fix: 'Use the skill on a host that has the fact, or state the fact in the compat of Reflex if it is true.',
  },
  R1448: {
    title: 'A version of a skill is not active',
    verdict: 'fail',
    when: DURING,
    rules: reasons('state state.draft state.quarantined state.unbound state.not_active'),
    means: 'Reflex runs only the active version of a skill. The version that was called has another state.',
    often: 'three executions in a row have failed, and the skill is quarantined',
    fix: 'Try the version out with reflex run and --draft, and activate it in the registry once it does what it should.',
  },
  R1449: {
    title: 'A tool of a skill is not available',
    verdict: 'fail',
    when: DURING,
    rules: reasons('tool_missing'),
    means: 'The plan of the skill calls a tool that this host does not have, or that is cut off after failures.',
    fix: 'Give the tool to Reflex, or wait until it answers again.',
  },
  R1450: {
    title: 'A slot of a skill has no valid value',
    verdict: 'fail',
    when: DURING,
    rules: reasons('slot_missing slot_invalid'),
    means:
      'A slot takes its value from the proposal, the blackboard, a rule, a parser or its default, in this order. An invalid value is never replaced by a lower source.',
    fix: 'State a value of the type of the slot. The decision in the trace lists each slot with its source.',
  },
  R1451: {
    title: 'A condition of a skill does not hold',
    verdict: 'fail',
    when: DURING,
    rules: reasons('invariant_false invariant_error'),
    means: 'An invariant of the preconditions is false, or cannot be evaluated, which counts as false.',
    often: 'a key of the blackboard or a fact of the host that is absent',
    fix: 'Read the invariant that the decision names, and bring about what it wants.',
  },
  R1452: {
    title: 'The score of a skill is below its threshold',
    verdict: 'fail',
    when: DURING,
    rules: reasons('below_tau'),
    means: 'Labels, keywords, entities and recent successes give points. Their share of all points must reach the threshold.',
    fix: 'The decision in the trace has the points of each feature. Name the skill by one of its keywords, or lower the threshold.',
  },
  R1453: {
    title: 'The policy denies a skill',
    verdict: 'fail',
    when: DURING,
    rules: reasons(
      'policy.role policy.deny_if policy.secret policy.residency policy.shell policy.confirmation policy.remote_deny policy.needs_promotion policy.unavailable',
    ),
    means:
      'A rule of the manifest, of this host or of the control plane denies the execution with these arguments. A denial wins over every permission.',
    fix: 'The decision names each rule that denies and what it wants, such as a role or the confirmation by a person.',
  },
  R1454: {
    title: 'A skill is not admitted now',
    verdict: 'fail',
    when: DURING,
    rules: reasons(
      'admission.cooldown admission.concurrency admission.idempotence_in_progress admission.idempotence_unknown admission.idempotence_conflict admission.budget',
    ),
    means:
      'The gate approves, and other executions of the same skill prevent this one: it ran a moment ago, too many run now, or its key is in use.',
    fix: 'Wait for the time that the decision names, or settle the execution that it names.',
  },
} satisfies Record<string, CatalogueEntry>)

const CODES = {
  unknown_skill: 'R1446',
  compat: 'R1447',
  state: 'R1448',
  tool_missing: 'R1449',
  slot_missing: 'R1450',
  slot_invalid: 'R1450',
  invariant_false: 'R1451',
  invariant_error: 'R1451',
  below_tau: 'R1452',
  policy: 'R1453',
  admission: 'R1454',
} as const

/** Returns the code of the catalogue for the reason of a denial. */
export function codeOfReason(reason: string): (typeof CODES)[keyof typeof CODES] {
  const family = reason.split('.', 1)[0] ?? ''
  return Object.hasOwn(CODES, family) ? CODES[family as keyof typeof CODES] : CODES.unknown_skill
}
