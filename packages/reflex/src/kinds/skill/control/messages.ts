import { z } from 'zod'

/** The messages of a control plane (reference skill 1.25). Client and server check with the same schemas, and none has a field for a value. */

const text = z.string().min(1).max(500)
const count = z.int().min(0)
const hash = z.string().regex(/^[0-9a-f]{64}$/)
const SENDER = { sdk: text, project: text, schema: z.literal(1) }

const SKILL = z.strictObject({ id: text, version: text, content_hash: hash })

export const policyCheck = z.strictObject({
  ...SENDER,
  env: text,
  principal: z.strictObject({ id: text, roles: z.array(text).max(100) }),
  skill: SKILL,
  effects: z.array(text).max(200).describe('What the skill changes, as its manifest says'),
  args_fingerprint: hash.describe('The digest of the arguments that are not sensitive'),
  sensitive_args: z.array(text).max(100).describe('The names of the others'),
})

export const VERDICTS = ['allow', 'deny', 'needs_promotion'] as const

export const policyVerdict = z.object({
  verdict: z.enum(VERDICTS),
  reason: z.string().max(500),
  policy_version: z.string().max(100),
  ttl_s: z.int().min(0).max(86_400),
})

export const syncQuery = z.strictObject({
  project: text,
  env: text.default('default'),
  since: z.coerce.number().int().min(0).optional().describe('The cursor of the last answer'),
})

/** The most skills of one answer; with fewer, it is the last. */
export const MOST_SKILLS = 1000

export const syncAnswer = z.object({
  cursor: count,
  skills: z
    .array(
      z.object({
        manifest: z.looseObject({ id: text, version: text }),
        content_hash: hash,
        state: z.enum(['active', 'deprecated', 'revoked']),
        approved_by: text.optional().describe('The person who approved it'),
        signature: z.string().max(200).optional().describe('Ed25519 over the content hash, base64'),
        prompts: z.record(z.string(), z.string()).optional(),
        cases: z.array(z.json()).max(1000).optional().describe('Its unit cases'),
      }),
    )
    .max(MOST_SKILLS),
})

const RATE = z.tuple([count, count])

export const promotion = z.strictObject({
  ...SENDER,
  skill: SKILL,
  from_env: text,
  to_env: text,
  ci_report: z.strictObject({ passed: z.boolean(), unit: RATE, fuzz: RATE, security: z.boolean(), delta_cost: z.number() }),
  requested_by: text,
  manifest: z.looseObject({}).optional().describe('The skill itself, for a control plane that does not have it'),
})

export const promotionQueued = z.object({ promotion_id: text, status: z.literal('queued') })

export const promotionState = z.object({
  status: z.enum(['passed', 'failed', 'running']),
  environments: z.array(z.object({ env: text, unit: RATE, fuzz: RATE, report_url: z.string().optional() })),
  reason: z.string().max(500),
})

/** The most rows of one report. */
export const MOST_ROWS = 500

export const usageRow = z.strictObject({
  skill_id: text,
  version: text,
  calls: count,
  success: count,
  delta_cost: z.number().nullable(),
  delta_p95: z.number().nullable().describe('Milliseconds'),
  fallback: count,
  clarify: count,
  denied: count,
})

export const telemetry = z.strictObject({
  ...SENDER,
  env: text,
  window: z.strictObject({ from: z.iso.datetime(), to: z.iso.datetime() }),
  skills: z.array(usageRow).max(MOST_ROWS),
})

export const failure = z.object({ error: z.object({ code: z.string(), message: z.string() }) })

export type PolicyCheck = z.infer<typeof policyCheck>
export type PolicyVerdict = z.infer<typeof policyVerdict>
export type SyncAnswer = z.infer<typeof syncAnswer>
export type SyncedSkill = SyncAnswer['skills'][number]
export type Promotion = z.infer<typeof promotion>
export type PromotionState = z.infer<typeof promotionState>
export type UsageRow = z.infer<typeof usageRow>
export type Telemetry = z.infer<typeof telemetry>
