/**
 * The constant lines that say how a skill is used, by carrier: at most 40 tokens of o200k_base, added once to the system text. They never
 * change within a version of Reflex: a changed byte there would bill a whole conversation again (reference skill 1.14).
 */
export const GUIDANCE = {
  text: 'To use a skill of the last bulletin, include <SKILL_PROPOSE>{json}</SKILL_PROPOSE>. If info is missing, <CLARIFY>{json}</CLARIFY>.',
  tool: 'To use a skill of the last bulletin, call reflex_propose. If information is missing, call reflex_clarify.',
} as const

export type GuidanceCarrier = keyof typeof GUIDANCE

/** What the JSON of a block has, at the head of a bulletin; constant tools have a schema. */
export const BLOCK_SHAPES: Readonly<Record<GuidanceCarrier, string>> = {
  text: 'JSON: {"skill_id","inputs"} or {"questions":[{"slot","question"}]}\n',
  tool: '',
}
