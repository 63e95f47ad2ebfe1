import { z } from 'zod'
import { keyInOptionsFault, findKey } from '../models/index.ts'
import { schemaProblem } from '../people/index.ts'
import { readDuration } from './duration.ts'
import { patternProblem } from './patterns.ts'
import { templateProblem } from './template.ts'

const path = z.string().min(1).describe('A board key, or a path into its value: `commits.0.subject`')
const key = z.string().min(1).describe('A board key to write')
const value = z.json().describe('A value, `{"from": "path", "else": value}`, `{"literal": value}`, or text with {{…}}')
const template = z.string().check((input) => {
  const problem = templateProblem(input.value)
  if (problem !== undefined) input.issues.push({ code: 'custom', message: problem, input: input.value })
})
/** A template in one piece or as a list of lines. */
const text = z.union([z.string(), z.array(z.string())]).check((input) => {
  const problem = templateProblem(joinLines(input.value))
  if (problem !== undefined) input.issues.push({ code: 'custom', message: problem, input: input.value })
})
const edge = z.string().min(1).describe('The id or event of an edge, or the node that it leads to')
const flags = z.string().regex(/^[imsu]*$/, 'flags must be i, m, s or u')
const pattern = { match: z.string().min(1).max(500), flags: flags.optional() }

function checkPattern(input: z.core.ParsePayload<{ match: string; flags?: string | undefined }>): void {
  const problem = patternProblem(input.value.match, input.value.flags)
  if (problem !== undefined) input.issues.push({ code: 'custom', message: problem, input: input.value, path: ['match'] })
}

const condition = z.discriminatedUnion('type', [
  z.strictObject({ type: z.enum(['exists', 'not-exists']), key: path }),
  z.strictObject({ type: z.enum(['equals', 'not-equals']), key: path, value }),
  z.strictObject({ type: z.enum(['above', 'below']), key: path, value: z.number() }),
])

const classify = z.strictObject({
  from: path,
  by: z.union([z.string(), z.array(z.string())]).optional(),
  into: key,
  rules: z
    .array(z.strictObject({ ...pattern, class: z.string().min(1) }).check(checkPattern))
    .min(1)
    .max(100),
  otherwise: z.string().min(1).default('other'),
  keep: z.array(z.string()).optional(),
})

const extract = z
  .strictObject({
    from: path,
    by: z.string().optional(),
    into: key,
    ...pattern,
    first: z.boolean().default(false),
    without: path.optional(),
  })
  .check(checkPattern)

const rule = z.strictObject({
  when: z.union([z.array(condition), condition]).optional(),
  go: edge.optional(),
  because: template.optional(),
  writes: z.record(z.string(), value).optional(),
})

/** The fields of every spec: actions that compute values, and rules that choose. */
const sharedFields = {
  agent: z.string().min(1).optional(),
  classify: z.union([z.array(classify), classify]).optional(),
  extract: z.union([z.array(extract), extract]).optional(),
  pick: z.record(z.string(), z.array(value).min(1)).optional(),
  template: z.record(z.string(), text).optional(),
  rules: z.array(rule).min(1).optional(),
  go: edge.optional(),
  because: template.optional(),
}

/** The spec of a node that rules decide. */
export const rulesSpec = z.strictObject({ ...sharedFields, writes: z.record(z.string(), value).optional() })

/** The spec of a node that calls a tool. */
export const toolSpec = z.strictObject({
  ...sharedFields,
  tool: z.string().min(1),
  args: z.record(z.string(), value).optional(),
  writes: z.union([key, z.record(z.string(), z.string())]).optional(),
})

const duration = z.union([z.string(), z.number()]).check((input) => {
  if (readDuration(input.value) === undefined)
    input.issues.push({ code: 'custom', message: 'write a number and a unit: 500ms, 90s, 15m, 8h, 3d', input: input.value })
})

const option = z
  .strictObject({
    value: z.string().min(1).optional(),
    event: edge.optional(),
    label: template.optional(),
    detail: template.optional(),
    writes: z.record(z.string(), value).optional(),
  })
  .refine((given) => given.value !== undefined || given.event !== undefined, 'an option needs a "value" or an "event"')

/** The spec of a node that asks a person. */
export const personSpec = z.strictObject({
  agent: z.string().min(1).optional(),
  ask: text,
  options: z
    .array(z.union([z.string().min(1), option]))
    .min(1)
    .optional(),
  schema: z
    .record(z.string(), z.json())
    .check((input) => {
      const problem = schemaProblem(input.value)
      if (problem !== undefined) input.issues.push({ code: 'custom', message: problem, input: input.value })
    })
    .optional(),
  due: duration.optional(),
  otherwise: z.json().optional(),
  writes: key.optional(),
  show: z.array(path).optional(),
})

const providerOptions = z.record(z.string().min(1), z.record(z.string(), z.json())).check((input) => {
  const found = findKey(input.value)
  if (found !== undefined) input.issues.push({ code: 'custom', message: keyInOptionsFault(found).message, input: input.value })
})

/** The spec of a node that a model decides. */
export const modelSpec = z.strictObject({
  agent: z.string().min(1).optional(),
  prompt: text,
  system: text.optional(),
  model: z.string().min(1).optional(),
  fallback: z.array(z.string().min(1)).optional(),
  show: z.array(path).optional(),
  budget: z.number().int().min(0).max(1_000_000).default(8000),
  writes: z
    .union([
      key,
      z.record(
        z.string(),
        z.record(z.string(), z.json()).check((input) => {
          const problem = schemaProblem(input.value)
          if (problem !== undefined) input.issues.push({ code: 'custom', message: problem, input: input.value })
        }),
      ),
    ])
    .optional(),
  temperature: z.number().min(0).max(2).optional(),
  maxTokens: z.number().int().positive().optional(),
  effort: z.enum(['none', 'minimal', 'low', 'medium', 'high']).optional(),
  timeout: duration.optional(),
  tryTimeout: duration.optional(),
  retries: z.number().int().min(0).max(10).optional(),
  attach: z.union([z.array(value).min(1).max(20), value]).optional(),
  providerOptions: providerOptions.optional(),
  cache: z.enum(['system', 'prompt']).optional(),
  tools: z.array(z.string().min(1)).min(1).optional(),
  toolChoice: z.union([z.enum(['auto', 'required', 'none']), z.strictObject({ tool: z.string().min(1) })]).optional(),
  maxTurns: z.number().int().min(1).max(200).optional(),
})

export type Condition = z.output<typeof condition>
export type Classify = z.output<typeof classify>
export type Extract = z.output<typeof extract>
export type Rule = z.output<typeof rule>
export type RulesSpec = z.output<typeof rulesSpec>
export type ToolSpec = z.output<typeof toolSpec>
export type PersonSpec = z.output<typeof personSpec>
export type ModelSpec = z.output<typeof modelSpec>
export type PersonOption = z.output<typeof option>

/** Returns several lines as one text. */
export function joinLines(lines: string | readonly string[]): string {
  return typeof lines === 'string' ? lines : lines.join('\n')
}

/** Returns one item or several as a list. */
export function listOf<Item>(items: Item | readonly Item[] | undefined): readonly Item[] {
  if (items === undefined) return []
  return Array.isArray(items) ? (items as readonly Item[]) : [items as Item]
}
