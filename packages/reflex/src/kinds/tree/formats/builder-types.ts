import type { Json, JsonObject } from '../../../kernel/index.ts'
import type { NodeManifest, Parameter } from '../manifest/manifest.ts'
import type { BoardKey, ContractSource, ReloadPolicy } from '../model/source.ts'
import type { CATALOGUE } from '../nodes/table.ts'
import type { TreeFunction } from './function-names.ts'
import type { RawNode, RawTree } from './raw.ts'

/** The values that a parameter of a type takes. */
interface ValueTypes {
  text: string
  flag: boolean
  number: number
  count: number
  ms: number
  key: string
  condition: string | TreeFunction | { readonly fn: string | TreeFunction; readonly args?: Json }
  expression: string | number | boolean
  lua: string
  function: string | TreeFunction
  tool: string
  tree: string
  program: string
  path: string
  names: readonly string[]
  map: Readonly<Record<string, string>>
  json: Json
}

type ValueOf<P extends Parameter> = P extends { readonly type: 'enum'; readonly values: infer Values }
  ? keyof Values & string
  : P['type'] extends keyof ValueTypes
    ? ValueTypes[P['type']]
    : never

/** The keys that every node can have besides its parameters. */
export interface CommonKeys {
  readonly id?: string
  readonly name?: string
  readonly description?: string
  readonly metadata?: JsonObject
  readonly contract?: ContractSource
  readonly skip_if?: string
  readonly success_if?: string
  readonly failure_if?: string
  readonly while?: string
  readonly on_success?: Readonly<Record<string, string | number | boolean>>
  readonly on_failure?: Readonly<Record<string, string | number | boolean>>
  readonly on_halted?: Readonly<Record<string, string | number | boolean>>
  readonly after?: Readonly<Record<string, string | number | boolean>>
  readonly child?: RawNode
  readonly children?: readonly RawNode[]
}

/** The names of a parameter: its own and its aliases. */
type NamesOf<P extends Parameter> = P['name'] | (P extends { readonly aliases: readonly (infer Alias extends string)[] } ? Alias : never)

/** The parameters of a type by name. What is required is checked when the tree is built, because it may stand before the table. */
export type ConfigOf<M extends NodeManifest> = CommonKeys & {
  readonly [P in M['parameters'][number] as NamesOf<P>]?: ValueOf<P>
} & (M['lua'] extends { readonly rest: string } ? { readonly [argument: string]: unknown } : unknown)

type ArgumentOf<M extends NodeManifest, Place> = Place extends 'id'
  ? string
  : Place extends 'child'
    ? RawNode
    : Place extends 'children'
      ? readonly RawNode[] | ConfigOf<M>
      : Place extends 'config'
        ? ConfigOf<M>
        : ValueOf<Extract<M['parameters'][number], { readonly name: Place }>>

type ArgumentsOf<M extends NodeManifest, Shape extends readonly unknown[]> = { -readonly [At in keyof Shape]: ArgumentOf<M, Shape[At]> }

type ShapesOf<M extends NodeManifest> = M extends {
  readonly lua: { readonly shapes: infer Shapes extends readonly (readonly unknown[])[] }
}
  ? Shapes[number]
  : never

/** A function that makes a node, with the shapes that the type has in Lua. */
export type BuilderOf<M extends NodeManifest> = (
  ...args: ShapesOf<M> extends infer Shape ? (Shape extends readonly unknown[] ? ArgumentsOf<M, Shape> : never) | [ConfigOf<M>] : never
) => RawNode

type Catalogue = (typeof CATALOGUE)[number]

/** The names of a type in `BT`. */
type LuaNamesOf<M extends NodeManifest> =
  | M['type']
  | (M extends { readonly lua: { readonly name: infer Name extends string } } ? Name : never)
  | (M extends { readonly lua: { readonly aliases: readonly (infer Alias extends string)[] } } ? Alias : never)

/** The settings of a tree. */
export interface TreeConfig {
  readonly root: RawNode
  readonly version?: string
  readonly description?: string
  /** Keys with the name of a schema, a declaration, or a first value. */
  readonly blackboard?: Readonly<Record<string, Json | BoardKey>>
  readonly contract?: ContractSource
  readonly tick_budget?: number
  readonly max_tick_duration_ms?: number
  readonly max_execution_ms?: number
  readonly tick_every?: number
  readonly reload_policy?: ReloadPolicy
  readonly recovery_tree?: string
  readonly on_failure?: RawNode
  readonly trees?: readonly RawTree[]
}

/** The functions of `BT` in TypeScript, with the names and shapes of Lua. */
export type Builders = { readonly [M in Catalogue as LuaNamesOf<M>]: BuilderOf<M> } & {
  readonly tree: (name: string, config: TreeConfig) => RawTree
  readonly subtree: (name: string, config: TreeConfig) => RawTree
  readonly contract: (contract: ContractSource) => ContractSource
}
