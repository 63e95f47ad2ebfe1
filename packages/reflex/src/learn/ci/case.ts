import { z } from 'zod'
import type { Fault, Json } from '../../kernel/index.ts'
import { checkSchema, type Locator, pathOnly, readJson } from '../../text/index.ts'
import { faults } from './faults.ts'

/** A JSON value, as the rest of Reflex types it. */
const VALUE = z.json() as unknown as z.ZodType<Json>
const VALUES = z.record(z.string(), VALUE)
const PATTERN = {
  argv: z.array(z.string()).exactOptional().describe('The program and its arguments; "*" is one of any value, at the end any number'),
  args: VALUES.exactOptional().describe('The arguments by name; "*" is any value'),
}
const CALL = z.strictObject({ tool: z.string().min(1), ...PATTERN })

const RECORDED_CALL = z.strictObject({
  tool: z.string().min(1).describe('The name of a tool, or kind:id of a program'),
  match: z.strictObject(PATTERN).default({}).describe('The arguments that it answers. Absent: all'),
  result: VALUE.default(null),
  error: z.string().exactOptional().describe('The call fails with this message'),
  retry: z.boolean().default(false).describe('true: the failure passes, so the call can be tried again'),
  hangs: z.boolean().default(false).describe('true: the call never ends'),
  latency_ms: z.number().int().min(0).max(3_600_000).default(0),
  cost_usd: z.number().min(0).default(0),
  times: z.number().int().min(1).exactOptional().describe('The number of calls that it answers. Absent: all'),
})

/** A unit case (reference skill 1.23). */
const UNIT_CASE = z.strictObject({
  $schema: z.string().exactOptional(),
  name: z.string().min(1).max(120),
  turn: z
    .strictObject({
      user: z.string().max(20_000).exactOptional().describe('The text of the user. Absent: a program calls, and nothing is scored'),
      goal_labels: z.array(z.string()).exactOptional(),
      blackboard: z
        .strictObject({ ctx: VALUES.default({}), env: VALUES.default({}), work: VALUES.default({}), policy: VALUES.default({}) })
        .prefault({}),
      principal: z
        .strictObject({ id: z.string().default('tester'), roles: z.array(z.string()).default([]) })
        .exactOptional()
        .describe('Absent: a principal with the roles of the manifest'),
      facts: VALUES.default({}).describe('Facts of the host. What compat asks for and is not here is as compat asks for it'),
      now: z.iso.datetime({ offset: true }).default('2026-01-01T00:00:00Z'),
    })
    .prefault({}),
  propose: z.strictObject({ inputs: VALUES.default({}) }).prefault({}),
  tools: z.array(RECORDED_CALL).max(200).default([]),
  functions: z
    .record(z.string(), VALUES)
    .default({})
    .describe('Answers of functions of the host: by name, then by the arguments as a JSON list, or "*"'),
  confirm: z.boolean().default(true).describe('false: an execution that has to be confirmed is not, and expects policy.confirmation'),
  parsers: VALUES.default({}).describe('The replies of parsers, by their names: an object of slots, or a text'),
  baseline_cost_usd: z.number().min(0).exactOptional().describe('The cost of the same task without the skill'),
  expect: z
    .strictObject({
      verdict: z.enum(['approved', 'denied', 'clarify']).exactOptional(),
      status: z.enum(['ok', 'noop', 'partial_failure', 'failed', 'denied', 'clarify']).exactOptional(),
      reason: z.string().exactOptional(),
      missing: z.array(z.string()).exactOptional(),
      calls: z.array(CALL).exactOptional().describe('All calls of steps, in their order'),
      outputs: VALUES.exactOptional().describe('Outputs by name; others may be there'),
      writes: VALUES.exactOptional().describe('What is written to the blackboard, by path; other paths may be written'),
      compensations: z.array(CALL).exactOptional().describe('All calls of undos, in their order'),
    })
    .refine((expect) => Object.keys(expect).length > 0, 'a case that expects nothing tests nothing'),
})

/** Returns the JSON Schema (draft-07) of unit cases, for editors. */
export function caseSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(UNIT_CASE, { target: 'draft-07', io: 'input' })
  return { $schema, $id: 'urn:reflex:skill-case', title: 'A unit case of a skill', ...rest }
}

export type UnitCase = z.output<typeof UNIT_CASE>
export type RecordedCall = z.output<typeof RECORDED_CALL>
export type ExpectedCall = z.output<typeof CALL>

/** Reads a unit case, in JSON with comments. Throws `R1495` with the place of the first mistake. */
export function readCase(text: string, file: string): UnitCase {
  const json = readJson(text, file)
  const syntax = json.findings.find(({ severity }) => severity === 'error')
  if (syntax !== undefined) throw unreadable(file, syntax)
  return decodeCase(json.value, file, (path, options) => json.details(path, options))
}

/** Reads a unit case that is a value. Throws `R1495`. */
export function decodeCase(value: unknown, file: string, locate: Locator = pathOnly): UnitCase {
  const [wrong] = checkSchema(UNIT_CASE, value, { locate })
  if (wrong !== undefined) throw unreadable(file, wrong)
  return UNIT_CASE.parse(value)
}

function unreadable(file: string, { message, path, line, column, frame, fix }: Fault): Fault {
  const place = { path, line, column, frame, fix }
  return faults.make('R1495', `${file}: ${message}`, { file, ...place })
}
