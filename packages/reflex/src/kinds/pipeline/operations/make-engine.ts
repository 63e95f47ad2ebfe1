import type { JsonObject } from '../../../kernel/journal/json.ts'
import { compile } from '../model/compile.ts'
import type { OperationFacts } from '../model/operation-facts.ts'
import type { OperationTable } from '../model/operation-table.ts'
import type { TypedGraph, TypedNode } from '../model/typed.ts'
import { type Attribute, type DotGraph, type DotNode, isOn, listOf } from '../dot/graph.ts'
import { customHandler } from './custom.ts'
import type { Operation } from '../contract/define-operation.ts'
import { BUILT_IN_OPERATIONS } from './built-in.ts'
import { graphHook, hasHook, runHook, stageHooks } from './commands/hooks.ts'
import { chainMember, type HostMiddleware, withAsynchronous } from '../engine/asynchronous.ts'
import type { Middleware } from '../engine/middleware.ts'
import { MANDATORY } from '../engine/mandatory.ts'
import { secretScan } from '../engine/sanitization.ts'
import { pipelineFaults } from '../contract/faults.ts'
import type { BranchSpec, Permissions, Handler } from '../contract/handler.ts'
import type { MiddlewareChain, Engine } from '../engine/engine.ts'
import { refusal, success } from '../contract/outcome.ts'

/** What a host adds to the engine. */
export interface EngineParts {
  /** The operations that nodes can have, and the handlers of the host; those of Reflex unless said. */
  readonly operations?: OperationTable | undefined
  /** Middleware beside the mandatory seven, by name; a graph or a node asks for it. */
  readonly middleware?: ReadonlyMap<string, HostMiddleware> | undefined
  /** Middleware around every node of every pipeline, after the mandatory seven. */
  readonly always?: readonly HostMiddleware[] | undefined
}

/** Members that no author may leave out, however trusted (reference pipeline 5.6). */
const UNSKIPPABLE: ReadonlySet<string> = new Set(['capability_check', 'checkpoint'])
/** Members that a text can ask for by name, whatever the host has. */
const BUILT_IN: ReadonlyMap<string, Middleware> = new Map([...MANDATORY, secretScan].map((member) => [member.name, member]))
/** Names that `middleware` of a graph or of a node can have, those of the host included. */
export function middlewareNames({
  middleware = new Map(),
  always = [],
}: Pick<EngineParts, 'middleware' | 'always'> = {}): readonly string[] {
  return [...new Set([...BUILT_IN.keys(), ...middleware.keys(), ...always.map(({ name }) => name)])]
}

/** Trust that lets an author leave middleware out. */
const TRUSTED: ReadonlySet<string> = new Set(['trusted', 'veteran', 'autonomous'])

/** Joins the handlers and the middleware to what the walk asks for. */
export function createEngine({ operations = BUILT_IN_OPERATIONS, ...host }: EngineParts = {}): Engine {
  const middleware = new Map([...(host.middleware ?? [])].map(([name, member]) => [name, chainMember(member)]))
  const always = (host.always ?? []).map(chainMember)
  const chains = new WeakMap<TypedNode, { readonly by: string; readonly chain: MiddlewareChain }>()
  const items = new Map<string, TypedNode>()
  const engine: Engine = {
    handler: (node) => withAsynchronous(handlerOf(node), (context) => engine.chain(node, context.typed, context.permissions).members),
    chain(node, typed, charter) {
      const known = chains.get(node)
      const key = `${charter.trust} ${charter.mayDisable === true}`
      if (known?.by === key) return known.chain
      const chain = chainOf(node, typed, charter, middleware, always)
      chains.set(node, { by: key, chain })
      return chain
    },
    itemNode: (item) => itemNode(item, operations, items),
    isWaiting: ({ facts }) => facts.patient === true,
    hasHook,
    hook: stageHooks,
    hasClosingHook: (typed, permissions) => graphHook({ typed, permissions }, 'post') !== undefined,
    *closing(context) {
      yield* runHook(context, 'graph', 'post', graphHook(context, 'post') ?? '')
      return success()
    },
    failed: (reason, node, name) => pipelineFaults.make('R2201', `${name}: ${reason}`, { path: node }),
  }
  return engine
}

function handlerOf({ id, custom, operation, facts, rawType }: TypedNode): Handler {
  if (custom !== undefined) return customHandler(custom)
  return isOperation(facts) ? facts.run : () => refusal(`${id}: nothing performs ${operation} (type ${rawType})`)
}

/** True if the facts are those of an operation: of an unknown one, there is no function. */
function isOperation(facts: OperationFacts): facts is Operation {
  return 'run' in facts
}

/**
 * The members around a node: the seven, the host's, those that the graph and the node ask for. What a text says against
 * them counts only where the operator trusts its author, never for the first and the checkpoint, and never for all of
 * them at once, unless he allows that too (reference pipeline 5.6).
 */
function chainOf(
  node: TypedNode,
  { graph }: TypedGraph,
  { trust, mayDisable = false }: Permissions,
  known: ReadonlyMap<string, Middleware>,
  always: readonly Middleware[],
): MiddlewareChain {
  const trusted = TRUSTED.has(trust)
  const off = graph.attributes.has('mandatory_middleware') && !isOn(graph.attributes, 'mandatory_middleware')
  const isOff = off && trusted && mayDisable
  const names = [...listOf(graph.attributes, 'middleware'), ...listOf(node.node.attributes, 'middleware')]
  const requested = names.map((name) => BUILT_IN.get(name) ?? known.get(name) ?? unknownMember(name))
  const all = withoutDuplicates([...(isOff ? [] : MANDATORY), ...always, ...requested])
  const requestedSkips = [...new Set(listOf(node.node.attributes, 'skip_middleware'))]
  const maySkip = (name: string): boolean => trusted && (mayDisable || !UNSKIPPABLE.has(name)) && all.some((member) => member.name === name)
  const skipped = requestedSkips.filter(maySkip)
  return {
    members: all.filter(({ name }) => !skipped.includes(name)),
    skipped: isOff
      ? [...MANDATORY.map(({ name }) => name).filter((name) => !all.some((member) => member.name === name)), ...skipped]
      : skipped,
    refused: [
      ...(off && !isOff && node.canonical === 'start' ? ['mandatory_middleware'] : []),
      ...requestedSkips.filter((name) => !maySkip(name)),
    ],
  }
}

function withoutDuplicates(members: readonly Middleware[]): readonly Middleware[] {
  return members.filter((member, i) => members.findIndex(({ name }) => name === member.name) === i)
}

/** A name that nothing has: a slip here must not leave a node without protection. */
function unknownMember(name: string): Middleware {
  return { name, before: () => ({ halt: `there is no middleware ${JSON.stringify(name)}` }) }
}

/** Nodes of items that are kept: the items of one map differ in little. */
const MOST_ITEMS = 1_000
const NO_GRAPH: DotGraph = { id: 'items', attributes: new Map(), nodes: new Map(), edges: [], subgraphs: [] }

/** The node of an item: resolved like any other, so that the chain judges what really runs. */
function itemNode(item: NonNullable<BranchSpec['item']>, operations: OperationTable, cache: Map<string, TypedNode>): TypedNode {
  const key = JSON.stringify([item.type, item.attributes, item.id])
  const known = cache.get(key)
  if (known !== undefined) return known
  const node: DotNode = { id: item.id, attributes: attributesOf(item.type, item.attributes), classes: [] }
  const typed = compile({ ...NO_GRAPH, nodes: new Map([[item.id, node]]) }, { operations }).nodes.get(item.id)
  if (typed === undefined) throw new TypeError(`${item.id} is no node`)
  if (cache.size >= MOST_ITEMS) cache.clear()
  cache.set(key, typed)
  return typed
}

function attributesOf(type: string, attributes: JsonObject): ReadonlyMap<string, Attribute> {
  const entries = Object.entries({ ...attributes, type }).map(([key, value]): [string, Attribute] => {
    const plain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : JSON.stringify(value)
    return [key, { value: plain, provenance: 'own' }]
  })
  return new Map(entries)
}
