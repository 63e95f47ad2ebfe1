import type { JsonObject } from '../../../kernel/index.ts'
import type { SchemaRegistry, TreeSchema } from '../board/schema.ts'
import type { TypedBlackboard } from '../board/typed-blackboard.ts'
import { type CompileOptions, compileTree } from '../compile/compile.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import type { NodeManifest } from '../manifest/manifest.ts'
import type { TreeSource } from '../model/source.ts'
import { NODES } from '../nodes/table.ts'
import type { FunctionRegistry } from '../tick/function-port.ts'
import type { EventBus } from './event-bus.ts'
import type { GlobalWriter } from './memory-effects.ts'
import type { FindTree } from './memory-programs.ts'
import type { TreeClock } from './memory-run.ts'
import type { Services } from './services.ts'
import type { ReadForm } from './tree-form.ts'
import type { Visits } from './visits.ts'

/** What a tree in memory gets from its host. */
export interface TreeHost {
  readonly functions?: FunctionRegistry
  readonly services?: Services
  /** Types of nodes in addition to the catalogue. */
  readonly nodes?: readonly NodeManifest[]
  readonly schemas?: SchemaRegistry
  readonly clock?: TreeClock
  readonly events?: EventBus
  /** Finds the trees of references. */
  readonly find?: FindTree
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
  /** The schemas of its keys, to which its host may add. */
  readonly schemas: Map<string, TreeSchema>
  /** The first values of its keys, which stand on the blackboard of the host. */
  readonly defaults: JsonObject
}

/** Compiles a tree for memory. What trees share stands on the blackboard that they share, not in a ledger. */
export function compileForm(form: Pick<ReadForm, 'source' | 'manifests' | 'schemas'>, host: TreeHost, observer: Visits): CompiledForm {
  const compiled = compileTree(form.source, compileOptions(host, form.manifests))
  const declared = new Set(Object.keys(form.source.board ?? {}))
  const schemas = new Map([...compiled.schemas, ...[...form.schemas].filter(([key]) => !declared.has(key))])
  return { def: { ...compiled, schemas, defaults: {}, readsGlobals: false, observer }, schemas, defaults: compiled.defaults }
}

/** Compiles a tree that stands in the file of another one. */
export function compileSource(source: TreeSource, host: TreeHost): CompiledTree {
  return compileTree(source, compileOptions(host))
}
