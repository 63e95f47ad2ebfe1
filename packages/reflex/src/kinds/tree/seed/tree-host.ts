import type { Json, JsonObject } from '../../../kernel/index.ts'
import { loadError } from '../board/errors.ts'
import type { SchemaRegistry, TreeSchema } from '../board/schema.ts'
import type { TypedBlackboard } from '../board/typed-blackboard.ts'
import { type CompileOptions, compileTree } from '../compile/compile.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import type { Substitutes } from '../compile/substitutes.ts'
import { withFunctionContracts } from '../compile/function-contracts.ts'
import { readBuilt } from '../formats/builders.ts'
import { readTreeData } from '../formats/json.ts'
import type { NormalisedTree } from '../formats/normalise.ts'
import { RawTree } from '../formats/raw.ts'
import type { NodeManifest } from '../manifest/manifest.ts'
import type { TreeSource } from '../model/source.ts'
import { NODES } from '../nodes/table.ts'
import type { FunctionRegistry } from '../tick/function-port.ts'
import type { BehaviorNode } from './behavior-node.ts'
import type { EventBus } from './event-bus.ts'
import type { GlobalWriter } from './memory-effects.ts'
import type { FindTree } from './memory-programs.ts'
import type { TreeClock } from './memory-run.ts'
import type { WithContext } from './node-manifest.ts'
import type { Services } from './services.ts'
import { readForm, type TreeForm } from './tree-form.ts'
import type { Visits } from './visits.ts'

/** What a tree in memory gets from its host. */
export interface TreeHost {
  /** The functions that `fn` of actions and conditions names. */
  readonly functions?: FunctionRegistry
  /** What asks models and calls tools, and what the host's own nodes read as `ctx.services`. */
  readonly services?: Services
  /** Types of nodes in addition to the catalogue. */
  readonly nodes?: readonly NodeManifest[]
  /** Schemas that blackboards may name. */
  readonly schemas?: SchemaRegistry
  /** Default: the clock of the system. */
  readonly clock?: TreeClock
  /** Where events are published. Absent: nowhere. */
  readonly events?: EventBus
  /** Finds the trees of references. */
  readonly find?: FindTree
  /** What stands in place of nodes, in a test: by the path of a node, or a pattern with `*`. */
  readonly substitute?: Substitutes
  /** The blackboard of the tree. Absent: one below `globals`. */
  readonly blackboard?: TypedBlackboard
  /** The blackboard that all trees share. */
  readonly globals?: TypedBlackboard
  /** Stores what is written for all trees. Absent: it stands on `globals` only. */
  readonly writeGlobals?: GlobalWriter
}

/** Returns the types of nodes and the schemas of a host. */
export function compileOptions({ nodes = [], schemas }: TreeHost, own: readonly NodeManifest[] = []): CompileOptions {
  return { nodes: new Map([...NODES, ...nodes, ...own].map((manifest): [string, NodeManifest] => [manifest.type, manifest])), schemas }
}

/** A tree compiled for memory. */
export interface CompiledForm {
  readonly def: CompiledTree
  /** The nodes of the host, by their ids. */
  readonly nodes: ReadonlyMap<string, BehaviorNode>
  /** The functions of the host, and those that the tree was given directly. */
  readonly functions: FunctionRegistry
  /** The schemas of its keys, to which its host may add. */
  readonly schemas: Map<string, TreeSchema>
  /** The first values of its keys, which stand on the blackboard of the host. */
  readonly defaults: JsonObject
}

/**
 * Checks and compiles a tree for memory. What trees share stands on the blackboard that they share, not in a ledger. Throws all errors of a tree
 * that is wrong as one.
 */
export function compileForm(form: TreeForm | RawTree, host: TreeHost, withContext: WithContext, observer: Visits): CompiledForm {
  const read = form instanceof RawTree ? undefined : readForm(form, withContext)
  const options = compileOptions(host, read?.manifests)
  const manifests = [...options.nodes.values()]
  const { source: written, functions: given } = accepted(
    form instanceof RawTree
      ? readBuilt(form, { manifests })
      : readTreeData(read?.source as unknown as Json, { manifests, file: form.file }),
  )
  const functions = { ...host.functions, ...(Object.fromEntries(given ?? []) as FunctionRegistry) }
  const compiled = compileTree(withFunctionContracts(written, functions), options)
  const own = [...(read?.schemas ?? [])].filter(([key]) => written.board?.[key] === undefined)
  const schemas = new Map([...compiled.schemas, ...own])
  const def = { ...compiled, schemas, defaults: {}, readsGlobals: false, observer }
  return { def, nodes: read?.nodes ?? new Map<string, BehaviorNode>(), functions, schemas, defaults: compiled.defaults }
}

function accepted({ source, findings, ...more }: NormalisedTree): NormalisedTree & { readonly source: TreeSource } {
  const [first, ...rest] = findings.filter(({ severity }) => severity === 'error')
  if (first !== undefined) throw loadError([first, ...rest])
  if (source === undefined) throw new TypeError('a tree that cannot be read has an error')
  return { source, findings, ...more }
}

/** Compiles a tree to which another one refers. */
export function compileSource(source: TreeSource, host: TreeHost): CompiledTree {
  return compileTree(withFunctionContracts(source, host.functions ?? {}), compileOptions(host))
}
