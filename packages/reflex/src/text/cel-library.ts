import type * as Library from '@bufbuild/cel'
import { createRequire } from 'node:module'

let library: typeof Library | undefined

/** Returns the CEL library. Loads it at the first call, because loading takes longer than everything else that a command loads. */
export function cel(): typeof Library {
  library ??= createRequire(import.meta.url)('@bufbuild/cel') as typeof Library
  return library
}
