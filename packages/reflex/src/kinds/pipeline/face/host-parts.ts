import { isObject, type Json } from '../../../kernel/index.ts'
import { type HostPart, type HostParts, partsOf } from '../../../programs/host-parts.ts'
import { loadPipeline } from '../check/load.ts'
import { type Attributes, listOf, textOf } from '../dot/graph.ts'
import { HandlerRegistry } from '../engine/custom.ts'
import { ACTION_NAMES } from '../model/action-facts.ts'
import { plainAction } from '../model/action-names.ts'
import { itemsOf, type ResolvedNode } from '../model/capabilities.ts'
import type { OperationTable } from '../model/operation-table.ts'
import type { Resolution } from '../model/resolution.ts'
import type { TypedGraph, TypedNode } from '../model/typed.ts'
import { ActionRegistry } from '../operations/actions/registry.ts'
import { BUILT_IN_OPERATIONS, operationsOf } from '../operations/built-in.ts'
import { middlewareNames } from '../operations/make-engine.ts'
import type { PipelineOptions } from './host-options.ts'

const BUILT_IN_ACTIONS: ReadonlySet<string> = new Set(ACTION_NAMES)
const BUILT_IN_MIDDLEWARE: ReadonlySet<string> = new Set(middlewareNames())
/** Marks of a value that is known only when a node is executed. */
const TEMPLATE = /[${]/

/**
 * Returns the handlers, operations, actions, middleware and services of a host, and those that pipelines name. Services are named by no
 * node: a pipeline that was started with them needs them all.
 */
export function pipelineHostParts(options: PipelineOptions): HostParts {
  const { handlers = new HandlerRegistry(), operations = [], middleware = new Map() } = options
  const actions = new Set(new ActionRegistry(options.actions).names())
  const services = servicesIn(options)
  const isActionOfHost = (name: string): boolean => actions.has(name) || !BUILT_IN_ACTIONS.has(name)
  return {
    given: () => [
      ...partsOf('node', handlers.facts().keys()),
      ...partsOf(
        'node',
        operations.flatMap(({ name, types = [] }) => [name, ...types]),
      ),
      ...partsOf('action', actions),
      ...partsOf('middleware', middleware.keys()),
      ...partsOf('service', services),
    ],
    named(source) {
      const table = operationsOf({ operations, custom: handlers.facts(), hostActions: actions })
      const typed = compiled(source, table)
      if (typed === undefined) return []
      const nodes = [...typed.nodes.values()]
      return [
        ...nodes.flatMap((node) => typesOf(node, table, new Set(operations.map(({ name }) => name)))),
        ...partsOf('action', nodes.flatMap(actionOf).filter(isActionOfHost)),
        ...partsOf('middleware', [typed.graph.attributes, ...nodes.map(({ node }) => node.attributes)].flatMap(requestedMiddleware)),
        ...partsOf('service', services),
      ]
    },
  }
}

/** A text from a context may have errors that its node reports: its parts stay unknown. */
function compiled(source: Json, table: OperationTable): TypedGraph | undefined {
  try {
    // A type that is unknown here is an error of an untrusted text, and must be named all the same.
    const { author: _, ...text } = isObject(source) ? source : {}
    return loadPipeline(text, table)
  } catch {
    return undefined
  }
}

function typesOf(typed: TypedNode, table: OperationTable, own: ReadonlySet<string>): readonly HostPart[] {
  const { node, ...resolved } = typed
  const whole: ResolvedNode = { ...resolved, attributes: node.attributes }
  return partsOf(
    'node',
    [whole, ...itemsOf(whole, table)].flatMap((one) => typeOf(one, own) ?? []),
  )
}

/** Returns the type of a node that a host has to give; undefined for one that every host has. */
function typeOf({ custom, rawType, facts, ...rest }: ResolvedNode & Partial<Resolution>, own: ReadonlySet<string>): string | undefined {
  const written = custom ?? rest.unknown
  if (written !== undefined) return written
  if (own.has(facts.name)) return facts.name
  return BUILT_IN_OPERATIONS.types.get(rawType) === undefined ? rawType : undefined
}

function actionOf({ facts, node }: TypedNode): readonly string[] {
  const name = facts.name === 'action' ? textOf(node.attributes, 'action')?.trim() : undefined
  return name === undefined || name === '' || TEMPLATE.test(name) ? [] : [plainAction(name)]
}

function requestedMiddleware(attributes: Attributes): readonly string[] {
  return listOf(attributes, 'middleware').filter((name) => !BUILT_IN_MIDDLEWARE.has(name))
}

function servicesIn({ services = {}, hooks, toolHooks, summarise }: PipelineOptions): readonly string[] {
  const { eval: subjects = {}, ...others } = services
  const given = { ...others, hooks, toolHooks, summarise }
  return [
    ...Object.entries(given).flatMap(([name, service]) => (service === undefined ? [] : [name])),
    ...Object.keys(subjects).map((name) => `eval.${name}`),
  ]
}
