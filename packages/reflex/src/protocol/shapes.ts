import { z } from 'zod'

/** The parts of the documents in `schema.ts`. */
export const v = z.literal(1)
export const text = z.string()
export const time = z.iso.datetime().describe('UTC, ISO 8601')
export const anyJson = z.unknown().describe('Any JSON')
export const list = <Item extends z.ZodType>(item: Item): z.ZodArray<Item> => z.array(item)

/** The severity of a finding; `info` needs no action. */
export const severity = z.enum(['error', 'warning', 'info'])
export const verdict = z.enum(['retry', 'fail', 'wait', 'bug']).describe('The action that can solve it')
export const fault = z
  .object({
    code: text.describe('R####; reflex explain CODE shows more'),
    rule: text.optional().describe('The name of the rule in the specification'),
    message: text,
    verdict,
    severity: severity.optional(),
    file: text.optional(),
    line: z.number().optional(),
    column: z.number().optional(),
    length: z.number().optional().describe('The number of characters from the column on'),
    frame: text.optional().describe('The lines of the source around the place'),
    path: text.optional().describe('The path in the program'),
    run: text.optional(),
    fix: text.optional().describe('The action that solves it'),
    cause: anyJson.optional().describe('The failure behind it, or its message'),
    data: anyJson.optional(),
  })
  .describe('A failure: its message, its place, and a fix')

export const program = z.object({ name: text, kind: text, hash: text })
export const status = z.enum(['running', 'suspended', 'completed', 'failed', 'cancelled'])

export const schedule = z.object({
  name: text,
  cron: text,
  zone: text,
  program: text,
  input: z.record(text, anyJson).optional(),
  missed: text,
  most: z.number(),
  overlap: text,
  paused: z.boolean(),
  queue: text.optional(),
  tenant: text.optional(),
  priority: z.number().optional(),
  needs: list(text).optional(),
  declared: z.enum(['file', 'store']),
  next: list(text).describe('The next times'),
  last: z.object({ time: text, did: text, run: text.optional(), error: fault.optional() }).optional(),
})

export const question = z.object({
  id: text.describe('The address: RUN/q1'),
  run: text,
  program: program.optional().describe('The program of the run; in lists of questions of several runs'),
  name: text,
  asker: z
    .enum(['outcome', 'edge', 'retry', 'budget', 'permission'])
    .optional()
    .describe('Reflex itself asks about this; absent: the program asks'),
  path: text,
  text,
  options: list(
    z.object({
      value: text,
      label: text.optional(),
      detail: text.optional(),
      key: text.optional().describe('A key that also chooses it'),
      also: list(text).optional().describe('Other names that choose it'),
    }),
  ).optional(),
  schema: anyJson.optional().describe('JSON Schema of the answer'),
  since: time,
  due: time.optional(),
  otherwise: anyJson.optional().describe('The answer that is used if none comes in time'),
  about: anyJson.optional().describe('Facts for the person who answers'),
  error: fault.optional().describe('The failure after which the question asks to try again'),
})

export const run = z.object({
  id: text,
  trace: text,
  program,
  status,
  records: z.number(),
  started: time,
  updated: time,
  due: time.optional(),
  waits: list(
    z.object({
      type: z.enum(['answer', 'message', 'timer', 'process']),
      name: text.optional(),
      path: text.optional(),
      since: time.optional(),
      due: time.optional(),
      everyMs: z
        .number()
        .optional()
        .describe('Milliseconds between two times of a timer that stays open; due is the next one as of the last record'),
      question: text.optional(),
    }),
  ),
  segments: z.number().optional().describe('Absent for a run that was never sealed'),
  cost: z.number().optional().describe('US dollars; absent where no effect has stated a usage'),
  tokens: z.number().optional(),
  unpriced: z.number().optional().describe('The tokens that have no price'),
  process: z.object({ pid: z.number(), host: text }).optional().describe('The process that owns the run'),
  value: anyJson.optional(),
  error: anyJson.optional(),
})

export const answered = z.object({ question: text, value: anyJson, by: text, reason: text.optional() })

export const line = z.object({
  record: z.number(),
  time,
  path: text.describe('The path of the frame'),
  place: text.describe('The path of the node'),
  branch: text.optional().describe('The branch, if there are several in parallel'),
  depth: z.number(),
  mark: text,
  node: text.optional(),
  text: text.optional(),
  effect: z.union([z.number(), text]).optional(),
  facts: anyJson.optional(),
})

const standing = z.enum(['taken', 'open', 'closed'])
export const drawnProgram = z.object({
  program: text,
  kind: text,
  changes: list(text).optional().describe('The changes that the run made to its program: +node, -from->to'),
  nodes: list(
    z.object({
      id: text,
      label: text.optional(),
      form: z.enum(['step', 'choice', 'question', 'call']),
      entry: z.literal(true).optional(),
      end: z.literal(true).optional(),
      calls: text.optional(),
      about: text.optional(),
      deed: text.optional().describe('The action at the node, in a word'),
      still: z.literal(true).optional().describe('True if the node does nothing'),
      standing: z.enum(['passed', 'running', 'asks', 'waits', 'failed']).optional(),
    }),
  ),
  edges: list(
    z.object({
      id: text,
      from: text,
      to: text,
      label: text.optional(),
      guard: text.optional(),
      standing: standing.optional(),
      why: text.optional().describe('The reason why the edge was closed'),
    }),
  ),
})

const side = z.object({ says: text, open: list(text).optional() })
const differingPart = z.object({ part: text, recorded: anyJson.optional(), decided: anyJson.optional() })
export const replayed = z.object({
  run: text,
  segment: z.number().optional().describe('The segment that was replayed alone'),
  result: z.enum(['equal', 'noted', 'differs']).describe('noted: the decisions are equal, and some records have different notes'),
  replayable: z.literal('decisions').optional().describe('Present for a run that keeps no contents'),
  records: z.number().describe('The number of records of the run, or of the segment'),
  equal: z.number().describe('The number of equal records at the beginning'),
  noted: z.number(),
  decisions: z.number(),
  effects: z.literal(0).describe('A replay performs nothing'),
  snapshots: z.number(),
  difference: z
    .object({
      record: z.number(),
      path: text.optional(),
      at: text.describe('The place in the first of the parts; empty for the whole part'),
      recorded: side,
      decided: side,
      parts: list(differingPart),
    })
    .optional(),
  error: fault.optional(),
})
export const cause = z
  .object({
    what: z.enum(['value', 'decision', 'record', 'effect', 'answer', 'message', 'start', 'set', 'call', 'node']),
    name: text.describe('A key, the path of a node, or the subject of the cause'),
    record: z.number().describe('The record of the cause'),
    part: z.number().optional().describe('The part of the record, from 1, for a cause inside one: a pass of a graph'),
    text: text.optional(),
    value: anyJson.optional(),
    by: text.optional(),
    because: text.optional(),
    failed: z.literal(true).optional(),
    open: list(text).optional().describe('The other edges that could have been chosen'),
    closed: list(z.object({ way: text, why: text })).optional(),
    again: z.literal(true).optional().describe('True if the cause is described above'),
    also: text.optional().describe('The other subject of this name, as an argument of why'),
    // Without the type, a compiler that meets the schema in another order takes it for any.
    get from(): z.ZodArray<typeof cause> {
      return list(cause)
    },
  })
  .describe('The causes of a value or a decision')
export const segment = z
  .object({
    number: z.number(),
    first: z.number(),
    last: z.number(),
    place: z.enum(['open', 'rows', 'packed', 'gone']).describe('gone: its records are only in an archive'),
    archive: text.optional().describe('The hash of that archive'),
  })
  .describe('Records of a run from one seal to the next')
export const packedSegments = z
  .object({ segments: z.number(), saved: z.number().describe('Bytes'), left: z.number() })
  .describe('Sealed segments that were compressed, and those that the next gc compresses')
export const compared = z.object({
  run: text,
  record: z.number().describe('The last record that is compared'),
  records: z.number(),
  status,
})
export const checked = z.object({
  run: text,
  program,
  outcome: z.enum(['equal', 'noted', 'breaks', 'unchanged', 'apart', 'unknown']),
  programs: list(text).describe('The programs that would change'),
  replay: replayed.optional(),
  error: fault.optional(),
})
export const refused = z.object({ file: text, error: fault }).describe('A file that cannot be checked')

export const finding = fault.extend({ severity })
