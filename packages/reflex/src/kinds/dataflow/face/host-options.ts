import { listOf, objectWith, options } from '../../../text/index.ts'
import type { Primitive } from '../model/primitive.ts'

/** The extensions of a host for graphs. */
export interface DataflowOptions {
  /** Primitives besides those of the standard catalogue: `definePrimitive(manifest, function)`. A primitive given here may be used by every graph. */
  readonly primitives?: readonly Primitive[]
}

/** The form of the options. */
export const HOST_OPTIONS = options({ primitives: listOf(objectWith('a primitive', 'run')) })
