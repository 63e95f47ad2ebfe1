import { z } from 'zod'
import {
  answered,
  anyJson,
  cause,
  checked,
  compared,
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
  segment,
  severity,
  status,
  text,
  time,
  v,
  verdict,
} from './shapes.ts'

const step = z.object({ program: text, node: text.optional(), branch: text.optional() })

/**
 * The schemas of everything that the command writes with `--json` and `--jsonl`. `reflex schema output` publishes them,
 * and tests compare them with the real documents. Fields may be added; a reader ignores fields that it does not know.
 */
export const DOCUMENTS = {
  error: z.object({ v, error: fault, findings: list(fault).optional() }).describe('Any command that failed'),
  help: z.object({ v, help: text }).describe('--help'),
  version: z.object({ v, version: text }).describe('--version'),
  result: z
    .object({
      v,
      run: text,
      trace: text.optional(),
      program: program.optional(),
      status,
      records: z.number(),
      started: time.optional(),
      updated: time,
      value: anyJson.optional(),
      error: fault.optional(),
      questions: list(question),
      answered: answered.optional(),
    })
    .describe('run, resume, answer'),
  posted: z.object({ v, answered, inbox: z.boolean() }).describe('answer, if another process takes the answer; inbox is false once it has'),
  signalled: z
    .object({ v, run: text, signal: z.object({ topic: text, value: anyJson, by: text }), inbox: z.literal(true) })
    .describe('signal, if it does not continue the run'),
  cancelled: z
    .object({
      v,
      run: text,
      did: z
        .enum(['cancelled', 'cancelling', 'requested', 'late'])
        .describe('The effect of the cancellation; late: the run ended before it arrived'),
      status,
      cancelled: z.object({ by: text, reason: text.optional(), record: z.number().optional() }),
      inbox: z.boolean().describe('True if another process owns the run and has not taken the cancellation yet'),
      holder: z.object({ pid: z.number(), host: text }).optional().describe('The process that was asked to stop the run'),
      effects: list(
        z.object({ key: text, path: text, port: text, name: text, asked: z.boolean(), repeat: z.enum(['free', 'keyed', 'ask']) }),
      )
        .optional()
        .describe('Effects that were pending and may have happened; absent if the journal cannot be read here'),
    })
    .describe('cancel'),
  runs: z.object({ v, runs: list(run), more: z.boolean() }).describe('runs'),
  run: run.extend({ v }).describe('runs, a line of --jsonl'),
  inbox: z.object({ v, questions: list(question) }).describe('inbox'),
  question: question.extend({ v }).describe('inbox, a line of --jsonl'),
  show: z
    .object({
      v,
      run,
      record: z.number(),
      time,
      segments: list(segment).optional().describe('Absent for a run that was never sealed'),
      stack: list(step),
      branches: list(list(step)).optional().describe('The stacks of parallel branches'),
      nodes: list(
        z.object({
          path: text,
          depth: z.number(),
          mark: z.enum(['open', 'running', 'done', 'failed', 'waits']),
          text: text.optional(),
          ms: z.number().optional(),
        }),
      ).optional(),
      failures: list(z.object({ node: text, text, isRecovered: z.boolean(), time: text })).optional(),
      choices: list(z.object({ id: text, label: text, open: z.boolean(), why: text.optional(), when: text.optional() })),
      board: list(
        z.object({
          key: text,
          value: anyJson,
          node: text.optional(),
          record: z.number(),
          known: text.optional().describe('More facts about the entry'),
          by: text.optional().describe('The actor who set it, if no node wrote it'),
        }),
      ),
      questions: list(question).describe('The questions that were open at the record'),
      inbox: list(
        z.object({
          type: z.enum(['answer', 'message', 'cancel']),
          to: text,
          value: anyJson,
          by: text.optional(),
          time,
          damaged: text.optional(),
        }),
      ).describe('Messages that no record has taken; if the run has ended, no record will'),
    })
    .describe('show'),
  trace: z
    .object({
      v,
      run,
      by: text.optional().describe('The actor who started the run'),
      input: anyJson.optional().describe('The input of the run'),
      from: z.number().optional().describe('The first record of the lines, if it is not the first of the run'),
      gone: z
        .object({ last: z.number(), archive: text.optional() })
        .optional()
        .describe('The last record that is no longer in the store, and the hash of the archive with the records up to it'),
      lines: list(line),
    })
    .describe('trace'),
  record: z
    .looseObject({
      v,
      run: text,
      record: z.number(),
      time,
      frame: text,
      input: anyJson.optional(),
      writes: list(z.object({ key: text, value: anyJson })).optional(),
      position: anyJson.optional(),
      requests: list(z.object({ effect: text, port: text, args: anyJson.optional(), key: text.optional() })).optional(),
    })
    .describe('run, resume, answer, trace: a line of --jsonl; docs/journal.md has its rarer fields'),
  worker: z
    .object({ v, runs: z.number().describe('The number of runs that were continued, repeats included'), failures: z.number() })
    .describe('worker'),
  carried: z.object({ v, run: text, status, records: z.number() }).describe('worker, a line of --jsonl'),
  fork: z
    .object({
      v,
      run: text,
      from: z.object({ run: text, record: z.number() }),
      status,
      records: z.number().describe('The shared records and its own'),
      settled: z.number().describe('Effects that are settled in both runs; with settledAfter only those after that record'),
      settledAfter: z
        .number()
        .optional()
        .describe('The record that sealed the source last; effects before it are settled too, not counted'),
      set: anyJson,
      trust: text.describe('The trust level of the fork'),
      trustBefore: text.optional().describe('The trust level of its source, if it differs'),
      simulated: z.boolean().describe('True if nothing leaves this machine'),
      decided: z.object({ place: text, chose: text, was: z.object({ chose: text, by: text.optional() }).optional() }).optional(),
      next: z.object({ first: list(text), later: list(text) }).describe('The actions of the fork once it is resumed'),
    })
    .describe('fork'),
  why: z.object({ v, run: text, cause }).describe('why'),
  diff: z
    .object({
      v,
      one: compared,
      other: compared,
      equal: z.number().describe('The number of equal records at the beginning'),
      differences: list(
        z.object({
          what: z.enum(['way', 'node', 'value', 'status', 'result']),
          name: text.describe('The path of a node, a key, or a path inside its value'),
          one: anyJson.optional(),
          other: anyJson.optional(),
          records: z.object({ one: z.number().optional(), other: z.number().optional() }),
        }),
      ),
    })
    .describe('diff'),
  replay: replayed.extend({ v }).describe('replay'),
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
  tables: z
    .object({
      v,
      format: z.enum(['jsonl', 'parquet']),
      tables: list(z.object({ table: z.enum(['runs', 'records', 'effects', 'entries']), file: text, rows: z.number() })),
    })
    .describe('export --all'),
  imported: z
    .object({
      v,
      run: text,
      program,
      status,
      records: z.number(),
      from: z.number().optional().describe('The first record, if it is not the first of the run'),
      earlier: text.optional().describe('The hash of the archive with the records before the first one'),
      part: z.literal(true).optional().describe('Nothing of it is due, and no worker continues it'),
      signature: z.enum(['checked', 'unchecked', 'none']).describe('unchecked: no secret was given'),
      messages: z.number().describe('Messages in the inbox of the run that no record has taken yet'),
    })
    .describe('import'),
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
  graph: z
    .object({ v, run: z.object({ id: text, record: z.number(), status }).optional(), programs: list(drawnProgram) })
    .describe('graph: a program, or the stack of a run, outermost first'),
  image: z.object({ v, file: text, bytes: z.number() }).describe('graph --svg FILE'),
  schemas: z.object({ v, schemas: list(z.object({ name: text, about: text, files: text })) }).describe('schema, without a name'),
  completion: z.object({ v, shell: text, script: text }).describe('completion'),
  doctor: z
    .object({
      v,
      works: z.boolean(),
      version: text,
      checks: list(z.object({ name: text, found: z.enum(['ok', 'warning', 'failed', 'none']), text, fix: text.optional() })),
      settings: list(z.object({ name: text, value: text.optional(), from: text })),
    })
    .describe('doctor'),
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
