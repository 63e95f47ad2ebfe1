/** Which values that a generated program names its board refuses, by the few schemas that such programs have. */
import type { Json } from '../../packages/reflex/src/kernel/index.ts'
import type { Workflow } from '../../packages/reflex/src/kinds/workflow/types/index.ts'
import type { MadeProgram } from './generate.ts'
import { DOMAINS, SCHEMAS } from './maker.ts'

/** The facts of guards of the root that compare a key with what it can never hold. */
export function refusedComparisons({ workflows: [root] }: MadeProgram): string[] {
  if (root === undefined) return []
  return root.edges.flatMap(({ from, guard }) =>
    guard !== undefined && 'value' in guard && refuses(root, guard.key, guard.value as Json) ? [`refused ${from} ${guard.key}`] : [],
  )
}

/** The facts of nodes of the root that write what their board refuses. */
export function refusedWrites({ workflows: [root] }: MadeProgram): string[] {
  if (root === undefined) return []
  return Object.values(root.nodes).flatMap(({ id, spec }) =>
    literals(spec).flatMap(([key, value]) => (refuses(root, key, value) ? [`refused ${id} ${key}`] : [])),
  )
}

function refuses({ board }: Workflow, key: string, value: Json): boolean {
  const schema = board?.[key]
  if (schema === undefined) return false
  if (schema === SCHEMAS[key] || JSON.stringify(schema) === JSON.stringify(SCHEMAS[key])) {
    if (DOMAINS[key] !== undefined) return !DOMAINS[key].includes(value)
    return key === 'amount' ? typeof value !== 'number' : typeof value !== 'string'
  }
  if ('const' in schema) return schema.const !== value
  return 'type' in schema && schema.type === 'array' && !Array.isArray(value)
}

/** What a spec writes as it stands there: by name, by rule, and by the options of a person. */
function literals(spec: object): [string, Json][] {
  const {
    writes,
    rules = [],
    options = [],
  } = spec as {
    readonly writes?: string | Readonly<Record<string, Json>>
    readonly rules?: readonly { readonly writes?: Readonly<Record<string, Json>> }[]
    readonly options?: readonly Json[]
  }
  const answers =
    typeof writes === 'string' ? options.flatMap((option): [string, Json][] => (typeof option === 'string' ? [[writes, option]] : [])) : []
  const named = [typeof writes === 'string' ? {} : (writes ?? {}), ...rules.map((rule) => rule.writes ?? {})]
  const plain = named
    .flatMap((values) => Object.entries(values))
    .filter(([, value]) => typeof value !== 'object' && !String(value).includes('{{'))
  return [...answers, ...plain]
}
