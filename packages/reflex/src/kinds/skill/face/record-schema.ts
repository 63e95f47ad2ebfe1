import { z } from 'zod'
import { once } from '../../../text/index.ts'
import { NOT_EVALUATED, SKILL_STATES } from '../model/decision.ts'
import { SCORE_FEATURES } from '../model/manifest.ts'
import type { SkillOutcome } from '../model/plan-result.ts'
import type { TurnInput } from '../model/turn.ts'

const text = z.string()
const whole = z.int()
const notEvaluated = z.literal(NOT_EVALUATED)

const compat = z.strictObject({
  ok: z.boolean(),
  checks: z.array(z.strictObject({ key: text, want: z.json(), have: z.json(), ok: z.boolean() })),
})

const preconditions = z.strictObject({
  ok: z.boolean(),
  state: z.enum(SKILL_STATES),
  tools: z.array(z.strictObject({ name: text, ok: z.boolean() })),
  slots: z.array(
    z.strictObject({
      name: text,
      source: z.enum(['proposal', 'binding', 'extractor', 'parser', 'default', 'missing']),
      valid: z.boolean(),
      reason: text.optional(),
    }),
  ),
  invariants: z.union([
    notEvaluated,
    z.array(z.strictObject({ expr: text, value: z.union([z.boolean(), z.literal('error')]), error: text.optional() })),
  ]),
})

const features = z.strictObject(Object.fromEntries(SCORE_FEATURES.map((feature) => [feature, z.number()])))

const score = z.strictObject({
  ok: z.boolean(),
  features,
  matched: z.strictObject({ label: text.optional(), keyword: text.optional() }),
  weights: features,
  raw: whole,
  max: whole,
  normalised: whole,
  tau_raw: whole,
  tau_normalised: whole,
  tau_source: z.enum(['manifest', 'sdk', 'policy']),
  stats: z.strictObject({ successes: whole, runs: whole }),
})

const policy = z.strictObject({
  ok: z.boolean(),
  mode: z.enum(['enforce', 'advise']),
  enforced: z.boolean(),
  rules: z.array(z.strictObject({ rule: text, verdict: z.enum(['allow', 'deny', 'ask']), detail: text.optional() })),
  remote: z.strictObject({ verdict: text, reason: text, cached: z.boolean(), age_s: z.number() }).optional(),
})

const DENIALS = ['cooldown', 'concurrency', 'idempotence_in_progress', 'idempotence_unknown', 'idempotence_conflict', 'budget'] as const

/** The schema of a decision: closed, so that nothing stands in a record that nobody has described. */
export const decisionRecord = once(() =>
  z.strictObject({
    v: z.literal(1),
    proposal: z.strictObject({
      carrier: z.enum(['text', 'tool', 'manual', 'program']),
      skill_ref: text,
      inputs_hash: text,
      why: text.optional(),
    }),
    skill: z.strictObject({ id: text, version: text, content_hash: text }).nullable(),
    now: text,
    compat: z.union([notEvaluated, compat]),
    preconditions: z.union([notEvaluated, preconditions]),
    score: z.union([notEvaluated, z.literal('not_applicable'), score]),
    policy: z.union([notEvaluated, policy]),
    admission: z
      .strictObject({
        verdict: z.enum(['admitted', 'short_circuit', ...DENIALS]),
        retry_after_ms: z.number().optional(),
        key_hash: text.optional(),
      })
      .optional(),
    fn_results: z.array(
      z.union([
        z.strictObject({ fn: text, args_hash: text, result: z.json() }),
        z.strictObject({ fn: text, args_hash: text, error: text }),
      ]),
    ),
    verdict: z.enum(['approved', 'denied', 'clarify']),
    reason: text,
    missing: z.array(text).optional(),
    nearest: z.array(text).optional(),
  }),
)

/** What a step has read out of contents, by name, in a run that keeps none. */
const facts = z.array(z.tuple([text, z.json()]))

/** The schema of the notes of a skill and of a turn. */
export const skillNote = once(() =>
  z.union([
    z.strictObject({ decision: decisionRecord(), facts: facts.optional() }),
    z.strictObject({ facts }),
    z.strictObject({ replaced: z.array(z.strictObject({ path: text, value: z.json(), from: text, by: text })) }),
    z.strictObject({ warning: text }),
    z.strictObject({ divergence: z.json() }),
  ]),
)

/** The schema of the outcome of a skill for a wrapped agent. */
export const skillOutcome = once(
  (): z.ZodType<SkillOutcome> =>
    z.strictObject({
      skill_id: text,
      version: text,
      status: z.enum(['ok', 'noop', 'partial_failure', 'failed', 'denied', 'clarify']),
      outputs: z.record(text, z.json()).optional(),
      reason: text.optional(),
      detail: text.optional(),
      missing: z.array(z.strictObject({ slot: text, question: text })).optional(),
      compensated: z.enum(['full', 'partial', 'failed', 'none']).optional(),
    }) as z.ZodType<SkillOutcome>,
)

/** The schema of what the code of a wrapped agent does, as its turn gets it. */
export const turnInput = once((): z.ZodType<TurnInput> => {
  const request = z.strictObject({
    base: text.optional(),
    keep: whole,
    add: z.array(z.json()),
    params: z.record(text, z.json()).optional(),
  })
  const diverged = z.record(text, z.json()).optional()
  const facts = z.strictObject({ sideEffects: z.enum(['none', 'local', 'external']), idempotent: z.boolean() }).optional()
  return z.discriminatedUnion('do', [
    z.strictObject({ do: z.literal('model'), id: text, request, userText: text.optional() }),
    z.strictObject({ do: z.literal('tool'), id: text, tool: text, args: z.json(), facts, diverged }),
    z.strictObject({ do: z.literal('agent'), id: text, name: text, args: z.json() }),
    z.strictObject({ do: z.literal('once'), id: text, name: text, diverged }),
    z.strictObject({ do: z.literal('end'), status: z.enum(['done', 'failed']), value: z.json().optional() }),
    z.strictObject({ do: z.literal('note'), note: z.record(text, z.json()) }),
  ]) as z.ZodType<TurnInput>
})

/** Returns the published JSON Schema of what skills and turns add to their records. */
export function recordSchema(): object {
  const any = z.union([skillNote(), skillOutcome(), turnInput()])
  const { $schema, ...rest } = z.toJSONSchema(any, { target: 'draft-07', io: 'input' })
  return { $schema, $id: 'urn:reflex:skill-record', title: 'Notes, outcomes and inputs in the records of skills and turns', ...rest }
}
