import { z } from 'zod'
import { anyJson, list, text, v } from '../../protocol/shapes.ts'

const number = z.number()

/** What the rule of a rollout says. */
export const ROLLOUT = z.object({
  verdict: z.enum(['promote', 'rollback', 'wait', 'none']),
  runs: number.describe('Executions since the version got its share'),
  succeeded: number,
  rule: z.object({ name: z.enum(['promote', 'rollback']), runs: number, success: number }).optional(),
})

/** What turns of wrapped agents say about a skill. */
export const OBSERVED_TURNS = z.object({
  turns: number.describe('Turns that were read: the newest 200'),
  shown: number.describe('Turns that were shown the skill'),
  cardTokens: number,
  modelCalls: number,
  tokens: number,
})

/** What a skill has cost and saved. */
export const BREAK_EVEN = z.object({
  uses: number,
  succeeded: number,
  saved: z.object({ calls: number.describe('Calls of models'), tokens: number.optional() }),
  cost: z.object({ calls: number, tokens: number, learning: number, tests: number }),
  net: z.object({ calls: number, tokens: number.optional() }),
  after: number.optional().describe('The successes from which on it has paid back'),
})

/** The document of `skill diff`. */
export const SKILLS_COMPARED = z.object({
  v,
  skill: text,
  equal: z.boolean(),
  from: text,
  to: text,
  step: z.enum(['major', 'minor', 'patch', 'none']).describe('The step of the version that the changes ask for'),
  suggested: text,
  because: list(text).describe('The fields that ask for it'),
  changes: list(z.object({ path: text, before: anyJson.optional(), after: anyJson.optional() })),
})

/** The document of `skill import`. */
export const TEXT_IMPORTED = z.object({ v, skill: text, file: text, runs: z.literal(false) })

const decisionSide = z.object({
  version: text,
  verdict: z.enum(['approved', 'denied', 'clarify']),
  reason: text,
  score: number.optional().describe('Millionths, as tau'),
  tau: number.optional(),
})

/** The document of `replay --what-if`. */
export const WHAT_IF = z.object({
  v,
  run: text,
  decisions: number.describe('Decisions that were made again'),
  changed: list(z.object({ record: number, skill: text, recorded: decisionSide, decided: decisionSide })),
})
