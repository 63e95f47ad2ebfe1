import { z } from 'zod'

/** What the documents of output-schema.ts are made of. */
export const v = z.literal(1)
export const text = z.string()
export const time = z.iso.datetime().describe('UTC, ISO 8601')
export const anyJson = z.unknown().describe('Any JSON')
export const list = <Item extends z.ZodType>(item: Item): z.ZodArray<Item> => z.array(item)

/** `info` is worth knowing and asks for nothing. */
export const severity = z.enum(['error', 'warning', 'info'])
export const verdict = z.enum(['retry', 'fail', 'wait', 'bug']).describe('Who may act on it')
export const fault = z
  .object({
    code: text.describe('R####; reflex explain CODE tells more'),
    rule: text.optional().describe('The code of the seed'),
    message: text,
    verdict,
    severity: severity.optional(),
    file: text.optional(),
    line: z.number().optional(),
    column: z.number().optional(),
    length: z.number().optional().describe('How many characters from the column on are meant'),
    frame: text.optional().describe('The lines of the source around the place'),
    path: text.optional().describe('Where in the program'),
    run: text.optional(),
    fix: text.optional().describe('What to do about it'),
    cause: anyJson.optional().describe('The failure behind it, or its message'),
    data: anyJson.optional(),
  })
  .describe('What went wrong, where, and what to do')

export const program = z.object({ name: text, kind: text, hash: text })
export const status = z.enum(['running', 'suspended', 'completed', 'failed', 'cancelled'])

export const question = z.object({
  id: text.describe('Its address: RUN/q1'),
  run: text,
  name: text,
  path: text,
  text,
  options: list(
    z.object({
      value: text,
      label: text.optional(),
      detail: text.optional(),
      key: text.optional().describe('Chooses it as well'),
      also: list(text).optional().describe('Other names that choose it'),
    }),
  ).optional(),
  schema: anyJson.optional().describe('JSON Schema of the answer'),
  since: time,
  due: time.optional(),
  otherwise: anyJson.optional().describe('The answer that counts when none comes in time'),
  about: anyJson.optional().describe('What the one who answers should see'),
  error: fault.optional().describe('The failure that asks whether to try again'),
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
      question: text.optional(),
    }),
  ),
  cost: z.number().optional().describe('US dollars; absent where no effect has stated a usage'),
  tokens: z.number().optional(),
  unpriced: z.number().optional().describe('The tokens that have no price'),
  process: z.object({ pid: z.number(), host: text }).optional().describe('Who holds it'),
  value: anyJson.optional(),
  error: anyJson.optional(),
})

export const answered = z.object({ question: text, value: anyJson, by: text })

export const line = z.object({
  record: z.number(),
  time,
  path: text.describe('Where the frame stands'),
  place: text.describe('The path of the node'),
  branch: text.optional().describe('The branch, where it is one of several beside each other'),
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
  changes: list(text).optional().describe('What the run has made of the program that it began with: +node, -from->to'),
  nodes: list(
    z.object({
      id: text,
      label: text.optional(),
      form: z.enum(['step', 'choice', 'question', 'call']),
      entry: z.literal(true).optional(),
      end: z.literal(true).optional(),
      calls: text.optional(),
      about: text.optional(),
      deed: text.optional().describe('What is done here, in a word'),
      still: z.literal(true).optional().describe('Nothing is done here'),
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
      why: text.optional().describe('Why it was closed'),
    }),
  ),
})

const side = z.object({ says: text, open: list(text).optional() })
const differingPart = z.object({ part: text, recorded: anyJson.optional(), decided: anyJson.optional() })
export const replayed = z.object({
  run: text,
  result: z.enum(['equal', 'noted', 'differs']).describe('noted: decided the same, and some records note something else'),
  records: z.number(),
  equal: z.number().describe('How many records from the first on'),
  noted: z.number(),
  decisions: z.number(),
  effects: z.literal(0).describe('A replay performs nothing'),
  snapshots: z.number(),
  difference: z
    .object({
      record: z.number(),
      path: text.optional(),
      at: text.describe('Where in the first of the parts; empty: all of it'),
      recorded: side,
      decided: side,
      parts: list(differingPart),
    })
    .optional(),
  error: fault.optional(),
})
export const cause = z
  .object({
    what: z.enum(['value', 'decision', 'record', 'effect', 'answer', 'start', 'set', 'call']),
    name: text.describe('A key, the path of a node, or what it is of'),
    record: z.number().describe('In which it came about'),
    text: text.optional(),
    value: anyJson.optional(),
    by: text.optional(),
    because: text.optional(),
    failed: z.literal(true).optional(),
    open: list(text).optional().describe('What else could have been chosen'),
    closed: list(z.object({ way: text, why: text })).optional(),
    again: z.literal(true).optional().describe('Told above'),
    also: text.optional().describe('What else has this name, as it is asked for'),
    get from() {
      return list(cause)
    },
  })
  .describe('Why something is as it is')
export const compared = z.object({ run: text, record: z.number().describe('As far as it is compared'), records: z.number(), status })
export const checked = z.object({
  run: text,
  program,
  outcome: z.enum(['equal', 'noted', 'breaks', 'unchanged', 'apart', 'unknown']),
  programs: list(text).describe('The programs that would change'),
  replay: replayed.optional(),
  error: fault.optional(),
})
export const refused = z.object({ file: text, error: fault }).describe('A file that cannot be tried')

export const finding = fault.extend({ severity })
