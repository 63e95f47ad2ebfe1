import { z } from 'zod'
import {
  answered,
  anyJson,
  cause,
  compared,
  fault,
  line,
  list,
  program,
  question,
  run,
  schedule,
  segment,
  status,
  text,
  time,
  v,
  drawnProgram,
} from './shapes.ts'

const usage = z.object({
  tokens: z.number(),
  cost: z.number().describe('US dollars'),
  steps: z.number(),
  calls: z.number().describe('Effects that stated their usage'),
  unpriced: z.number().describe('Tokens without a price'),
})
const step = z.object({ program: text, node: text.optional(), branch: text.optional() })

/** The schemas of the documents that the command writes with `--json` and that the server answers with. */
export const SHARED_DOCUMENTS = {
  effects: z
    .object({
      v,
      effects: list(
        z.object({
          effect: z.union([z.number(), text]),
          address: text.describe('The record that requested it: RUN@RECORD'),
          key: text.describe('The idempotency key'),
          program: text,
          path: text,
          port: text,
          request: anyJson.optional(),
          requested: time,
          attempts: z.number(),
          parts: z.number().describe('The recorded parts of a result that comes in parts'),
          outcome: z.enum(['open', 'done', 'failed', 'dropped']),
          settled: time.optional(),
          settledBy: text.optional().describe('The record that settled it'),
          ms: z.number().optional(),
          value: anyJson.optional(),
          error: anyJson.optional(),
          used: usage.partial().optional(),
        }),
      ),
      next: z.number().optional(),
    })
    .describe('The effects of a run'),
  cost: z
    .object({
      v,
      run: text,
      record: z.number(),
      used: usage.extend({ time: z.number().describe('Milliseconds in which something was in progress') }),
      own: usage.describe('Without what a fork shares with its source'),
      limits: z.record(text, z.number()),
      reached: list(text).describe('The limits that are used up'),
      places: list(usage.partial().extend({ program: text, path: text })).describe('The usage of each node'),
    })
    .describe('The meter of a run'),
  error: z.object({ v, error: fault, findings: list(fault).optional() }).describe('Any command that failed'),
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
  cancelledRuns: z
    .object({
      v,
      dry: z.boolean(),
      cancelled: list(text).describe(
        'The runs that are cancelled, or whose processes are asked to cancel them; with dry, those that match',
      ),
      failed: list(z.object({ run: text, error: fault })),
      next: text.optional().describe('The run after which the next request continues, if there are more'),
    })
    .describe('cancel, with a filter'),
  schedules: z.object({ v, schedules: list(schedule) }).describe('schedule list'),
  schedule: z.object({ v, schedule }).describe('schedule add, pause, resume'),
  inbox: z.object({ v, questions: list(question) }).describe('inbox'),
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
      replayable: z.literal('decisions').optional().describe('Present for a run that keeps no contents'),
      waiting: list(z.object({ path: text, queue: text }))
        .optional()
        .describe('Calls that have not begun because the queue of an operator has no room; absent if there is none'),
      questions: list(question).describe('The questions that were open at the record'),
      inbox: list(
        z.object({
          type: z.enum(['answer', 'message', 'cancel']),
          to: text,
          value: anyJson,
          by: text.optional(),
          reason: text.optional(),
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
      replayable: z.literal('decisions').optional().describe('Present for a run that keeps no contents'),
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
  graph: z
    .object({ v, run: z.object({ id: text, record: z.number(), status }).optional(), programs: list(drawnProgram) })
    .describe('graph: a program, or the stack of a run, outermost first'),
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
} as const satisfies Readonly<Record<string, z.ZodObject>>
