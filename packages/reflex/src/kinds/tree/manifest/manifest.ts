import type { JsonObject } from '../../../kernel/index.ts'
import type { Behaviour } from './behaviour.ts'

/** The forms of parameters, by name. */
export const PARAMETER_TYPES = [
  'text',
  'flag',
  'number',
  'count',
  'ms',
  'enum',
  'key',
  'condition',
  'expression',
  'lua',
  'function',
  'tool',
  'tree',
  'program',
  'path',
  'names',
  'map',
  'json',
] as const

/**
 * The form of a parameter. `ms`: whole milliseconds above 0. `count`: a whole number from 0 on. `key`: a key of the blackboard. `condition`: Lua
 * that is true or false, or the name of a function as { fn }. `expression`: Lua of the loop-free subset. `lua`: a script. `function`, `tool`, `tree`, `program`: a name. `path`: a file
 * below the folder of the tree. `map`: names to names. `json`: any value.
 */
export type ParameterType = (typeof PARAMETER_TYPES)[number]

/** A parameter of a node. */
export interface Parameter {
  readonly name: string
  readonly type: ParameterType
  /** The data flow of a `key`, or of the keys that a `map` has as values: the node reads them, writes them, or both. */
  readonly flow?: 'in' | 'out' | 'inout'
  readonly required?: true
  readonly default?: string | number | boolean
  readonly unit?: string
  readonly least?: number
  /**
   * The values of an `enum`, or those that a `map` may have, each with its other spellings. `-` and `_` are the same, and so are small and
   * capital letters.
   */
  readonly values?: Readonly<Record<string, readonly string[]>>
  readonly aliases?: readonly string[]
  /** The name of the port in BehaviorTree.CPP. */
  readonly xml?: string
  readonly doc: string
}

/** A positional argument in Lua: a parameter by its name, or a part of the node. */
export type Position = 'id' | 'child' | 'children' | 'config' | (string & {})

/** How a failure of a child reaches the parent (EP-01). */
export const PROPAGATIONS = ['leaf', 'any', 'all', 'policy', 'transform', 'invert', 'absorb', 'force'] as const
export type Propagation = (typeof PROPAGATIONS)[number]

/** The outcomes that a node can have. */
export interface Outcomes {
  readonly success: boolean
  readonly failure: boolean
  readonly running: boolean
}

/** The most children of a composite. */
export const MANY = 10_000

/**
 * What a type of node is, declared once. The Lua prelude, the builders in TypeScript, JSON Schema, XML in both directions, the checks, the docs
 * and the palette are derived from it.
 */
export interface NodeManifest {
  /** The name in JSON and in errors: `for_each`. */
  readonly type: string
  readonly role: 'composite' | 'decorator' | 'leaf'
  /** The least and the most children. */
  readonly children: readonly [least: number, most: number]
  readonly lua?: {
    /** The name in `BT`, if it is not the type. */
    readonly name?: string
    readonly aliases?: readonly string[]
    /**
     * The accepted orders of positional arguments, the first that fits counts. `config` takes a table of parameters, `children` a list of nodes;
     * in place of both, one table may hold parameters by name and nodes by number.
     */
    readonly shapes: readonly (readonly Position[])[]
    /** Several children become one sequence: the node takes one child and accepts more. */
    readonly wraps?: true
    /** Every other key of the table is an item of this parameter. */
    readonly rest?: string
  }
  /** The names in BehaviorTree.CPP v4, the first is written; each with the parameters that it implies. */
  readonly xml?: Readonly<Record<string, JsonObject>>
  readonly parameters: readonly Parameter[]
  /** The tool that a leaf always calls. */
  readonly tool?: string
  readonly propagates: Propagation
  /** Returns the outcomes that are possible, from those of its children in order. */
  outcomes(children: readonly Outcomes[], params: JsonObject): Outcomes
  /** Returns what is wrong with parameters that are right one by one; undefined if nothing is. */
  check?(params: JsonObject, children: number): string | undefined
  readonly doc: string
  /** A line of Lua. */
  readonly example: string
  readonly behaviour: Behaviour
}

/** Declares a type of node. Parameters of all nodes need not be declared: `id`, `name`, `description`, `metadata`, conditions, `contract`. */
export function defineNode<const Manifest extends NodeManifest>(manifest: Manifest): Manifest {
  return manifest
}
