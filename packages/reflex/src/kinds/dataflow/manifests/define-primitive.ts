import { copyJson, digest } from '../../../kernel/index.ts'
import { checkArguments, FUNCTION, OBJECT } from '../../../text/index.ts'
import type { Manifest } from '../model/manifest.ts'
import type { Primitive } from '../model/primitive.ts'
import type { FunctionOf } from './function-types.ts'

/**
 * Returns a primitive of the host: a manifest and a pure, synchronous function.
 *
 * With the manifest as a literal, the editor knows the names and types of the inputs and parameters of `run` and refuses wrong outputs. The
 * function sees its arguments and nothing else: no clock, no randomness, no memory between calls, no promise. It runs again at every replay;
 * an action asks for effects in its manifest and never performs them. The digest of its text tells a replay that the function changed; the
 * digest does not cover what the function calls, so raise the version of the manifest for a change there.
 *
 * The manifest is copied. A `Catalog` checks its rules. Throws `R1090` for arguments of another type, `R2004` for a manifest that is not data.
 */
export function definePrimitive<const M extends Manifest>(manifest: M, run: FunctionOf<M>): Primitive {
  checkArguments('definePrimitive', { manifest: [manifest, OBJECT], run: [run, FUNCTION] })
  const copy = copyJson(manifest, 'manifest') as unknown as Manifest
  return Object.freeze({ manifest: copy, kind: copy.kind, run, digest: digest(String(run)) }) as unknown as Primitive
}
