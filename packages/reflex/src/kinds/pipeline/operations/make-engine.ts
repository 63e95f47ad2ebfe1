import type { JsonObject } from '../../../kernel/index.ts'
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

/** The extensions of a host for the engine. */
export interface EngineParts {
  /** The operations of nodes and the handlers of the host. Default: the built-in operations. */
  readonly operations?: OperationTable | undefined
  /** Middleware by name, in addition to the mandatory seven. Graphs and nodes request it. */
  readonly middleware?: ReadonlyMap<string, HostMiddleware> | undefined
  /** Middleware around every node of every pipeline, after the mandatory seven. */
  readonly always?: readonly HostMiddleware[] | undefined
}

/** Middleware that no author can skip, at any trust level (reference pipeline 5.6). */
const UNSKIPPABLE: ReadonlySet<string> = new Set(['capability_check', 'checkpoint'])
/** Middleware that a text can request by name on every host. */
const BUILT_IN: ReadonlyMap<string, Middleware> = new Map([...MANDATORY, secretScan].map((member) => [member.name, member]))
/** Returns the names that `middleware` of a graph or node can have, including those of the host. */
export function middlewareNames({
  middleware = new Map(),
  always = [],
}: Pick<EngineParts, 'middleware' | 'always'> = {}): readonly string[] {
  return [...new Set([...BUILT_IN.keys(), ...middleware.keys(), ...always.map(({ name }) => name)])]
}

/** Trust levels at which an author can skip middleware. */
const TRUSTED: ReadonlySet<string> = new Set(['trusted', 'veteran', 'autonomous'])

/** The chain of a node, and what it depends on beside the node. */
interface KnownChain {
  readonly trust: string
  readonly mayDisable: boolean
  readonly chain: MiddlewareChain
}

/** Builds the engine from handlers and middleware. */
export function createEngine({ operations = BUILT_IN_OPERATIONS, ...host }: EngineParts = {}): Engine {
  const middleware = new Map([...(host.middleware ?? [])].map(([name, member]) => [name, chainMember(member)]))
  const always = (host.always ?? []).map(chainMember)
  const chains = new WeakMap<TypedNode, KnownChain>()
  const handlers = new WeakMap<TypedNode, Handler>()
  const items = new Map<string, TypedNode>()
  const engine: Engine = {
    handler(node) {
      const known = handlers.get(node)
      if (known !== undefined) return known
      const made = withAsynchronous(handlerOf(node), ({ typed, permissions }) => engine.chain(node, typed, permissions).asynchronous)
      handlers.set(node, made)
      return made
    },
    chain(node, typed, permissions) {
      const { trust, mayDisable = false } = permissions
      const known = chains.get(node)
      if (known?.trust === trust && known.mayDisable === mayDisable) return known.chain
      const chain = chainOf(node, typed, permissions, middleware, always)
      chains.set(node, { trust, mayDisable, chain })
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
  return isOperation(facts) ? facts.run : () => refusal(`${id}: no handler performs ${operation} (type ${rawType})`)
}

/** True if the facts belong to an operation with a function; an unknown operation has none. */
function isOperation(facts: OperationFacts): facts is Operation {
  return 'run' in facts
}

/**
 * Returns the middleware of a node: the mandatory seven, that of the host, and that which the graph and the node request. A
 * text can skip members only if the operator trusts its author, and never the capability check and the checkpoint. It can skip
 * the whole chain only if the operator also allows that (reference pipeline 5.6).
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
  const members = all.filter(({ name }) => !skipped.includes(name))
  return {
    members,
    asynchronous: members.filter(({ awaits }) => awaits !== undefined),
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

/** Returns a member that fails the node: a misspelt name must not leave a node without protection. */
function unknownMember(name: string): Middleware {
  return { name, before: () => ({ halt: `there is no middleware ${JSON.stringify(name)}` }) }
}

/** The limit of cached item nodes: the items of a map differ little. */
const MOST_ITEMS = 1_000
const NO_GRAPH: DotGraph = { id: 'items', attributes: new Map(), nodes: new Map(), edges: [], subgraphs: [] }

/** Returns the compiled node of an item, so that the middleware checks the node that really runs. */
function itemNode(item: NonNullable<BranchSpec['item']>, operations: OperationTable, cache: Map<string, TypedNode>): TypedNode {
  const key = JSON.stringify([item.type, item.attributes, item.id])
  const known = cache.get(key)
  if (known !== undefined) return known
  const node: DotNode = { id: item.id, attributes: attributesOf(item.type, item.attributes), classes: [] }
  const typed = compile({ ...NO_GRAPH, nodes: new Map([[item.id, node]]) }, { operations }).nodes.get(item.id)
  if (typed === undefined) throw new TypeError(`${item.id} is not a node`)
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
