import { type Fault, isObject } from '../../../kernel/index.ts'
import { quote, type Path } from '../../../text/index.ts'
import { faults } from '../model/faults.ts'
import type { PlacedEdge, Subject } from './subject.ts'
import type { Node } from '../types/index.ts'

/**
 * Returns the findings about parts of nodes and edges that lack required fields, in a program without types: calls (seed
 * workflow 2.4, 2.5), ids and events of edges (2.6), keys of guards (2.8). In files, the schema finds these mistakes.
 */
export function partFindings(subject: Subject): Fault[] {
  return [...subject.nodes.flatMap((node) => callFindings(node, subject)), ...subject.edges.flatMap((edge) => edgeFindings(edge, subject))]
}

function callFindings([key, { invokes }]: readonly [key: string, node: Node], subject: Subject): Fault[] {
  if (invokes === undefined) return []
  const path: Path = ['nodes', key, 'invokes']
  const call: unknown = invokes
  if (!isObject(call) || typeof call.workflowId !== 'string')
    return [shapeFault(subject, `the call of node ${quote(key)} names no workflow`, path, 'write { "workflowId", "returnMap" }')]
  const { returnMap, inputMap } = call
  return [
    ...(isMapping(returnMap, 'parentKey', 'childKey')
      ? []
      : [
          shapeFault(
            subject,
            `the call of node ${quote(key)} has no return map`,
            path,
            'write a list of { "parentKey", "childKey" }, or []',
          ),
        ]),
    ...(inputMap === undefined || isMapping(inputMap, 'from', 'to')
      ? []
      : [shapeFault(subject, `the input map of node ${quote(key)} is not a list of pairs`, path, 'write a list of { "from", "to" }')]),
  ]
}

function edgeFindings({ edge, index }: PlacedEdge, subject: Subject): Fault[] {
  const path: Path = ['edges', index]
  const { id, event, guard } = edge as { readonly id?: unknown; readonly event?: unknown; readonly guard?: unknown }
  return [
    ...(typeof id === 'string' ? [] : [shapeFault(subject, `edges[${index}] has no id`, path, 'write a text as "id"')]),
    ...(typeof event === 'string' ? [] : [shapeFault(subject, `edges[${index}] has no event`, path, 'write a text as "event"')]),
    ...(isObject(guard) && KEYED_GUARDS.has(guard.type) && typeof guard.key !== 'string'
      ? [shapeFault(subject, `the guard of edges[${index}] has no key`, [...path, 'guard'], 'write the key of the board as "key"')]
      : []),
  ]
}

const KEYED_GUARDS: ReadonlySet<unknown> = new Set(['exists', 'not-exists', 'equals', 'not-equals'])

function shapeFault({ locate }: Subject, message: string, path: Path, fix: string): Fault {
  return faults.make('R1058', message, { rule: 'SCHEMA_VIOLATION', ...locate(path), fix })
}

function isMapping(value: unknown, ...fields: readonly string[]): boolean {
  return Array.isArray(value) && value.every((pair) => isObject(pair) && fields.every((field) => typeof pair[field] === 'string'))
}
