import type { z } from 'zod'
import { faultData } from '../kernel/index.ts'
import { checkSchema, suggest } from '../text/index.ts'
import type { Node, NodeSpec } from '../kinds/workflow/index.ts'
import { faults } from './faults.ts'
import { modelSpec, personSpec, rulesSpec, toolSpec } from './spec.ts'

/** Returns the spec of a node as an agent reads it. Throws `R2100`, with the first mistake as its cause. */
export function readSpec<Schema extends z.ZodType>(schema: Schema, node: Node): z.output<Schema> {
  const result = schema.safeParse(node.spec)
  if (result.success) return result.data
  const [first] = checkSchema(schema, node.spec)
  throw faults.make('R2100', `the spec of ${node.id}: ${first?.message ?? result.error.message}`, {
    path: first?.path === undefined ? node.id : `${node.id}.spec.${first.path}`,
    fix: first?.fix,
    ...(first === undefined ? {} : { cause: faultData(first) }),
  })
}

/** The attributes that the built-in agents read in a spec. */
export const SPEC_ATTRIBUTES: readonly string[] = [
  ...new Set([rulesSpec, toolSpec, personSpec, modelSpec].flatMap((schema) => Object.keys(schema.shape))),
]

/**
 * True if a spec is written for another agent: it has no attribute of a built-in agent and none that looks like a misspelt one.
 * A spec is opaque to Reflex (seed workflow 2.3), so such a spec is not a mistake.
 */
export function isForeign(spec: NodeSpec): boolean {
  return Object.keys(spec).every(
    (key) => key === 'agent' || (!SPEC_ATTRIBUTES.includes(key) && suggest(key, SPEC_ATTRIBUTES) === undefined),
  )
}
