import { z } from 'zod'
import { SHARED_DOCUMENTS } from '../../protocol/schemas.ts'
import {
  answered,
  anyJson,
  cause,
  checked,
  drawnProgram,
  fault,
  finding,
  line,
  list,
  packedSegments,
  program,
  question,
  refused,
  replayed,
  run,
  severity,
  status,
  text,
  v,
  verdict,
} from '../../protocol/shapes.ts'
import { AGENT_SKILL, LEARNED, TRANSCRIPTS } from './learn-schema.ts'
import { BREAK_EVEN, OBSERVED_TURNS, ROLLOUT, SKILLS_COMPARED, TEXT_IMPORTED, WHAT_IF } from './skill-schema.ts'

/** A version of a skill. */
const keptSkill = z.object({
  id: text,
  version: text,
  hash: text,
  origin: text,
  scope: z.enum(['project', 'org']),
  state: z.object({ state: text, reason: text, since: text, by: text }),
  share: z.number().describe('The share of the calls that it gets'),
  tests: z
    .object({
      passed: z.boolean(),
      sdk: text.describe('The major version of Reflex for which they count'),
      at: text,
      unit: z.array(z.number()).describe('Passed, of'),
      fuzz: z.array(z.number()),
      security: z.boolean(),
      delta_cost: z.number(),
      failures: z.number().describe('Failed tests in a row'),
    })
    .optional(),
  recent: z.object({ successes: z.number(), runs: z.number() }),
  all: z.object({ runs: z.number(), succeeded: z.number() }).describe('All executions in this project'),
})

/** Why a decision of the gate was made. */
const decisionExplanation = z.object({
  reasons: list(text),
  stages: list(z.object({ stage: text, result: z.enum(['ok', 'no', 'not_asked']), text, details: list(text) })),
  remedy: z
    .object({ changes: list(anyJson), raw: z.number(), normalised: z.number(), passes: z.boolean(), text })
    .optional()
    .describe('What would have let the score pass'),
})

/** The result of the tests of a skill. */
const skillReport = z.object({
  skill: text,
  version: text,
  hash: text,
  passed: z.boolean(),
  reasons: list(text),
  unit: z.object({ passed: z.number(), of: z.number(), needs: z.number() }),
  fuzz: z.object({ passed: z.number(), of: z.number(), needs: z.number(), seed: z.number() }),
  security: z.object({ passed: z.number(), of: z.number() }),
  delta_cost: z.number(),
  cases: list(
    z.object({
      name: text,
      sort: z.enum(['unit', 'fuzz']),
      mutation: text.optional(),
      passed: z.boolean(),
      status: text.optional(),
      problems: list(text),
    }),
  ),
})

const rateFacts = z.object({ most: z.number(), per: z.number().describe('Milliseconds') })

const queueFacts = z.object({
  name: text,
  slots: z.number().nullable(),
  tenantSlots: z.number().nullable(),
  share: z.number(),
  rate: rateFacts.nullable(),
  tenantRate: rateFacts.nullable(),
  paused: z.boolean(),
  waiting: z.number().describe('Turns that are due and not admitted; of model: and tool: queues, calls that wait for room'),
  admitted: z.number(),
  begun: z.number(),
})

/**
 * The schemas of everything that the command writes with `--json` and `--jsonl`. `reflex schema output` publishes them,
 * and tests compare them with the real documents. Fields may be added; a reader ignores fields that it does not know.
 */
export const DOCUMENTS = {
  ...SHARED_DOCUMENTS,
  help: z.object({ v, help: text }).describe('--help'),
  version: z.object({ v, version: text }).describe('--version'),
  posted: z.object({ v, answered, inbox: z.boolean() }).describe('answer, if another process takes the answer; inbox is false once it has'),
  run: run.extend({ v }).describe('runs, a line of --jsonl'),
  question: question.extend({ v }).describe('inbox, a line of --jsonl'),
  worker: z
    .object({ v, runs: z.number().describe('The number of runs that were continued, repeats included'), failures: z.number() })
    .describe('worker'),
  carried: z.object({ v, run: text, status, records: z.number() }).describe('worker, a line of --jsonl'),
  replay: replayed.extend({ v }).describe('replay'),
  tested: z
    .object({
      v,
      seed: z.number(),
      events: z.number().describe('The number of events that were tried'),
      situations: z.number().describe('The number of different situations that they reached'),
      broken: list(
        z.object({
          name: text,
          holds: text.describe('The condition, in CEL'),
          events: list(anyJson).describe('The shortest events found that break it, as run --events takes them'),
          seen: z.record(text, anyJson).describe('The values of the names in the condition'),
          why: text.optional(),
        }),
      ),
      held: list(z.object({ name: text, holds: text })),
      findings: list(finding),
    })
    .describe('test'),
  versions: z
    .object({
      v,
      one: text,
      other: text,
      events: z.number(),
      differences: list(z.object({ event: text, line: z.number(), name: text, one: anyJson.optional(), other: anyJson.optional() })),
    })
    .describe('diff --events'),
  strict: z
    .object({
      v,
      what: text.describe('The run or the file'),
      result: z.enum(['equal', 'differs']),
      events: z.number(),
      effects: z.number().describe('External effects that were derived again; none is sent'),
      findings: list(fault),
    })
    .describe('replay --strict, and replay of a capture'),
  check: z
    .object({ v, runs: list(checked), refused: list(refused), unused: list(text), open: z.number(), breaks: z.number() })
    .describe('check'),
  checked: checked.extend({ v }).describe('check, a line of --jsonl'),
  refused: refused.extend({ v }).describe('check, a line of --jsonl'),
  archive: z
    .object({
      v,
      run: text,
      file: text,
      records: z.number().optional().describe('Absent, with lines and bytes, if the file was there before'),
      lines: z.number().optional(),
      bytes: z.number().optional(),
      forgotten: z
        .object({ through: z.number(), first: z.number(), last: z.number() })
        .optional()
        .describe('The records that were removed from the store'),
      hash: text.describe('The hash of all lines, which a signature signs'),
      signed: z.boolean(),
    })
    .describe('export'),
  capture: z.object({ v, run: text, file: text, format: text, bytes: z.number() }).describe('export --format of a run'),
  tables: z
    .object({
      v,
      format: z.enum(['jsonl', 'parquet']),
      tables: list(z.object({ table: z.enum(['runs', 'records', 'effects', 'entries']), file: text, rows: z.number() })),
    })
    .describe('export --all'),
  gc: z
    .object({
      v,
      dry: z.boolean(),
      runs: list(text),
      programs: list(text),
      blobs: list(text),
      entries: z.number().describe('Ledger entries that were replaced and are older than their ledger keeps'),
      folders: list(text),
      packed: packedSegments,
      warnings: list(fault),
    })
    .describe('gc'),
  validate: z
    .object({
      v,
      files: list(z.object({ file: text, valid: z.boolean(), findings: list(finding) })),
      errors: z.number(),
      warnings: z.number(),
      infos: z.number().describe('Findings that need no action'),
      written: list(z.object({ file: text, changed: z.boolean() }))
        .optional()
        .describe('Files beside the programs that a flag asked for'),
    })
    .describe('validate'),
  fmt: z
    .object({
      v,
      files: list(
        z.object({
          file: text,
          changed: z.boolean().describe('With --check: true if fmt would change the file'),
          findings: list(fault),
          text: text.optional().describe('The formatted text of standard input'),
        }),
      ),
      changed: z.number(),
      errors: z.number(),
    })
    .describe('fmt'),
  explain: z
    .object({
      v,
      entries: list(
        z.object({
          code: text,
          title: text,
          verdict,
          severity,
          when: text,
          rules: list(text).optional(),
          means: text,
          often: text.optional(),
          fix: text,
        }),
      )
        .optional()
        .describe('The entries of a code'),
      operation: z
        .object({
          name: text,
          does: text,
          types: list(text),
          chosenBy: list(text).describe('The attributes that choose it: type=exec target=shell'),
          repeat: z.enum(['idempotent', 'idempotent_with_key', 'side_effecting', 'read_only']),
          attributes: list(z.object({ name: text, aliases: list(text), takes: text, usual: text, does: text, isRequired: z.boolean() })),
        })
        .optional()
        .describe('An operation of pipelines'),
    })
    .describe('explain'),
  found: z
    .object({ v, verb: text, found: list(z.record(z.string(), anyJson)) })
    .describe('A verb that a kind brings; what it finds is described by the kind'),
  image: z.object({ v, file: text, bytes: z.number() }).describe('graph --svg FILE'),
  schemas: z.object({ v, schemas: list(z.object({ name: text, about: text, files: text })) }).describe('schema, without a name'),
  completion: z.object({ v, shell: text, script: text }).describe('completion'),
  pin: z
    .object({
      v,
      name: text,
      server: text.describe('The name and version that the server states'),
      tools: z.array(z.looseObject({ name: text })),
      entry: z.record(z.string(), z.unknown()),
      line: text.describe('The entry for "mcp" of a policy'),
      list: text.describe('The file with the list of tools'),
      files: z.array(text),
      differences: z.array(text),
      current: z.boolean(),
    })
    .describe('mcp pin'),
  servers: z
    .object({ v, servers: z.array(z.object({ name: text, shown: text, tools: z.array(text), fault: fault.optional() })) })
    .describe('mcp tools'),
  doctor: z
    .object({
      v,
      works: z.boolean(),
      version: text,
      checks: list(z.object({ name: text, found: z.enum(['ok', 'warning', 'failed', 'none']), text, fix: text.optional() })),
      settings: list(z.object({ name: text, value: text.optional(), from: text })),
    })
    .describe('doctor'),
  serving: z.object({ v, url: text, token: text.describe('Valid until the server stops') }).describe('serve, once it listens'),
  queues: z.object({ v, queues: list(queueFacts) }).describe('queue list'),
  queue: z.object({ v, queue: queueFacts }).describe('queue set, pause and resume; queue list, a line of --jsonl'),
  retried: z.object({ v, retried: text.describe('The run') }).describe('queue retry'),
  unscheduled: z.object({ v, removed: text.describe('The name') }).describe('schedule remove, queue remove'),
  skills: z.object({ v, skills: list(keptSkill) }).describe('skill list'),
  skill: z.object({ v, skill: keptSkill }).describe('skill add, approve and evict ID; skill promote --to; skill list, a line of --jsonl'),
  skillShown: z
    .object({ v, skill: keptSkill, manifest: z.record(text, anyJson), rollout: ROLLOUT, turns: OBSERVED_TURNS, breakEven: BREAK_EVEN })
    .describe('skill show'),
  skillPromoted: z
    .object({
      v,
      skill: keptSkill,
      promoted: z.boolean(),
      decided: z.enum(['rule', 'person', 'no_rule']),
      rollout: ROLLOUT.extend({ text: text }),
    })
    .describe('skill promote'),
  whatIf: WHAT_IF.describe('replay --what-if'),
  skillsCompared: SKILLS_COMPARED.describe('skill diff'),
  textImported: TEXT_IMPORTED.describe('skill import'),
  gateExplained: z
    .object({ v, decision: z.record(text, anyJson).describe('The decision record'), explanation: decisionExplanation })
    .describe('gate explain'),
  skillTested: z.object({ v, kept: z.boolean().describe('The file was kept as a draft'), report: skillReport }).describe('skill test'),
  skillsEvicted: z
    .object({
      v,
      evicted: list(z.object({ id: text, version: text, to: z.enum(['deprecated', 'evicted']), reason: text })),
      rollouts: list(
        z.object({ id: text, version: text, verdict: z.enum(['promote', 'rollback']), runs: z.number(), succeeded: z.number() }),
      ).describe('Versions that their rules have promoted or rolled back'),
      warning: text.optional(),
    })
    .describe('skill evict'),
  skillStats: z
    .object({
      v,
      days: z.number(),
      skills: list(
        z.object({
          skill: text,
          version: text,
          calls: z.number(),
          success_rate: z.number().nullable(),
          delta_cost: z.number().nullable(),
          delta_p95: z.number().nullable(),
          fallback_rate: z.number().nullable().describe('Of what was denied or failed: what came to a good end without it'),
          failure_streak: z.number(),
          last_ci_pass: text.nullable(),
        }),
      ),
      system: z.object({
        learned_skills: z.number(),
        active_skills: z.number(),
        evictions: z.number(),
        ci_failures: z.number(),
        precision_at_1: z.number().nullable().describe('Of the runs with an approved skill: those whose first one succeeded'),
        clarify_rate: z.number().nullable(),
        policy_denies: z.number(),
      }),
    })
    .describe('skill stats'),
  skillsSynced: z
    .object({
      v,
      synced: z.object({
        activated: list(text),
        waiting: list(text).describe('A person must approve them here'),
        failed: list(text).describe('Their tests fail here'),
        deprecated: list(text),
        revoked: list(text),
        refused: list(fault),
      }),
      reported: z.number().describe('Rows of the report'),
    })
    .describe('skill sync'),
  skillPromotion: z
    .object({
      v,
      promotion: z.object({
        promotion_id: text,
        status: z.enum(['passed', 'failed', 'running']),
        environments: list(z.record(text, anyJson)),
        reason: text,
      }),
    })
    .describe('skill promote, with --to'),
  skillDecisions: z
    .object({
      v,
      run: text,
      decisions: list(
        z.object({
          record: z.number(),
          decision: z.record(text, anyJson).describe('The decision record'),
          explanation: decisionExplanation,
        }),
      ),
    })
    .describe('skill why'),
  bulletin: z
    .object({
      v,
      text: text.describe('Empty if no skill fits'),
      cards: list(z.object({ id: text, version: text, tokens: z.number(), reason: text })),
      overflow: list(text),
      tokens: z.number(),
      tokenizer: text,
    })
    .describe('bulletin preview'),
  snapshot: LEARNED.describe('learn snapshot'),
  transcripts: TRANSCRIPTS.describe('learn import'),
  agentSkill: AGENT_SKILL.describe('export, of a skill'),
  starter: z.object({ v, files: list(text), next: list(text).describe('Commands') }).describe('init'),
} as const satisfies Readonly<Record<string, z.ZodObject>>

/** The parts that several documents share. */
const PARTS = {
  fault,
  program,
  status,
  verdict,
  openQuestion: question,
  runState: run,
  line,
  drawn: drawnProgram,
  replayed,
  checkedRun: checked,
  cause,
} as const

/** Returns the JSON Schema (draft-07) of the documents: any of them, each under its name in `definitions`. */
export function outputSchema(): object {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries({ ...PARTS, ...DOCUMENTS })) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, { target: 'draft-07', io: 'input', uri: (id) => `#/definitions/${id}` })
  const definitions = Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema] as const)
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: 'urn:reflex:output',
    title: 'The output of reflex with --json and --jsonl',
    anyOf: Object.keys(DOCUMENTS).map((id) => ({ $ref: `#/definitions/${id}` })),
    definitions: Object.fromEntries(definitions),
  }
}
